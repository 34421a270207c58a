"""A ranked page as the viewer reads it."""

from collections.abc import Iterator, Sequence
from typing import overload

from folkmoot.environments.social_feed.journal import Positions
from folkmoot.environments.social_feed.page import Competing
from folkmoot.environments.social_feed.state import State
from folkmoot.sim.feed import Shown, Standing


class Home(Sequence[Shown]):
    """The posts of a page by rank; put together when they are first read, for many a visitor only scrolls past.

    Args:
        indices: of the entries on the page.
    """

    __slots__ = ("_competing", "_indices", "_items", "_state")

    def __init__(self, state: State, competing: Competing, indices: Positions) -> None:
        self._state, self._competing, self._indices = state, competing, indices
        self._items: list[Shown] | None = None

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> Shown: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Shown]: ...
    def __getitem__(self, index: int | slice) -> Shown | Sequence[Shown]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> list[Shown]:
        if self._items is None:
            self._items = self._made()
        return self._items

    def _made(self) -> list[Shown]:
        posts, names, authors = self._state.posts, self._state.names, self._state.authors
        among, indices = self._competing, self._indices
        columns = [column[indices].tolist() for column in (among.entries, among.origins, among.followed, among.counts)]
        # What the classes' own constructors do, at a third of their time; this is the hottest loop of a feed.
        shown, standing, new = Shown, Standing, tuple.__new__
        return [
            new(
                shown,
                (posts[origin], rank, "" if entry == origin else names[authors[entry]], near, new(standing, counts)),
            )
            for rank, (entry, origin, near, counts) in enumerate(zip(*columns, strict=True))
        ]
