"""The raw names of a source, read again: what a corpus built from it must not hold."""

from collections.abc import Iterator

from folkmoot.environments.corpora.building import RawPage, known_names
from folkmoot.environments.corpora.sources.base import USER, USER_TALK, SourcePage, ThreadSource
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.parse import parse_page


def source_names(value: str, language: str) -> frozenset[str]:
    """Everybody who signs, is linked, or owns a page in a source; some 0.1 kB of memory a name.

    Args:
        value: as `folkmoot corpus build --from` takes it.
        language: ISO 639-1 code of the corpus.

    Raises:
        ConfigError, CorpusError: the source can't be read.
    """
    source = open_source(value, Request(value="", language=language))
    found: set[str] = set()
    if isinstance(source, ThreadSource):
        for thread in source.threads():
            found.update(comment.author for comment in thread.comments if comment.author)
        return frozenset(found)
    for page in source.pages():
        found.update(_of_page(page, load_language(language)))
    return frozenset(found)


def _of_page(page: SourcePage, language: Language) -> Iterator[str]:
    if page.namespace in {USER, USER_TALK}:
        yield page.title.partition(":")[2].partition("/")[0].strip()
    yield from known_names([RawPage(page.title, page.text, parse_page(page.text, language))], language)[0]
