"""Words and sentences, the same for all languages: one splitter, named in every output.

Rules, not a model: a sentence ends at `. ! ?` (and their runs) before white space or a closing mark,
at the full stops of other scripts, and at a line break. A full stop doesn't end one after an
abbreviation of `ABBREVIATIONS`, after a single letter (initials) or before a lower-case letter.
"""

import re
from collections.abc import Iterator

SPLITTER = "folkmoot-sentences/1"
"""Name and version of the sentence splitter; it changes whenever any count may change."""

WORD_EDGES = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240)
"""Upper edges (exclusive) of the words-per-comment histogram; the last bin is open."""

_ABBREVIATIONS = {
    "en": "approx ca cf ch dept eds e.g eg fig figs i.e jr mr mrs ms nos nr pp prof rev sr st u.s u.k vols vs dr p.s",
    "de": "abs allg anm bd bsp bspw bzgl bzw d.h evtl ggf inkl insb jh kap mio mrd o.ä o.g sog u.a v.a vgl z.b z.t",
    "es": "admón avda d.c dña ee.uu fdo gral núm pág págs p.ej sra srta sres",
    "fr": "apr c.-à-d chap éd mm mme mlle p.ex",
    "it": "avv cfr dott dott.ssa ing p.es pag pagg sig sig.ra sigg",
}
ABBREVIATIONS = frozenset(token for tokens in _ABBREVIATIONS.values() for token in tokens.split())
"""Abbreviations after which a full stop ends no sentence; words that often end one (etc., no., art.) aren't here."""

_SCRIPTS = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_SCRIPTS}]|[^\W_{_SCRIPTS}]+(?:['\u2019\u00b7.\-][^\W_{_SCRIPTS}]+)*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:['.\-][A-Za-z0-9]+)*")  # the same words, three times faster
_ALONE = re.compile(f"[{_SCRIPTS}]")
_LETTER = re.compile(r"[^\W_]")
_CLOSERS = "\"'\u00bb\u201d\u2019\u201c)\\]\u300d\u300f\uff09"
_WIDE = "\u3002\uff01\uff1f\uff61"  # full stops of Chinese and Japanese: no space follows them
_STOPS = ".!?\u2026\u0964\u0965\u06d4\u061f\u1362\u0589"
# Not `[...]+`: only a set that stands alone at the front is searched fast.
_MARK = re.compile(rf"[\n{_WIDE}{_STOPS}][\n{_WIDE}{_STOPS}]*[{_CLOSERS}]*")
_NEXT = re.compile(r"[ \t]+(\S)")
_LONGEST = max(map(len, ABBREVIATIONS)) + 4
_OPENERS = "([\"'\u00ab\u201e\u201c\u00bf\u00a1"


def words(text: str) -> list[str]:
    """The words: runs of letters and digits, joined by inner apostrophes, hyphens and full stops.

    A Han or Kana character is a word of its own, since nothing separates words there.

    >>> words("L'été, c'est e.g. 3.5 co-op")
    ["L'été", "c'est", 'e.g', '3.5', 'co-op']
    >>> words("好的 ok")
    ['好', '的', 'ok']
    """
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def alone(character: str) -> bool:
    """Whether a character is a word of its own: Han and Kana.

    >>> alone("好"), alone("é")
    (True, False)
    """
    return _ALONE.match(character) is not None


def count_words(text: str) -> int:
    """Number of words, >= 0.

    >>> count_words("Thanks, I agree.")
    3
    """
    return len(words(text))


def sentences(text: str) -> list[str]:
    """The sentences that hold a word, stripped, in order.

    >>> sentences("See e.g. the talk page. I agree! 我同意。谢谢")
    ['See e.g. the talk page.', 'I agree!', '我同意。', '谢谢']
    """
    return [text[start:stop].strip() for start, stop in _spans(text)]


def count_sentences(text: str) -> int:
    """Number of sentences, >= 0; 0 where the text has no word.

    >>> count_sentences("Prof. A. Berg said so. Z. B. hier.")
    2
    """
    return sum(1 for _ in _spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and stop of each sentence that holds a word."""
    start = 0
    for mark in _MARK.finditer(text):
        stop = mark.end()
        if _ends(text, start, mark.start(), stop):
            if _LETTER.search(text, start, stop):
                yield start, stop
            start = stop
    if _LETTER.search(text, start):
        yield start, len(text)


def _ends(text: str, start: int, mark: int, stop: int) -> bool:
    """Whether the marks from `mark` to `stop` end a sentence.

    Not where a letter follows at once, and a lone full stop not after an abbreviation or an initial,
    nor before a lower-case letter.
    """
    first = text[mark]
    if first == "\n" or first in _WIDE or stop == len(text):
        return True
    if not text[stop].isspace():
        return "\n" in text[mark:stop]
    if first != "." or text[mark : mark + 2] == "..":
        return True
    following = _NEXT.match(text, stop)
    if following is not None and following[1].islower():
        return False
    before = text[max(start, mark - _LONGEST) : mark].rsplit(None, 1)
    return not (before and _abbreviated(before[-1].lstrip(_OPENERS)))


def _abbreviated(word: str) -> bool:
    return (len(word) == 1 and word.isalpha() and word != "I") or word.lower() in ABBREVIATIONS
