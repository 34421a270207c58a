"""What an editor sees: a handle on one version of the state."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from operator import neg
from typing import Generic, NamedTuple, TypeVar, overload

from folkmoot.environments.talk_page.feed import Feed
from folkmoot.environments.talk_page.state import State, Thread
from folkmoot.sim.discussion import ThreadInfo
from folkmoot.sim.errors import RuleError, did_you_mean
from folkmoot.sim.events import TextEvent

T = TypeVar("T")


class Lazy(Sequence[T], Generic[T]):
    """A sequence of known size whose items are looked up when they are asked for."""

    __slots__ = ("_get", "_size")

    def __init__(self, size: int, get: Callable[[int], T]) -> None:
        self._size = size
        self._get = get

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._get(i) for i in range(self._size)[index]]
        return self._get(range(self._size)[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._get, range(self._size))

    def __repr__(self) -> str:
        return repr(list(self))


class Place(NamedTuple):
    """What never changes.

    Attributes:
        articles: by page title.
        dated: thread -> its page's article as it was before the thread began, where that is known.
        language: ISO 639-1 code.
        archive_after: idle milliseconds before archiving.
    """

    articles: dict[str, str]
    dated: Mapping[str, str]
    language: str
    archive_after: float


class TalkPageView:
    """An editor's view (`sim.discussion.DiscussionView`): O(1) to make, and no later apply shows through it.

    A thread counts as archived where it had been archived by this version, or has been idle for
    `archive_after` milliseconds at `now`.
    """

    __slots__ = ("_pages", "_place", "_reads", "_shown", "_stale", "_state", "agent", "language", "now", "version")

    def __init__(
        self,
        state: State,
        agent: str,
        now: int,
        pages: tuple[str, ...] | None,
        place: Place,
    ) -> None:
        self.version = state.version
        self.agent = agent
        self.now = now
        self.language = place.language
        self._state = state
        self._shown = len(state.comments)
        self._pages = pages
        self._place = place
        self._stale = now - place.archive_after
        self._reads: dict[str, None] = {}

    @property
    def reads(self) -> tuple[str, ...]:
        """Ids of the threads that have been read through this view, in the order of first reading."""
        return tuple(self._reads)

    @property
    def pages(self) -> tuple[str, ...]:
        """Titles of the pages that this agent watches; all pages where it watches none."""
        return tuple(self._place.articles) if self._pages is None else self._pages

    def article(self, page: str, thread: str | None = None) -> str:
        """Text of the article that the page is about, "" where there is none; as of this thread's beginning, if known.

        Raises:
            RuleError: there is no such page.
        """
        if thread is not None and (dated := self._place.dated.get(thread)) is not None:
            return dated
        try:
            return self._place.articles[page]
        except KeyError:
            raise RuleError(f"no page {page!r}; {did_you_mean(page, self._place.articles)}") from None

    def threads(self) -> Sequence[ThreadInfo]:
        """All threads of all pages, oldest first; O(1), each line O(log n) when it is read."""
        opened = self._state.opened
        size = bisect_left(opened, self._shown, key=lambda thread: thread.positions[0])
        return Lazy(size, lambda index: self._line(opened[index]))

    def recent(self, limit: int) -> Sequence[ThreadInfo]:
        """Up to `limit` threads on watched, unprotected pages that aren't archived, most recently active first."""
        state = self._state
        positions = list(islice(self._live() if self.version == state.version else self._then(), limit))
        while positions and state.times[positions[-1]] <= self._stale:
            positions.pop()
        return [state.lines[position] for position in positions]

    def thread(self, thread: str) -> ThreadInfo:
        """One line of the list.

        Raises:
            RuleError: there is no such thread in this version.
        """
        return self._line(self._find(thread))

    def comments(self, thread: str) -> Sequence[TextEvent]:
        """The comments of a thread, opening first; counts as reading it.

        Raises:
            RuleError: there is no such thread in this version.
        """
        found = self._find(thread)
        self._reads[thread] = None
        return Lazy(self._size(found), found.comments.__getitem__)  # a copy would touch every comment of a long thread

    def mentions(self) -> Sequence[TextEvent]:
        """Comments that answer or mention this agent, newest first; its own excepted."""
        positions = self._state.addressed.get(self.agent, [])
        size = bisect_left(positions, self._shown)
        comments = self._state.comments
        return Lazy(size, lambda index: comments[positions[size - 1 - index]])

    def event(self, seq: int) -> TextEvent | None:
        """A comment by its seq, None if it isn't in this version."""
        position = self._state.at.get(seq)
        return None if position is None or position >= self._shown else self._state.comments[position]

    def _feeds(self) -> list[Feed]:
        state = self._state
        if self._pages is None:
            return [state.feed]
        return [state.feeds[page] for page in self._pages if page in state.feeds and page not in state.protected]

    def _live(self) -> Iterator[int]:
        """Newest touches of the watched threads that are open, last first, while this version is the state's."""
        newest = [feed.newest() for feed in self._feeds()]
        return newest[0] if len(newest) == 1 else merge(*newest, reverse=True)

    def _then(self) -> Iterator[int]:
        """The same at an earlier version."""
        state = self._state
        lines, closed = state.lines, state.closed
        if not closed:
            return self._touches()
        return (p for p in self._touches() if not state.is_closed(lines[p].id, self.version))

    def _touches(self) -> Iterator[int]:
        """Newest touches of the watched threads, last first: the heads of the feeds, and only then what lies below."""
        shown, before, feeds = self._shown, self._state.before, self._feeds()
        heads = [feed.head(shown, before) for feed in feeds]
        known = heads[0][0] if len(heads) == 1 else sorted(chain(*(head for head, _ in heads)), reverse=True)
        floor = max((below for _, below in heads), default=0)
        sure = bisect_right(known, -floor, key=neg)
        yield from islice(known, sure)
        rests = (feed.rest(below, shown, before) for feed, (_, below) in zip(feeds, heads, strict=True))
        yield from merge(known[sure:], *rests, reverse=True)

    def _size(self, thread: Thread) -> int:
        return bisect_left(thread.positions, self._shown)

    def _find(self, thread: str) -> Thread:
        found = self._state.threads.get(thread)
        if found is None or found.positions[0] >= self._shown:
            newest = [line.id for line in islice(reversed(self.threads()), 100)]
            raise RuleError(f"no thread {thread!r} in version {self.version}; {did_you_mean(thread, newest)}")
        return found

    def _line(self, thread: Thread) -> ThreadInfo:
        position = thread.positions[self._size(thread) - 1]
        line = self._state.lines[position]
        archived = self._state.times[position] <= self._stale or self._state.is_closed(thread.id, self.version)
        return line._replace(archived=True) if archived else line
