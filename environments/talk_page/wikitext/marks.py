"""All signatures of a page, people's own and those that templates give."""

from bisect import bisect_left
from dataclasses import dataclass

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import Masked
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
    marks = unsigned_marks(masked, links, language)
    without_user, impossible, until = 0, 0, 0
    for stamp in find_timestamps(masked.text, language):
        if _in_template(stamp, masked):
            continue
        mark = sign(stamp, masked.text, links, until, language)
        impossible += stamp.time is None
        without_user += stamp.zoned and mark is None
        if mark is not None:
            marks.append(mark)
            until = mark.end
    return Marks(sorted(marks, key=lambda mark: mark.start), without_user, impossible)


def _in_template(stamp: Timestamp, masked: Masked) -> bool:
    index = bisect_left(masked.outer_starts, stamp.start) - 1
    return index >= 0 and stamp.start < masked.outer_ends[index]
