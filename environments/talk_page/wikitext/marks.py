"""All signatures of a page: people's own, those that templates give, and those that stand inside other templates."""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.late import late_name, undated_sentences
from folkmoot.environments.talk_page.wikitext.masking import Masked, outermost
from folkmoot.environments.talk_page.wikitext.phrases import Phrases
from folkmoot.environments.talk_page.wikitext.plain import plain_sign
from folkmoot.environments.talk_page.wikitext.signatures import Mark, Spans
from folkmoot.environments.talk_page.wikitext.signing import Chains, sign
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp, find_timestamps
from folkmoot.environments.talk_page.wikitext.unsigned import unsigned_marks, unsigned_templates

_START = attrgetter("start")


class Marks(NamedTuple):
    """Signatures in the order of the page; timestamps that name a zone but no user; dates that never were.

    `holders` are the outermost templates, other than those that sign for others, in which somebody signed;
    `phrases` says where the sentences of substituted unsigned templates stand.
    """

    found: list[Mark]
    without_user: int
    impossible: int
    holders: list[tuple[int, int]]
    phrases: Phrases


class _Finder:
    """Goes through the timestamps of a page."""

    def __init__(self, masked: Masked, language: Language) -> None:
        self.masked, self.language = masked, language
        self.text = masked.text
        self.chains = Chains(masked.text, language.code)
        self.inner = Chains(masked.lined, language.code)
        self.phrases = Phrases(masked.text, language)
        self.outer = Spans(masked.outer_starts, masked.outer_ends)
        self.without_user, self.impossible, self.until = 0, 0, 0
        self.holders: dict[tuple[int, int], None] = {}

    def run(self, signing: Spans) -> Iterator[Mark]:
        for stamp in find_timestamps(self.text, self.language):
            if signing and signing.around(stamp.start):
                continue
            holder = self.outer.around(stamp.start) if self.outer else None
            mark = self._inside(stamp, holder) if holder else self._outside(stamp)
            if mark is not None:
                self.until = mark.end
                yield mark

    def hold(self, places: Iterable[int]) -> None:
        """Count the templates around these places as holders."""
        around = (self.outer.around(place) for place in places)
        self.holders.update({span: None for span in around if span})

    def _outside(self, stamp: Timestamp) -> Mark | None:
        mark = sign(stamp, self.chains, self.until) or self._without_link(stamp)
        if mark is None or not mark.author:
            self.impossible += stamp.time is None
            self.without_user += stamp.zoned
        elif self.phrases.stems and mark.by == "signed" and self.phrases.before(mark.start) is not None:
            return mark._replace(by="unsigned_template")
        return mark

    def _without_link(self, stamp: Timestamp) -> Mark | None:
        late = late_name(stamp, self.text, self.phrases, self.language)
        if late is not None or not stamp.zoned or stamp.time is None:
            return late
        return plain_sign(stamp, self.text, self.until, self.chains)

    def _inside(self, stamp: Timestamp, holder: tuple[int, int]) -> Mark | None:
        """A signature in a parameter: with a zone, a link, and the parameter's end behind it."""
        if not stamp.zoned or not self._ends_parameter(stamp.end, holder[1]):
            return None
        mark = sign(stamp, self.inner, max(self.until, holder[0] + 2))
        if mark is None:
            return None
        self.holders[holder] = None
        return mark._replace(by="in_template")

    def _ends_parameter(self, position: int, end: int) -> bool:
        rest = self.masked.lined[position : min(end, position + 80)].lstrip(" \t\r)'.;,")
        return rest[:1] in {"", "|", "\n", "<"} or rest.startswith("}}")


def find_marks(masked: Masked, language: Language) -> Marks:
    """All signatures, each comment's end."""
    calls = unsigned_templates(masked, language)
    finder = _Finder(masked, language)
    signing = outermost([(call.start, call.end) for call in calls])
    spans = Spans([start for start, _ in signing], [end for _, end in signing])
    marks = [*finder.run(spans), *unsigned_marks(masked, calls, language)]
    finder.hold(call.start for call in calls if call.depth)
    marks.sort(key=_START)
    if finder.phrases.stems:
        marks += list(undated_sentences(masked.text, finder.phrases, marks, language))
        marks.sort(key=_START)
    return Marks(marks, finder.without_user, finder.impossible, list(finder.holders), finder.phrases)
