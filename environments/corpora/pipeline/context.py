"""What the steps of a build are given."""

from collections.abc import Callable
from dataclasses import dataclass

from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.registry import Source
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.talk_page.wikitext.language import Language


@dataclass(frozen=True, slots=True)
class PageContext:
    """What a worker needs to turn pages into rows; goes to worker processes.

    Attributes:
        language: with the names of namespaces that the source tells.
        salt: the key of the pseudonyms.
        blocked: pseudonyms of users whose comments and pages are left out.
        pseudonymous: the source's names are pseudonyms already and stay as they are, as do its ids.
    """

    language: Language
    salt: bytes
    blocked: frozenset[str] = frozenset()
    pseudonymous: bool = False


@dataclass(frozen=True, slots=True)
class StageContext:
    """What a stage over the store is given.

    Attributes:
        page: language, salt (never to be written), blocklist.
        source: to read again where a stage needs it.
        settings: of the build.
        history: the source holds several revisions of articles.
        tell: called with (done, total) now and then; total 0: unknown.
    """

    page: PageContext
    source: Source
    settings: BuildSettings
    history: bool = False
    tell: Callable[[int, int], None] = lambda *_: None


Stage = Callable[[Store, StageContext], StageRecord]
"""Reads tables of the store, writes new ones (`store.write`), and returns what it counted."""
