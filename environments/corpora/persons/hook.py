"""The stage as a build runs it, without a model; `folkmoot corpus personas` reads people with one."""

import sys

from folkmoot.environments.corpora.filters import FilterSettings
from folkmoot.environments.corpora.persons.settings import PersonSettings
from folkmoot.environments.corpora.persons.stage import STAGE, add_personas
from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.sources.base import ArchiveSource
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.sim.config import check


def people_stage(store: Store, context: StageContext) -> StageRecord:
    """Filters and personas of a build, by `settings.stages["personas"]`.

    A corpus of ours that comes back from an export was filtered before it went out: its threads all stay, as do
    those of people's own archives.
    """
    settings = check(PersonSettings, context.settings.stages.get(STAGE, {}), STAGE)
    if context.page.pseudonymous or isinstance(context.source, ArchiveSource):
        filters = FilterSettings(max_words=sys.maxsize, max_users=sys.maxsize, keep_all=True)
        settings = settings.model_copy(update={"filters": filters})
    return add_personas(store, settings)
