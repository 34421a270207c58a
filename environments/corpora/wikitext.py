"""Raw Talk pages as a corpus: a file, or a folder with one file a page."""

from collections import Counter
from pathlib import Path

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.building import Builder, RawPage, authors, digest, known_names, words_too
from folkmoot.environments.corpora.detect import detect_language
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, find_salt
from folkmoot.environments.corpora.reading import find_pages, read_text
from folkmoot.environments.corpora.sources.folder import title_of
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.parse import parse_page
from folkmoot.sim.errors import CorpusError


def load_wikitext(
    path: Path | str, language: str | None = None, salt: bytes | None = None, *, name: str | None = None
) -> Corpus:
    """Read a Talk page, or all pages of a folder, as one community.

    User names become pseudonyms (10 hex digits) in actors, thread titles, page titles and texts. Comments that nobody
    signed are kept with the actor "unattributed" and counted. A title is the file's name without its suffix.

    Args:
        path: a file in UTF-8 (or UTF-16 with its mark), or a folder of .wikitext, .wiki, .mediawiki or .txt files.
        language: ISO 639-1 code of a known language; None: detected.
        salt: key of the pseudonyms; None: `find_salt()`.
        name: the community's name; None: "wikitext-" and the code.

    Raises:
        CorpusError: nothing there, a file is empty or not text, the language can't be told, or nothing is signed.
        ConfigError: the language isn't known.
    """
    files, other = find_pages(Path(path))
    if language is not None:
        load_language(language)
    texts = [(title_of(file, Path(path)), read_text(file)) for file in files]
    known = load_language(language or detect_language("\n".join(text for _, text in texts)))
    pages = [RawPage(title, text, parse_page(text, known)) for title, text in texts]
    signed = [page for page in pages if any(comment.by != "unattributed" for comment in page.parsed.comments())]
    if not signed:
        raise CorpusError(_unsigned(Path(path), pages, known))
    losses = Counter({"files of another kind": other, "pages without a signature": len(pages) - len(signed)})
    return _build(signed, known, salt or find_salt(), name or f"wikitext-{known.code}", losses)


def _unsigned(path: Path, pages: list[RawPage], language: Language) -> str:
    size = sum(len(page.text) for page in pages)
    return (
        f"{path}: 0 signed comments in {size} characters, at least 1 is needed; a signature is a user link "
        f"([[{language.user[0]}:...]]) before a timestamp such as {language.timestamps[0]!r}. "
        f"Read as {language.code!r}: is that the wiki's language (corpus.lang)?"
    )


def _build(pages: list[RawPage], language: Language, salt: bytes, name: str, losses: Counter[str]) -> Corpus:
    names, aliases = known_names(pages, language)
    builder = Builder(name, language, salt, Pseudonyms(salt, language, names, aliases), losses=losses)
    builder.names.spare(words_too((page.parsed for page in pages), builder.names))
    for page in pages:
        builder.add(page)
    if not builder.events:
        raise CorpusError(f"{name}: no comment in {len(pages)} pages carries a full date; at least 1 is needed")
    return Corpus(
        name=name,
        language=language.code,
        timezone=language.local_timezone,
        pages=builder.pages,
        events=tuple(builder.events),
        personas={},
        digest=digest(builder.events, builder.pages),
        losses=+builder.losses,
        facts={"pages": len(pages), "users": len(authors(pages))},
    )
