"""What the watches of a run have in common: a monitor that asks a model, in a feed of its own beside a community.

A folder of its own in the run holds a line of each thing that it made, as it comes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import msgspec

from folkmoot.agents.llm.build import LLMConfig, build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.annotations import file_name
from folkmoot.metrics.reader import Reader
from folkmoot.metrics.records import Point, Record

OnPoint = Callable[[int, Mapping[str, float]], object]
"""Called at every publish point with the comments so far and the numbers, those of single agents left out."""

Made = TypeVar("Made", bound=Reader)


class Watch(ABC, Generic[Made]):
    """Watches one community; an async context in which its feed reads what is committed.

    Args:
        community: its name.
        folder: where the files go.
        on_point: told of publish points.
        private: how the names of numbers begin that aren't told.

    Attributes:
        feed: reads what is committed.
        records: points and alarms, in order.
    """

    feed: Made

    def __init__(self, community: str, folder: Path, on_point: OnPoint, private: tuple[str, ...] = ()) -> None:
        self.records: list[Record] = []
        self.community = community
        self._folder, self._on_point, self._private = folder, on_point, private
        self._files = AsyncExitStack()
        self._out: Any = None

    @abstractmethod
    async def finish(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Read what is left, write what is written at the end; the community's summary with the section."""

    async def __aenter__(self) -> Self:
        self._folder.mkdir(exist_ok=True)
        self._out = self._files.enter_context(self._path("jsonl").open("wb"))
        await self._files.enter_async_context(self.feed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._files.__aexit__(kind, error, trace)

    def _path(self, suffix: str) -> Path:
        return self._folder / f"{file_name(self.community)}.{suffix}"

    def _published(self, record: Record) -> None:
        self.records.append(record)
        if isinstance(record, Point):
            told = {name: value for name, value in record.values.items() if not name.startswith(self._private)}
            self._on_point(record.n, told)

    def _made(self, one: msgspec.Struct) -> None:
        self._out.write(msgspec.json.encode(one) + b"\n")
        self._out.flush()


def evaluator_of(given: LLMConfig | None, own: Pool, seed: int) -> tuple[Pool, bool]:
    """The evaluator that a monitor names, else the run's own model, and whether it is to be closed with the monitors.

    Raises:
        ModelMissing: its package or weights aren't installed.
    """
    return (own, False) if given is None else (build_pool(given, seed), True)
