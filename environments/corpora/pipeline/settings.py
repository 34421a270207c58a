"""What a build is asked to do."""

from pathlib import Path
from typing import Any

from pydantic import Field

from folkmoot.sim.persona import Frozen

RUNNING = ("source", "out", "workers", "salt_file", "articles", "blocklist", "engine", "pages", "options")
"""Settings that say where things are or how the work is done; they don't change what comes out by their value.

What the removal list and the options of a source change is added by `identity.asked_of_source`.
"""


class BuildSettings(Frozen):
    """One build.

    Attributes:
        source: the `--from` value: a dump, a folder of wikitext, or `scheme:rest` (see `sources.registry`).
        out: folder of the store.
        lang: ISO 639-1 code; None: what the source says, else detected.
        name: of the community; None: the wiki's database name, else the name of the out folder.
        namespaces: talk namespaces and user pages (2) to read.
        workers: worker processes; 1 works in the main process.
        engine: local processes, or Ray.
        shard_pages: pages of a shard, at most: what an interruption may cost.
        shard_chars: characters of a shard, roughly, at most: what is in memory at once.
        max_page_chars: longer pages are dropped and counted; MediaWiki itself allows 2 MiB.
        salt_file: of the pseudonyms; None: FOLKMOOT_SALT, else the user's own file.
        blocklist: a file of user names, one a line, whose comments and pages are left out.
        articles: a history dump that articles are taken from; None: the source itself, where it has them.
        damaged: `stop` at the end of a cut-off or broken input, or `keep` what could be read as a corpus of its own.
        limit: pages (or threads) to read at most.
        pages: titles to read, for an API.
        options: what else a kind of source understands.
        stages: further stages' own settings, by stage.
    """

    source: str
    out: Path
    lang: str | None = None
    name: str | None = None
    namespaces: tuple[int, ...] = (1, 2)
    workers: int = Field(default=1, ge=1, le=256)
    engine: str = Field(default="local", pattern="^(local|ray)$")
    shard_pages: int = Field(default=500, ge=1)
    shard_chars: int = Field(default=2_000_000, ge=1)
    max_page_chars: int = Field(default=4_000_000, ge=1)
    salt_file: Path | None = None
    blocklist: Path | None = None
    articles: str | None = None
    damaged: str = Field(default="stop", pattern="^(stop|keep)$")
    limit: int | None = Field(default=None, ge=1)
    pages: tuple[str, ...] = ()
    options: dict[str, Any] = Field(default_factory=dict)
    stages: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @property
    def content(self) -> dict[str, Any]:
        """What decides on the content, as the manifest keeps it: no path, no secret; titles are named without files."""
        kept = self.model_dump(mode="json", exclude={*RUNNING, "name", "lang", "stages", "damaged"})
        titles = sorted(title for title in self.pages if not title.startswith("@"))
        return kept | {"pages": titles} if self.pages else kept
