"""A language model looks a split thread through; what it changes is taken only if no text is lost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from folkmoot.environments.corpora.modelpass import pass_asker
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED, user_links
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.revision.partition import TextLost, check_partition
from folkmoot.environments.corpora.revision.prompt import in_order, minute, revision_messages
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps
from folkmoot.sim.asking import TOO_LONG, UnusableAnswer
from folkmoot.sim.protocols import LanguageModel

RIGHT, REVISED = "right", "revised"
IRRECOVERABLE = "the model can't tell who wrote what"
LOST = "the model lost or changed text"
STRANGER = "the model named a user or a time that the thread doesn't"
NO_JSON = "the model's answer is no split thread"


@dataclass(frozen=True, slots=True)
class Revision:
    """What became of a thread.

    Attributes:
        reason: RIGHT, REVISED, or why the thread is flagged.
        thread: as it is now; None where it is flagged.
        repaired: the first answer couldn't be used.
        told: what was wrong with the last answer, in words.
    """

    reason: str
    thread: ThreadRecord | None
    repaired: bool = False
    told: str = ""


class Reviser:
    """Revises threads.

    Args:
        model: in a pool with a cache every answer is kept.
        language: of the wiki.
        max_tokens: of an answer, beside twice the thread's own words.
        seed: names the calls' seeds.
    """

    def __init__(self, model: LanguageModel, language: Language, max_tokens: int = 300, seed: int = 0) -> None:
        self._language = language
        self._asker = pass_asker(model, max_tokens, seed, "revision")

    async def revise(self, thread: ThreadRecord, raw: str) -> Revision:
        """The thread corrected, as it is, or flagged; asked again once where the answer can't be used.

        Args:
            thread: as the parser split it.
            raw: its wikitext, names replaced.

        Raises:
            ModelError: the call failed for good.
        """
        messages = revision_messages(thread, raw)
        tokens = self._asker.max_tokens + self._asker.model.count_tokens(messages)  # which hold the thread twice
        asker = replace(self._asker, max_tokens=tokens)
        if not asker.fits(messages):
            return Revision(TOO_LONG, None)
        reply = await asker.ask(messages, lambda answer: self._read(answer.text, thread, raw), (thread.id,))
        if reply.value is None:
            return Revision(reply.reason, None, told=reply.told)
        return replace(reply.value, repaired=reply.repaired)

    def _read(self, answer: str, thread: ThreadRecord, raw: str) -> Revision:
        given = _comments(answer)
        if given is None:
            return Revision(IRRECOVERABLE, None)
        before = in_order(thread.comments)
        try:
            check_partition([c.text for c in before], [text for _, _, text in given], self._language)
        except TextLost as lost:
            raise UnusableAnswer(LOST, str(lost)) from lost
        if [(c.actor, minute(c.time), c.text.split()) for c in before] == [(u, t, x.split()) for u, t, x in given]:
            return Revision(RIGHT, thread)
        times = self._times(thread, raw)
        users = {UNATTRIBUTED, *(c.actor for c in before), *user_links(raw, self._language)}
        for user, time, _ in given:
            if user not in users or time not in times:
                raise UnusableAnswer(STRANGER, f"{user!r} at {time!r} isn't in the raw thread")
        return Revision(REVISED, _rebuilt(thread, before, given, times))

    def _times(self, thread: ThreadRecord, raw: str) -> dict[str, int]:
        """Minute as written -> ms."""
        stamps = (stamp.time for stamp in find_timestamps(raw, self._language))
        known = [*(c.time for c in thread.comments), *(time for time in stamps if time is not None)]
        return {minute(time): time for time in reversed(known)}


def _comments(answer: str) -> list[tuple[str, str, str]] | None:
    """(user, time, text) of each comment of an answer; None where the model gives the thread up."""
    start = answer.find('{"thread"')
    try:
        found: Any = json.JSONDecoder().raw_decode(answer, start)[0] if start >= 0 else json.loads(answer)
        thread = found["thread"]
        if thread is None:
            return None
        given = [(str(c["user"]), str(c["time"]), str(c["text"])) for c in thread]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableAnswer(NO_JSON, f"it is not an object with the key thread ({type(error).__name__})") from error
    if not given:
        raise UnusableAnswer(LOST, "it holds no comment")
    return given


def _rebuilt(
    thread: ThreadRecord,
    before: Sequence[CommentRecord],
    given: Sequence[tuple[str, str, str]],
    times: dict[str, int],
) -> ThreadRecord:
    """The thread with the new borders; a piece keeps what was known of the comment that its first word stood in."""
    origins = _origins(before, [text for _, _, text in given])
    places: dict[int, int] = {}
    for place, origin in enumerate(origins):
        places.setdefault(origin, place)
    old = {id(comment): number for number, comment in enumerate(thread.comments)}
    order = {old[id(comment)]: number for number, comment in enumerate(before)}
    comments = []
    for place, ((user, time, text), origin) in enumerate(zip(given, origins, strict=True)):
        kept = before[origin]
        first = places[origin] == place
        parent = places.get(order[kept.parent]) if first and kept.parent is not None else None if first else place - 1
        changed = (kept.actor, kept.text) != (user, text)
        comments.append(
            replace(
                kept,
                id=kept.id if first else f"{kept.id}r{place}",
                actor=user,
                time=times[time],
                parent=parent if parent is None or parent < place else None,
                by=("revised" if user != UNATTRIBUTED else "unattributed") if changed else kept.by,
                text=text,
            )
        )
    return replace(thread, comments=tuple(comments))


def _origins(before: Sequence[CommentRecord], revised: Sequence[str]) -> list[int]:
    """For each revised text, in which comment its first word stood."""
    owners = [number for number, comment in enumerate(before) for _ in comment.text.split()]
    words = [word for comment in before for word in comment.text.split()]
    found, place = [], 0
    for text in revised:
        own = text.split()
        while own and words[place : place + len(own)] != own and place < len(words):
            place += 1  # a signature that was taken away
        found.append(owners[min(place, len(owners) - 1)] if owners else 0)
        place += len(own)
    return found
