"""Personas of a raw corpus: what each user wrote before the instant of the split."""

from collections import Counter
from collections.abc import Sequence

from folkmoot.environments.corpora.leakage import text_key
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.talk_page.events import ThreadOpened
from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

DAY = 86_400_000
"""Milliseconds."""

Threads = Sequence[tuple[str, Sequence[TextEvent]]]


def build_personas(  # noqa: PLR0917 -- three parts of a corpus, and what to make of them
    language: str,
    history: Threads,
    before: Threads,
    instant: int,
    repeated: frozenset[bytes],
    least: int,
    losses: Counter[str],
) -> dict[str, Persona]:
    """One persona for each user with enough comments in the history part, most active first.

    Args:
        language: ISO 639-1 code of the community.
        history: threads that personas may remember.
        before: all threads that opened before the instant; rates are counted in them.
        instant: milliseconds; later comments don't count.
        repeated: `text_key`s that no memory may hold, because the reference holds them.
        least: comments that a user needs.
        losses: grows by what was left out.
    """
    memories = _memories(history, instant, repeated, losses)
    rates = _rates(before, instant)
    enough = {user: items for user, items in memories.items() if sum(len(i.comments) for i in items) >= least}
    losses[f"users without {least} comments in the history part"] += len(set(rates) - set(enough))
    ranked = sorted(enough, key=lambda user: (-rates[user], user))
    return {
        user: Persona(id=user, language=language, history=tuple(enough[user]), rate_per_day=rates[user])
        for user in ranked
    }


def _memories(
    history: Threads, instant: int, repeated: frozenset[bytes], losses: Counter[str]
) -> dict[str, list[HistoryThread]]:
    """User -> own comments by thread, oldest thread first."""
    memories: dict[str, list[HistoryThread]] = {}
    for thread, events in history:
        title = next((event.title for event in events if isinstance(event, ThreadOpened)), "")
        own: dict[str, list[HistoryComment]] = {}
        for event in events:
            if event.time >= instant or event.actor == UNATTRIBUTED or not event.text:
                continue
            if text_key(event.text) in repeated:
                losses["history comments whose text stands in the reference too"] += 1
                continue
            own.setdefault(event.actor, []).append(HistoryComment(time=event.time, text=event.text))
        for user, comments in own.items():
            memories.setdefault(user, []).append(HistoryThread(thread=thread, title=title, comments=tuple(comments)))
    return memories


def _rates(before: Threads, instant: int) -> dict[str, float]:
    """User -> comments a day from the first comment of anybody to the instant, at least one day, to 6 digits."""
    events = [event for _, thread in before for event in thread if event.time < instant]
    days = max((instant - min(event.time for event in events)) / DAY, 1.0)
    counts = Counter(event.actor for event in events if event.actor != UNATTRIBUTED)
    return {user: round(count / days, 6) for user, count in counts.items()}


def with_profile(persona: Persona, told: Persona | None) -> Persona:
    """A persona made from what somebody wrote, with what their user page and their traits tell."""
    if told is None:
        return persona
    return told.model_copy(update={"history": persona.history, "rate_per_day": persona.rate_per_day})
