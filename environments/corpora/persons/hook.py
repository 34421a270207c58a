"""The stage as a build runs it; a reader is handed in as the tool `reader`, what is known of it as `reader_facts`."""

from folkmoot.environments.corpora.persons.settings import PersonSettings
from folkmoot.environments.corpora.persons.stage import STAGE, add_personas
from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.sim.config import check


def people_stage(store: Store, context: StageContext) -> StageRecord:
    """Filters and personas of a build, by `settings.stages["personas"]`."""
    settings = check(PersonSettings, context.settings.stages.get(STAGE, {}), STAGE)
    return add_personas(store, settings, context.tools.get("reader"), context.tools.get("reader_facts"))
