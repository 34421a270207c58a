"""What follows the pages: each stage reads tables of the store and writes new ones.

A stage that is interrupted starts again. One that is in the manifest isn't run twice, unless what it is asked for has
changed: then it and all that follow it run again, over the same pages. To add one, write a function
`(Store, StageContext) -> StageRecord` in a module of its own and a line here, at its place in the order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from folkmoot.environments.corpora.persons.hook import people_stage
from folkmoot.environments.corpora.pipeline.articles import add_articles, open_articles
from folkmoot.environments.corpora.pipeline.context import Stage
from folkmoot.environments.corpora.pipeline.feed import add_feed
from folkmoot.environments.corpora.pipeline.given import add_given
from folkmoot.environments.corpora.pipeline.people import add_people
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.base import Identified

Asked = Callable[[BuildSettings], Any]
"""What decides on a stage's outcome beside the tables, as plain values."""


def _nothing(settings: BuildSettings) -> None:
    del settings


def _articles(settings: BuildSettings) -> dict[str, Any] | None:
    """What is in the history, not how its file is called."""
    if settings.articles is None:
        return None
    history = open_articles(settings.articles, settings.lang)
    size, sha256 = history.identity() if isinstance(history, Identified) else (0, settings.articles)
    return {"size": size, "sha256": sha256}


def _personas(settings: BuildSettings) -> dict[str, Any]:
    """A build reads nobody with a model (`corpus personas` does); the key stays, for older corpora."""
    return {"settings": settings.stages.get("personas", {}), "reader": None}


@dataclass(frozen=True, slots=True)
class Step:
    """A stage; `tables` are those that go before it runs anew."""

    run: Stage
    asked: Asked = _nothing
    tables: tuple[str, ...] = ()


STAGES: dict[str, Step] = {
    "articles": Step(add_articles, _articles, ("articles", "thread_articles")),
    "people": Step(add_people, tables=("people",)),
    "given": Step(add_given, tables=("given_personas",)),
    "personas": Step(people_stage, _personas, ("personas", "selection", "profiles", "traits")),
    "feed": Step(add_feed, tables=("follows", "likes", "accounts")),
}
"""Name -> stage, in order."""
