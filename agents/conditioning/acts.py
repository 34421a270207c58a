"""Dialog acts of the next comment: what a prompt says of them, and how they are drawn from what was said before.

Counts are smoothed by backing off, at each step by the share n / (n + smoothing):

    own comments after a comment with the same acts -> all own comments
    -> everybody's after the same acts -> everybody's

So an author with a long history is drawn from that history, and one with a short one is drawn towards the community.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Activation

Acts = tuple[str, ...]
"""Acts of one comment, in a fixed order."""

MEANINGS: Mapping[str, str] = {
    "CRITIQUE": "criticise something in the article or in an edit",
    "REQUEST": "propose an action or ask for one",
    "REFERENCE": "point to a source, a policy or a page",
    "COMMIT": "say what you are going to do",
    "REPORT": "say what you have done",
    "INFORM": "give information or put something right",
    "ASK": "ask a question",
    "POSITIVE": "agree with, thank or praise the other editor",
    "NEGATIVE": "disagree with, reject or complain about the other editor or the proposal",
    "PARTIAL": "accept one part and reject another",
}
"""What the prompt says of each act; a label that isn't here is named as it is."""


class Said(NamedTuple):
    """A comment as the draw knows it: its acts, and those of the comment before it (None where unknown)."""

    acts: Acts
    before: Acts | None = None


class ActSource(Protocol):
    """Who knows acts: an experiment, which has the annotator."""

    async def draw(self, activation: Activation, persona: Persona, answered: TextEvent) -> Acts:
        """The acts of the comment that the persona writes now, from the activation's stream `acts`; () for none."""


def levels(said: Iterable[Said], before: Acts | None) -> list[Counter[Acts]]:
    """Counts after a comment with these acts (empty where they are unknown), and counts of all."""
    known = [one for one in said if one.acts]
    return [
        Counter(one.acts for one in known if before is not None and one.before == before),
        Counter(one.acts for one in known),
    ]


def mixture(sources: Sequence[Counter[Acts]], smoothing: float) -> dict[Acts, float]:
    """Probabilities after backing off, in alphabetical order of the acts; {} where nothing was counted.

    >>> mixture([Counter({("ASK",): 1}), Counter({("ASK",): 1, ("INFORM",): 3})], smoothing=1.0)
    {('ASK',): 0.625, ('INFORM',): 0.375}
    """
    known = [source for source in sources if source]
    shares: Counter[Acts] = Counter()
    left = 1.0
    for place, source in enumerate(known):
        n = source.total()
        weight = left if place == len(known) - 1 else left * n / (n + smoothing)
        left -= weight
        for acts, count in source.items():
            shares[acts] += weight * count / n  # type: ignore[assignment]
    return dict(sorted(shares.items()))


def pick(shares: Mapping[Acts, float], uniform: float) -> Acts:
    """The acts at this point of the cumulative shares; () where there are none.

    >>> pick({("ASK",): 0.4, ("INFORM",): 0.6}, 0.5)
    ('INFORM',)
    """
    names = list(shares)
    place = bisect_right(list(accumulate(shares.values())), uniform)
    return names[min(place, len(names) - 1)] if names else ()


def in_words(acts: Acts) -> str:
    """The acts as the prompt names them.

    >>> in_words(("ASK", "POSITIVE"))
    'ask a question; agree with, thank or praise the other editor'
    """
    return "; ".join(MEANINGS.get(act, act.lower()) for act in acts)
