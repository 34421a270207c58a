"""Names that stand where a signature's link doesn't: behind the timestamp, or in a sentence that gives no date."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.phrases import PHRASE_REACH, Phrases
from folkmoot.environments.talk_page.wikitext.signatures import Mark, link_end, link_pattern, visible
from folkmoot.environments.talk_page.wikitext.signing import CHAIN_GAP
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp

_FAR = 600
"""Raw characters behind a timestamp, or in a line, that are looked at."""

_LEADS = " \t\r-\u2013\u2014~,;:.|()[]" + FILL
_CLOSES = " \t\r)].;,|\u2022\u00b7" + FILL
_DASH = re.compile(
    rf"(?:^|[:*#.!?)\u2026])[ \t]*$"
    rf"|(?:[-\u2013\u2014~\u2015]|&[mn]dash;)(?:<[^<>\n]{{0,200}}>|'{{2,}}(?!')|[ \t{FILL}(])*$"
)
_FAREWELL = 30
"""Visible characters before a lone name at the end of a line that are still a greeting ("regards, ...")."""


def late_name(stamp: Timestamp, text: str, phrases: Phrases, language: Language) -> Mark | None:
    """A signature whose name follows its timestamp: a link that ends the line, or the sentence of a template."""
    if stamp.time is None or not (stamp.zoned or text[stamp.end : stamp.end + 2].strip()[:1] == ")"):
        return None
    end = _line_end(text, stamp.end)
    linked = text.find("[[", stamp.end, end) >= 0
    match = link_pattern(language.code).search(text, stamp.end, end) if linked else None
    if match is None:
        return None
    name = canonical_name(match["user"] or match["edits"])
    last = _last_link(text, match, end, name, language)
    said = phrases.within(stamp.end, match.start()) is not None
    direct = stamp.zoned and not visible(text[stamp.end : match.start()]).strip(_LEADS)
    if not name or match["sub"] or not (said or direct) or visible(text[last:end]).strip(_CLOSES):
        return None
    return Mark(stamp.start, last, name, stamp.time, "unsigned_template" if said else "signed")


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start, start + _FAR)
    return end if end >= 0 else min(len(text), start + _FAR)


def _last_link(text: str, first: re.Match[str], end: int, name: str, language: Language) -> int:
    """Where the last of the links to the same user ends that follow one another."""
    last = link_end(text, first.end())
    for match in link_pattern(language.code).finditer(text, last, end):
        same = canonical_name(match["user"] or match["edits"]) == name
        if not same or len(visible(text[last : match.start()])) > CHAIN_GAP:
            break
        last = link_end(text, match.end())
    return last


def undated_sentences(text: str, phrases: Phrases, marks: Sequence[Mark], language: Language) -> Iterator[Mark]:
    """What substituted unsigned templates say of a comment whose date they don't know."""
    done = -1
    for stem in phrases.stems:
        end = _line_end(text, stem)
        index = bisect_left(marks, stem - PHRASE_REACH, key=lambda mark: mark.start)
        taken = any(mark.start - PHRASE_REACH < stem < mark.end <= end for mark in marks[index : index + 8])
        if stem < done or taken:
            continue
        match = link_pattern(language.code).search(text, stem, end)
        start = phrases.before(match.start()) if match else None
        if match is None or start is None or match["sub"]:
            continue
        name = canonical_name(match["user"] or match["edits"])
        done = _last_link(text, match, end, name, language)
        if name and not visible(text[done:end]).strip(_CLOSES):
            yield Mark(match.start(), done, name, None, "unsigned_template")


def undated_name(text: str, start: int, end: int, language: Language) -> Mark | None:
    """The signature without a time of day that ends a line: alone on it, or behind a dash or a sentence."""
    position = text.rfind("[[", max(start, end - _FAR), end)
    match = link_pattern(language.code).match(text, position) if position >= 0 else None
    if match is None or match["sub"] or not match["user"]:
        return None
    name, close = canonical_name(match["user"]), link_end(text, match.end())
    if not name or close == match.end() or not _nothing_more(text[close:end], language):
        return None
    before, first = _chained(text, start, position, name, language)
    led = _DASH.search(text, max(start, before - _FAR), before)
    if led is None and (first == position or len(visible(text[start:before]).strip()) > _FAREWELL):
        return None
    return Mark(before, end, name, None, "undated")


def _chained(text: str, start: int, position: int, name: str, language: Language) -> tuple[int, int]:
    """Where the first of the links to this user starts that end at `position`; twice, as a pair that may differ."""
    first = position
    for _ in range(4):
        earlier = text.rfind("[[", max(start, first - _FAR), first)
        match = link_pattern(language.code).match(text, earlier) if earlier >= 0 else None
        if match is None or canonical_name(match["user"] or match["edits"]) != name:
            break
        if len(visible(text[link_end(text, match.end()) : first])) > CHAIN_GAP:
            break
        first = earlier
    return first, first


def _nothing_more(rest: str, language: Language) -> bool:
    """Whether only closing marks follow, or a date without a time of day; nothing hidden (a renderer's stop)."""
    if FILL in rest:
        return False
    words = re.findall(r"\w+", visible(rest).lower())
    return all(word.isdigit() or word in language.months for word in words) and len(words) <= 3  # noqa: PLR2004 -- day, month, year
