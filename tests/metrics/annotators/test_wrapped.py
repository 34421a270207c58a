"""Annotators around an annotator."""

import asyncio

from folkmoot.metrics.annotations import utterances
from folkmoot.metrics.annotators.base import ACTS
from folkmoot.metrics.annotators.wrapped import Once
from folkmoot.sim.events import TextEvent


class Turning:
    """Never answers the same twice; every third time not at all."""

    name, version, labels, context = "turning", "7", ACTS, 1

    def __init__(self):
        self.asked = []
        self.counts = {"odd": 2}

    async def annotate(self, batch):
        """The next acts."""
        self.asked += [one.event.seq for one in batch]
        first = len(self.asked)
        return [None if (first + place) % 3 == 0 else (ACTS[first + place],) for place in range(len(batch))]


def said(seq, text="x"):
    """A comment."""
    return TextEvent(
        seq=seq,
        time=seq,
        actor="a",
        community="c",
        origin="simulated",
        thread="t",
        parent=None,
        text=text,
        language="en",
    )


def test_each_event_is_labelled_once():
    """Law: whoever asks again, for whichever part of the log, gets the first answer, a None too; nothing is asked twice."""
    inner = Turning()
    once = Once(inner)
    log = utterances([said(seq) for seq in range(6)], 1)

    async def main():
        first = await once.annotate(log[:4])
        both = await once.annotate(log)
        return first, both, await once.annotate(log[2:3]), await once.annotate([])

    first, both, part, none = asyncio.run(main())
    assert both[:4] == first
    assert None in both
    assert (part, none) == (both[2:3], [])
    assert inner.asked == list(range(6))


def test_equal_texts_of_two_events_are_two():
    """Law: what counts is the event, not its text."""
    inner = Turning()
    log = utterances([said(1), said(2)], 1)
    asyncio.run(Once(inner).annotate(log))
    assert inner.asked == [1, 2]


def test_it_says_of_itself_what_the_inner_one_says():
    """Law: name, version, labels, context and counts are the inner annotator's."""
    once = Once(Turning())
    assert (once.name, once.version, once.labels, once.context) == ("turning", "7", ACTS, 1)
    assert once.counts == {"odd": 2}
