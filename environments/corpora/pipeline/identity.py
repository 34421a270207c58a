"""What a build is of, and whether a folder holds the same one."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pseudonyms import keyed_hash
from folkmoot.environments.corpora.salt import find_salt
from folkmoot.environments.corpora.sources.base import Identified
from folkmoot.environments.corpora.sources.registry import Source, scheme_of
from folkmoot.environments.corpora.store.manifest import SCHEMA, Manifest, SourceRecord
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.sim.errors import CorpusError


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


def new_manifest(settings: BuildSettings, source: Source, language: Language, salt: bytes) -> Manifest:
    """The manifest of a build that begins; reads the source once to hash it."""
    scheme, rest = scheme_of(settings.source)
    size, sha256 = source.identity() if isinstance(source, Identified) else (0, "")
    return Manifest(
        schema=SCHEMA,
        name=settings.name or source.name or settings.out.name,
        language=language.code,
        timezone=language.local_timezone,
        folkmoot=version("folkmoot"),
        source=SourceRecord(
            kind=scheme, name=rest if scheme in {"http", "https"} else Path(rest).name, size=size, sha256=sha256
        ),
        salt_check=keyed_hash("is it this salt?", salt),
        settings=settings.content,
    )


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
