"""What an author had said elsewhere before a target: the history that may be shown, and nothing of the target itself.

A history item is left out by id, by text and by time:

1. its thread is the target's;
2. it is the target's thread under another id: one of its comments has the words of a comment of that thread (over
   8 words, `leakage.text_key`), or the same author, minute and words;
3. of what stays, only comments before the target's instant.

Rule 2 looks at the whole thread, the target and what follows included, so a text that an author posted in several
places never gives the target away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.leakage import text_key
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.talk_page.events import ThreadOpened
from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class _Marks:
    """How a thread is known again: keys of its long texts, and (minute, words) of an author's comments."""

    keys: frozenset[bytes]
    moments: frozenset[tuple[int, str]]


def _words(text: str) -> str:
    return " ".join(text.lower().split())


class Histories:
    """All that each author said, by thread: what the corpus's personas remember, and their comments in the corpus.

    Args:
        corpus: the community; comments of unknown authors and without text aren't history.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._threads = corpus.threads()
        self._items = _items(corpus.personas, self._threads)
        self._keys = {
            id(item): frozenset(key for c in item.comments if (key := text_key(c.text)))
            for items in self._items.values()
            for item in items
        }
        self._marks: dict[tuple[str, str], _Marks] = {}

    def size(self, user: str) -> int:
        """Comments of this author that are known."""
        return sum(len(item.comments) for item in self._items.get(user, ()))

    def items(self, user: str) -> Sequence[HistoryThread]:
        """All items of an author, whatever the target."""
        return self._items.get(user, ())

    def before(self, target: TextEvent) -> tuple[HistoryThread, ...]:
        """The items that may be shown to who writes this comment."""
        marks = self._marks_of(target.thread, target.actor)
        found = []
        for item in self._items.get(target.actor, ()):
            if item.comments[0].time >= target.time or self._is_thread(item, target.thread, marks):
                continue
            earlier = tuple(comment for comment in item.comments if comment.time < target.time)
            whole = len(earlier) == len(item.comments)
            found.append(item if whole else item.model_copy(update={"comments": earlier}))
        return tuple(found)

    def _marks_of(self, thread: str, user: str) -> _Marks:
        if (thread, user) not in self._marks:
            events = self._threads[thread]
            keys = frozenset(key for event in events if (key := text_key(event.text)))
            own = (event for event in events if event.actor == user)
            self._marks[thread, user] = _Marks(keys, frozenset((e.time // _MINUTE, _words(e.text)) for e in own))
        return self._marks[thread, user]

    def _is_thread(self, item: HistoryThread, thread: str, marks: _Marks) -> bool:
        if item.thread == thread or not marks.keys.isdisjoint(self._keys[id(item)]):
            return True
        return any((comment.time // _MINUTE, _words(comment.text)) in marks.moments for comment in item.comments)


def _items(
    personas: Mapping[str, Persona], threads: Mapping[str, Sequence[TextEvent]]
) -> dict[str, tuple[HistoryThread, ...]]:
    """Author -> items, comments by time; a thread of the corpus that a persona remembers already isn't added again."""
    found: dict[str, list[HistoryThread]] = {user: list(persona.history) for user, persona in personas.items()}
    known = {
        user: {(comment.time, comment.text) for item in items for comment in item.comments}
        for user, items in found.items()
    }
    for thread, events in threads.items():
        title = next((event.title for event in events if isinstance(event, ThreadOpened)), "")
        own: dict[str, list[HistoryComment]] = {}
        for event in events:
            new = (event.time, event.text) not in known.get(event.actor, ())
            if new and event.actor != UNATTRIBUTED and event.text:
                own.setdefault(event.actor, []).append(HistoryComment(time=event.time, text=event.text))
        for user, comments in own.items():
            found.setdefault(user, []).append(HistoryThread(thread=thread, title=title, comments=tuple(comments)))
    return {user: tuple(map(_sorted, filter(_said, items))) for user, items in found.items()}


def _said(item: HistoryThread) -> bool:
    return any(comment.text for comment in item.comments)


def _sorted(item: HistoryThread) -> HistoryThread:
    comments = tuple(sorted((c for c in item.comments if c.text), key=lambda c: c.time))
    return item if comments == item.comments else item.model_copy(update={"comments": comments})
