"""All signatures of a page, people's own and those that templates give."""

from bisect import bisect_left
from dataclasses import dataclass

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import Masked
from folkmoot.environments.talk_page.wikitext.plain import plain_sign
from folkmoot.environments.talk_page.wikitext.signatures import Mark, find_user_links, sign
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp, find_timestamps
from folkmoot.environments.talk_page.wikitext.unsigned import unsigned_marks


@dataclass(frozen=True, slots=True)
class Marks:
    """Signatures in the order of the page; timestamps that name a zone but no user; dates that never were."""

    found: list[Mark]
    without_user: int
    impossible: int


def find_marks(masked: Masked, language: Language) -> Marks:
    """All signatures. What stands in a template's parameters is no talk, except in templates that sign for others."""
    links = find_user_links(masked.text, language)
    pages = [link for link in links if not link.subpage]
    known = frozenset(link.name for link in links)
    marks = unsigned_marks(masked, pages, language)
    without_user, impossible, until = 0, 0, 0
    for stamp in find_timestamps(masked.text, language):
        if _in_template(stamp, masked):
            continue
        mark = (
            sign(stamp, masked.text, pages, until, language)
            or sign(stamp, masked.text, links, until, language)
            or plain_sign(stamp, masked.text, until, known)
        )
        impossible += stamp.time is None
        without_user += stamp.zoned and (mark is None or not mark.author)
        if mark is not None:
            marks.append(mark)
            until = mark.end
    return Marks(sorted(marks, key=lambda mark: mark.start), without_user, impossible)


def _in_template(stamp: Timestamp, masked: Masked) -> bool:
    index = bisect_left(masked.outer_starts, stamp.start) - 1
    return index >= 0 and stamp.start < masked.outer_ends[index]
