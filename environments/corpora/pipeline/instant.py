"""What a build of timelines calls now: asked for once and kept in the manifest, so that the build can be repeated."""

from datetime import UTC, datetime

from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.registry import FEEDS, scheme_of
from folkmoot.environments.corpora.store import Store, is_store

UNTIL = "until"


def with_instant(settings: BuildSettings) -> BuildSettings:
    """The settings with the instant from which on posts come from the future, where timelines are read.

    It is the one given; else that of the build that is in the folder already, so that it goes on as it began; else now.

    Raises:
        ConfigError: an unknown kind of source.
        CorpusError: the folder's manifest is damaged.
    """
    if scheme_of(settings.source)[0] not in FEEDS or settings.options.get(UNTIL):
        return settings
    if is_store(settings.out):
        until = Store.open(settings.out, unfinished=True).manifest.settings.get(f"option {UNTIL}")
    else:
        until = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return settings.model_copy(update={"options": settings.options | ({UNTIL: until} if until else {})})
