"""What follows the pages: each stage reads tables of the store and writes new ones.

A stage that is interrupted starts again; one that is in the manifest isn't run twice. To add one, write a function
`(Store, StageContext) -> StageRecord` in a module of its own and name it here, at its place in the order.
"""

from folkmoot.environments.corpora.persons.hook import people_stage
from folkmoot.environments.corpora.pipeline.articles import add_articles
from folkmoot.environments.corpora.pipeline.context import Stage
from folkmoot.environments.corpora.pipeline.people import add_people

STAGES: dict[str, Stage] = {
    "articles": add_articles,
    "people": add_people,
    "personas": people_stage,
}
"""Name -> stage, in order."""
