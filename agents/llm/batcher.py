"""Concurrent requests, handled in batches by one worker thread."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from folkmoot.sim.errors import ModelError

Item = TypeVar("Item")
Result = TypeVar("Result")
Waiting = tuple[Item, "asyncio.Future[Any]"]


class Batcher(Generic[Item, Result]):
    """Hands what has gathered to `run`, in the thread that it owns.

    Args:
        name: of the thread, and in errors.
        run: items -> one result each; called in the worker thread only; its error goes to all who asked.
        most: items a batch.
        alike: items of one batch share this key.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Sequence[Item]], Sequence[Result]],
        most: int,
        alike: Callable[[Item], object] = lambda _: None,
    ) -> None:
        self._name = name
        self._run = run
        self._most = most
        self._alike = alike
        self._waiting: deque[Waiting[Item]] = deque()
        self._lock = threading.Lock()
        self._worker: ThreadPoolExecutor | None = ThreadPoolExecutor(1, name)

    async def __call__(self, item: Item) -> Result:
        """The item's result, after the batch that it was part of."""
        if self._worker is None:
            raise ModelError(f"{self._name} is closed; build a new one")
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting.append((item, future))
        job = _Job(self._take, self._run)
        self._worker.submit(job).add_done_callback(job.deliver)
        return await future

    def close(self) -> None:
        """End the thread after the batch at hand."""
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)
            self._worker = None

    def _take(self) -> list[Waiting[Item]]:
        """The next batch; empty where an earlier one has taken everything."""
        batch: list[Waiting[Item]] = []
        others: deque[Waiting[Item]] = deque()
        with self._lock:
            while self._waiting and len(batch) < self._most:
                item, future = self._waiting.popleft()
                if future.cancelled():
                    continue
                fits = not batch or self._alike(item) == self._alike(batch[0][0])
                (batch if fits else others).append((item, future))
            self._waiting.extendleft(reversed(others))
        return batch


class _Job(Generic[Item, Result]):
    """One visit of the worker: it takes what waits then, be it more than one request or none."""

    def __init__(
        self, take: Callable[[], list[Waiting[Item]]], run: Callable[[Sequence[Item]], Sequence[Result]]
    ) -> None:
        self._take = take
        self._run = run
        self._batch: list[Waiting[Item]] = []

    def __call__(self) -> Sequence[Result]:
        self._batch = self._take()
        return self._run([item for item, _ in self._batch]) if self._batch else ()

    def deliver(self, done: "Future[Sequence[Result]]") -> None:
        """Settle the askers' futures with their results, or all with the batch's error."""
        if done.cancelled():
            return
        error = done.exception()
        results = done.result() if error is None else [None] * len(self._batch)
        for (_, future), result in zip(self._batch, results, strict=True):
            hand_back(future, result, error)


def hand_back(future: "asyncio.Future[Result]", result: Result | None, error: BaseException | None) -> None:
    """Settle a future of an event loop from another thread; a loop that is gone needs no answer."""
    try:
        future.get_loop().call_soon_threadsafe(_settle, future, result, error)
    except RuntimeError:
        if not future.get_loop().is_closed():
            raise


def _settle(future: "asyncio.Future[Result]", result: Result | None, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)  # type: ignore[arg-type]  # a result is set wherever there is no error
