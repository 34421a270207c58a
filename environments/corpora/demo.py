"""The demo corpus that ships with Folkmoot: fictional editors, real syntax, gold labels (see demo/README.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.base import Corpus, Gold
from folkmoot.environments.corpora.building import Builder, RawPage, authors, digest, known_names
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.reading import read_text
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.parse import parse_page
from folkmoot.sim.errors import CorpusError, did_you_mean
from folkmoot.sim.persona import Persona

FOLDER = Path(__file__).parent / "demo"

SALT = b"folkmoot demo corpus: public, nobody to protect"
"""Nobody real is in it, so the salt is no secret, and pseudonyms are the same on every machine."""


class GoldLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of gold.json; `time` as YYYY-MM-DDTHH:MMZ."""

    page: str
    thread: str
    author: str
    time: str
    acts: tuple[str, ...]
    sentiment: int


@dataclass(frozen=True, slots=True)
class _Where:
    """What gold and page must agree on."""

    page: str
    thread: str
    author: str
    time: str


def demo_languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Languages that the demo corpus has."""
    return tuple(sorted(path.parent.name for path in folder.glob("*/gold.json")))


def load_demo(lang: str = "en", folder: Path = FOLDER) -> Corpus:
    """The demo community of a language.

    Args:
        lang: ISO 639-1 code.
        folder: where the languages' folders are.

    Raises:
        CorpusError: the language has no demo, a file is damaged, or gold and pages don't match one for one.
    """
    if lang not in demo_languages(folder):
        raise CorpusError(f"no demo corpus in {lang!r}; {did_you_mean(lang, demo_languages(folder))}")
    home, language = folder / lang, load_language(lang)
    pages = _pages(home, language)
    records = _read_json(home / "personas.json")
    ids = {str(record.get("id", "")) for record in records}
    names, aliases = known_names(pages, language)
    builder = Builder(f"demo-{lang}", language, SALT, Pseudonyms(SALT, language, names | ids, aliases))
    for page in pages:
        builder.add(page)
    personas = {persona.id: persona for persona in (_persona(r, builder.names) for r in records)}
    return Corpus(
        name=builder.community,
        language=lang,
        timezone=language.local_timezone,
        pages=builder.pages,
        events=tuple(builder.events),
        personas=personas,
        digest=digest(builder.events, builder.pages, personas.values()),
        gold=_gold(home / "gold.json", pages),
        losses=+builder.losses,
        facts={"pages": len(pages), "users": len(authors(pages))},
    )


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"demo file {path.parent.name}/{path.name} can't be read: {error}; restore it") from error


def _pages(home: Path, language: Language) -> list[RawPage]:
    articles: Mapping[str, Mapping[str, str]] = _read_json(home / "articles.json")
    pages = []
    for title, entry in articles.items():
        text = read_text(home / entry["file"])
        pages.append(RawPage(title, text, parse_page(text, language), entry["article"]))
    return pages


def _persona(record: Mapping[str, Any], names: Pseudonyms) -> Persona:
    """A persona with its id hashed as actors are, and the names of others replaced in its texts."""
    hidden = {key: value if key == "language" else _hide(value, names) for key, value in record.items()}
    return Persona.model_validate({**hidden, "id": names.of(str(record["id"]))})


def _hide(value: Any, names: Pseudonyms) -> Any:
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, Mapping):
        return {key: _hide(item, names) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_hide(item, names) for item in value]
    return value


def _gold(path: Path, pages: Sequence[RawPage]) -> dict[int, Gold]:
    """Labels by seq; the n-th line belongs to the n-th comment, and says the same of it as the page does."""
    try:
        lines = msgspec.json.decode(path.read_bytes(), type=tuple[GoldLine, ...])
    except (OSError, msgspec.MsgspecError) as error:
        raise CorpusError(f"demo file {path.parent.name}/{path.name} can't be read: {error}; restore it") from error
    expected = [_Where(g.page, " ".join(g.thread.split()), canonical_name(g.author), g.time) for g in lines]
    for number, (want, found) in enumerate(zip_longest(expected, _places(pages))):
        if want != found:
            raise CorpusError(_mismatch(path, number, want, found))
    return {seq: Gold(line.acts, line.sentiment) for seq, line in enumerate(lines)}


def _places(pages: Sequence[RawPage]) -> list[_Where]:
    return [
        _Where(page.title, thread.title, comment.author, _minute(comment.time))
        for page in pages
        for thread in page.parsed.threads
        for comment in thread.comments
    ]


def _minute(time: int | None) -> str:
    return "" if time is None else datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")


def _mismatch(path: Path, number: int, want: _Where | None, found: _Where | None) -> str:
    return (
        f"demo {path.parent.name}: line {number + 1} of gold.json is {want or 'missing'}, "
        f"but comment {number + 1} on the pages is {found or 'missing'}; correct the one that is wrong"
    )
