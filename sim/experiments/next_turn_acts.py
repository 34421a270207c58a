"""Acts of recorded comments, for the condition `act_planned`: labelled once, read under the rules of history."""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from folkmoot.agents.conditioning.acts import Acts, Said, levels, mixture, pick
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.talk_page.events import CommentPosted
from folkmoot.metrics.annotations import label
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.next_turn_history import Histories
from folkmoot.sim.persona import HistoryThread, Persona
from folkmoot.sim.protocols import Activation, Annotator

Key = tuple[str, int, str]
"""Thread, time, text."""


class RecordedActs:
    """Implements `agents.conditioning.acts.ActSource` for a corpus that is re-enacted.

    An author's own comments are those of the persona handed in, which holds what may be shown for the target; the
    community's are all others before the target's instant and outside its thread.

    Args:
        corpus: the community.
        histories: what is remembered of threads outside the corpus.
        annotator: makes the annotator of acts; called at the first draw.
        smoothing: see `conf/condition/act_planned.yaml`.
    """

    def __init__(
        self, corpus: Corpus, histories: Histories, annotator: Callable[[], Annotator], smoothing: float
    ) -> None:
        self._corpus = corpus
        self._histories = histories
        self._annotator = annotator
        self._smoothing = smoothing
        self._lock = asyncio.Lock()
        self._said: dict[Key, Said] = {}
        self._community: Community | None = None

    async def draw(self, activation: Activation, persona: Persona, answered: TextEvent) -> Acts:
        """The acts of the comment that the persona writes now."""
        async with self._lock:
            community = self._community = self._community or await self._read()
        own = [self._said[key] for item in persona.history for key in _keys(item) if key in self._said]
        known = self._said.get((answered.thread, answered.time, answered.text))
        before = known.acts if known else None
        sources = [*levels(own, before), *community.levels(activation.now, answered.thread, before)]
        return pick(mixture(sources, self._smoothing), activation.uniform("acts"))

    async def _read(self) -> "Community":
        events = list(self._corpus.utterances())
        elsewhere = list(_remembered(self._corpus, self._histories))
        columns = await label([*events, *elsewhere], {"acts": self._annotator()}, None)
        acts: Mapping[int, Acts] = {seq: labels["acts"] or () for seq, labels in columns.items()}
        before = _previous(events)
        for event in (*events, *elsewhere):
            last = before.get(event.seq)
            said = Said(acts[event.seq], acts[last] if last is not None else None)
            self._said[event.thread, event.time, event.text] = said
        return Community((thread, time, said) for (thread, time, _), said in self._said.items())


class Community:
    """What everybody had said by an instant, without going through all of it.

    Args:
        comments: thread, time and acts of each comment, in any order.
    """

    def __init__(self, comments: Iterable[tuple[str, int, Said]]) -> None:
        self._times: dict[Said, list[int]] = {}
        self._threads: dict[str, list[tuple[int, Said]]] = {}
        for thread, time, said in sorted(comments, key=lambda one: one[1]):
            if said.acts:
                self._times.setdefault(said, []).append(time)
                self._threads.setdefault(thread, []).append((time, said))

    def levels(self, now: int, thread: str, before: Acts | None) -> list[Counter[Acts]]:
        """As `acts.levels`, over the comments before `now` outside `thread`."""
        counts = Counter({said: bisect_left(times, now) for said, times in self._times.items()})
        counts.subtract(said for time, said in self._threads.get(thread, ()) if time < now)
        given: Counter[Acts] = Counter()
        total: Counter[Acts] = Counter()
        for said, count in counts.items():
            total[said.acts] += count
            given[said.acts] += count if before is not None and said.before == before else 0
        return [+given, +total]


def _keys(item: HistoryThread) -> Iterable[Key]:
    return ((item.thread, comment.time, comment.text) for comment in item.comments)


def _previous(events: Sequence[TextEvent]) -> dict[int, int]:
    """Comment -> the one before it in its thread."""
    last: dict[str, int] = {}
    found: dict[int, int] = {}
    for event in events:
        if event.thread in last:
            found[event.seq] = last[event.thread]
        last[event.thread] = event.seq
    return found


def _remembered(corpus: Corpus, histories: Histories) -> Iterable[TextEvent]:
    """What personas remember of threads that aren't in the corpus, as events; numbered on from the corpus's."""
    here = corpus.threads().keys()
    seq = len(corpus.events)
    for user in sorted(corpus.personas):
        for item in histories.items(user):
            if item.thread in here:
                continue
            for comment in item.comments:
                yield CommentPosted(
                    seq=seq,
                    time=comment.time,
                    actor=user,
                    community=corpus.name,
                    origin="simulated",  # a candidate of nobody: an annotator of gold labels has none for it
                    thread=item.thread,
                    text=comment.text,
                    language=corpus.language,
                    page="",
                )
                seq += 1
