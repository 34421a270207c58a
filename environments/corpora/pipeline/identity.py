"""What a build is of, and whether a folder holds the same one."""

from collections.abc import Collection, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.pipeline.rows import long_hash
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pseudonyms import keyed_hash
from folkmoot.environments.corpora.salt import find_salt
from folkmoot.environments.corpora.sources.base import ArchiveSource, Identified
from folkmoot.environments.corpora.sources.identity import identity_of
from folkmoot.environments.corpora.sources.registry import Source, scheme_of
from folkmoot.environments.corpora.store.manifest import SCHEMA, Manifest, SourceRecord
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.sim.errors import CorpusError

POLITENESS = frozenset({"rate", "contact", "patience", "tries", "timeout", "maxlag", "batch"})
"""Options of an API that say how it is asked, not for what."""

FILES = frozenset({"titles", "personas", "users", "follows"})
"""Options that name a file: its content counts, not its path."""


def find_build_salt(settings: BuildSettings) -> bytes:
    """The salt of a build.

    Raises:
        CorpusError: no such file, too short, or inside the corpus's folder: whoever has the corpus would have the key.
    """
    file = settings.salt_file
    if file is not None and file.resolve().is_relative_to(settings.out.resolve()):
        raise CorpusError(
            f"salt file {file} lies in the corpus's folder {settings.out}: whoever gets the corpus could undo the "
            "pseudonyms; keep it elsewhere"
        )
    return find_salt(file)


def salt_check(salt: bytes) -> str:
    """Tells whether a salt is the one that a corpus was built with, and nothing else of it."""
    return keyed_hash("is it this salt?", salt)


def new_manifest(
    settings: BuildSettings, source: Source, language: Language, salt: bytes, blocked: Collection[str] = ()
) -> Manifest:
    """The manifest of a build that begins; reads the source once to hash it. `blocked`: who is on the removal list."""
    scheme, rest = scheme_of(settings.source)
    size, sha256 = source.identity() if isinstance(source, Identified) else (0, "")
    return Manifest(
        schema=SCHEMA,
        name=settings.name or source.name or settings.out.name,
        language=language.code,
        timezone=language.local_timezone,
        folkmoot=version("folkmoot"),
        source=SourceRecord(kind=scheme, name=_source_name(scheme, rest, source), size=size, sha256=sha256),
        salt_check=salt_check(salt),
        settings=settings.content | dict(asked_of_source(settings, blocked, salt)),
    )


def _source_name(scheme: str, rest: str, source: Source) -> str:
    """An address, a file without its folders, or what the source calls itself, where file names may hold user names."""
    if isinstance(source, ArchiveSource):
        return source.title
    return rest if scheme in {"http", "https"} else Path(rest).name


def asked_of_source(settings: BuildSettings, blocked: Collection[str], salt: bytes) -> Iterator[tuple[str, str]]:
    """What else decides on the content: the removal list and files of titles as hashes, options as they are given.

    What isn't asked for isn't there, so that corpora without any of these stay the same builds.
    """
    if blocked:
        yield "removal list (keyed hash)", long_hash("\n".join(sorted(blocked)), salt)
    if files := sorted(title[1:] for title in settings.pages if title.startswith("@")):
        yield "files of titles (SHA-256)", " ".join(_content(Path(file)) for file in files)
    for name, value in sorted(settings.options.items()):
        if name not in POLITENESS:
            yield f"option {name}", _content(Path(value)) if name in FILES else str(value)


def _content(path: Path) -> str:
    """The hash of a file's content; "" where there is none: whoever reads it says so."""
    return identity_of([path])[1][:16] if path.is_file() else ""


def check_same(found: Manifest, asked: Manifest, out: Path) -> None:
    """Make sure that a folder's build is the one asked for.

    Raises:
        CorpusError: the first thing in which they differ, with both values.
    """
    for what, (there, here) in _compared(found, asked).items():
        if there != here:
            raise CorpusError(
                f"{out} holds a build with {what} {_short(there)}, this one has {_short(here)}; give the same again to "
                "go on, or another --out"
            )


def _compared(found: Manifest, asked: Manifest) -> dict[str, tuple[Any, Any]]:
    pairs: dict[str, tuple[Any, Any]] = {
        "Folkmoot": (found.folkmoot, asked.folkmoot),
        "source kind": (found.source.kind, asked.source.kind),
        "source SHA-256": (found.source.sha256 or found.source.name, asked.source.sha256 or asked.source.name),
        "language": (found.language, asked.language),
        "name": (found.name, asked.name),
        "salt (check value)": (found.salt_check, asked.salt_check),
    }
    keys = sorted({*found.settings, *asked.settings})
    return pairs | {key: (found.settings.get(key), asked.settings.get(key)) for key in keys}


def _short(value: Any) -> str:
    return repr(value)[:80]
