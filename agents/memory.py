"""What an author remembers: earlier comments of its own, sampled, grouped by thread."""

from collections.abc import Iterable, Iterator

from folkmoot.agents.conditioning.scene import Recalled
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona
from folkmoot.sim.protocols import Activation

WINDOW = 50
"""Own comments of the simulation are looked for in so many recently active threads."""


def recall(
    history: Iterable[HistoryThread], activation: Activation, exclude: str | None, most: int
) -> tuple[Recalled, ...]:
    """Up to `most` of the author's comments, never from the thread written in, never later than now.

    If there are more, they are drawn without replacement from the activation's own stream `recall`.
    Threads are ordered by their first comment shown, oldest first; comments within them too (Wiki-Talkie).
    """
    pool = known(history, activation.now, exclude)
    if len(pool) > most:
        chosen = activation.rng("recall").choice(len(pool), size=most, replace=False)
        pool = [pool[index] for index in sorted(chosen.tolist())]
    return grouped(pool)


def known(
    history: Iterable[HistoryThread], now: int, exclude: str | None
) -> list[tuple[HistoryThread, HistoryComment]]:
    """The comments that may be recalled at this moment, each with its thread."""
    items = [item for item in history if item.thread != exclude]
    return [(item, comment) for item in items for comment in item.comments if comment.time < now]


def grouped(pool: Iterable[tuple[HistoryThread, HistoryComment]]) -> tuple[Recalled, ...]:
    """Comments by thread; threads by their first comment shown, oldest first."""
    threads: dict[str, tuple[str, list[HistoryComment]]] = {}
    for item, comment in sorted(pool, key=lambda pair: pair[1].time):
        threads.setdefault(item.thread, (item.title, []))[1].append(comment)
    return tuple(Recalled(title, tuple(comments)) for title, comments in threads.values())


def own(view: DiscussionView, agent: str) -> Iterator[HistoryThread]:
    """The agent's own comments of this simulation in the threads of its window, most recently active first."""
    for info in view.recent(WINDOW):
        mine = tuple(
            HistoryComment(time=event.time, text=event.text) for event in view.comments(info.id) if event.actor == agent
        )
        if mine:
            yield HistoryThread(thread=info.id, title=info.title, comments=mine)


def memories(persona: Persona, view: DiscussionView, *, remember: bool) -> Iterator[HistoryThread]:
    """The persona's recorded history and, if it is to remember, its comments of this simulation."""
    yield from persona.history
    if remember:
        recorded = {item.thread for item in persona.history}
        yield from (item for item in own(view, persona.id) if item.thread not in recorded)
