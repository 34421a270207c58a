"""Which source a `--from` value means.

An importer is one module and one line here: a scheme, and a function from the rest of the value to a source.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.sources.base import ThreadSource, WikiSource
from folkmoot.sim.errors import ConfigError, did_you_mean

Source = WikiSource | ThreadSource


@dataclass(frozen=True, slots=True)
class Request:
    """What a source is opened with.

    Attributes:
        value: `--from` without its scheme.
        language: `--lang`; None: the source's own, else detected.
        namespaces: numbers of the talk namespaces and of user pages that are wanted.
        pages: titles asked for (an API).
        max_page_chars: pages that are longer are passed over and counted.
        keep_damaged: an input that breaks off ends the source (counted) instead of raising.
        options: what else the command line has for one kind of source.
    """

    value: str
    language: str | None = None
    namespaces: frozenset[int] = frozenset({1, 2})
    pages: tuple[str, ...] = ()
    max_page_chars: int = 4_000_000
    keep_damaged: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


SCHEMES: dict[str, str] = {
    "dump": "dump:open_dump",
    "folder": "folder:open_folder",
    "https": "api:open_api",
    "http": "api:open_api",
    "convokit": "convokit:open_convokit",
    "table": "table:open_table",
    "reddit": "reddit:open_reddit",
    "mastodon": "timeline:open_mastodon",
    "bluesky": "timeline:open_bluesky",
    "x": "timeline:open_x",
    "csv": "timeline:open_csv",
    "jsonl": "timeline:open_jsonl",
    "demo_feed": "timeline:open_demo",
}
"""Scheme -> module of this package and its function `(Request) -> Source`."""


FEEDS = ("mastodon", "bluesky", "x", "csv", "jsonl", "demo_feed")
"""Schemes of timelines: what is built of them is a feed."""

TAKE_OPTIONS = ("http", "https", "table", *FEEDS)
"""Schemes whose sources read `Request.options`, and refuse those that they don't know."""

TAKE_PAGES = ("http", "https")
"""Schemes whose sources can be asked for some pages."""


def scheme_of(value: str) -> tuple[str, str]:
    """The scheme of a `--from` value and the rest of it; a plain path is a dump or a folder of wikitext.

    Raises:
        ConfigError: an unknown scheme, or nothing is named.
    """
    scheme, colon, rest = value.partition(":")
    if not (rest if colon and scheme in SCHEMES else value).strip():  # an empty path would be the current folder
        raise ConfigError(f"--from {value!r} names nothing to read (is a variable unset?); give a path, or KIND:PATH")
    if colon and scheme in {"http", "https"}:
        return scheme, value
    if colon and scheme in SCHEMES:
        return scheme, rest
    if colon and scheme.isalpha() and len(scheme) > 1 and not Path(value).exists():
        raise ConfigError(f"--from {value!r}: unknown kind of source {scheme!r}; {did_you_mean(scheme, SCHEMES)}")
    from folkmoot.environments.corpora.sources.folder import holds_pages

    return ("folder" if holds_pages(Path(value)) else "dump"), value


def open_source(value: str, request: Request) -> Source:
    """The source that a `--from` value names; `request.value` is filled in here.

    Raises:
        ConfigError: an unknown kind of source, or it is asked for what its kind doesn't have.
        CorpusError: it can't be read.
    """
    scheme, rest = scheme_of(value)
    if request.options and scheme not in TAKE_OPTIONS:
        raise ConfigError(f"--option {next(iter(request.options))}: a source of kind {scheme!r} has none; leave it out")
    if request.pages and scheme not in TAKE_PAGES:
        raise ConfigError(
            f"--pages {request.pages[0]!r}: a source of kind {scheme!r} is read whole; only an API gives pages by title"
        )
    module, _, function = SCHEMES[scheme].partition(":")
    try:
        found = import_module(f"folkmoot.environments.corpora.sources.{module}")
    except ModuleNotFoundError as error:
        raise ConfigError(f"--from {scheme}:... needs {error.name}, which isn't there; install it") from error
    opener: Callable[[Request], Source] = getattr(found, function)
    return opener(replace(request, value=rest))
