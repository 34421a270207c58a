"""Which language a build reads, with the names that the wiki itself gives to its namespaces."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from folkmoot.environments.corpora.detect import SAMPLE, detect_language
from folkmoot.environments.corpora.sources.base import USER, USER_TALK, Sited, SourcePage, SourceThread, ThreadSource
from folkmoot.environments.corpora.sources.registry import Source
from folkmoot.environments.talk_page.wikitext.language import Language, load_language

PAGES = 200
"""Pages that are looked at to tell a language."""


def build_language(given: str | None, source: Source, again: Callable[[], Source]) -> Language:
    """The language given, else the source's, else the one that its pages are signed in or its comments written in.

    Args:
        given: ISO 639-1 code, or None.
        source: the source.
        again: opens the source anew, so that looking at its pages leaves no trace in its counts.

    Raises:
        ConfigError: a language without data.
        CorpusError: no page is signed in a known language.
    """
    split = isinstance(source, ThreadSource)  # its comments come without signatures
    code = given or source.language or detect_language(_sample(again()), signed=not split)
    language = load_language(code)
    return _with_names(language, source) if isinstance(source, Sited) else language


def _sample(source: Source) -> str:
    """The text of the first pages, comments of threads that are split already too."""
    texts, size = [], 0
    items: Iterator[SourcePage | SourceThread] = (
        source.threads() if isinstance(source, ThreadSource) else source.pages()
    )
    for item in islice(items, PAGES):
        text = _text(item)
        texts.append(text)
        size += len(text)
        if size > SAMPLE:
            break
    return "\n".join(texts)


def _text(item: SourcePage | SourceThread) -> str:
    return item.text if isinstance(item, SourcePage) else "\n".join(comment.text for comment in item.comments)


def _with_names(language: Language, source: Sited) -> Language:
    def names(own: tuple[str, ...], number: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*own, *source.namespaces.get(number, ()))))

    return replace(language, user=names(language.user, USER), user_talk=names(language.user_talk, USER_TALK))
