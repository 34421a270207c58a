"""Concurrent requests, handled in batches by one worker thread."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from folkmoot.sim.errors import FolkmootError, ModelError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """Hands what has gathered to `run`, in the thread that it owns.

    Args:
        name: of the thread, and in errors.
        run: items -> one result each; called in the worker thread only.
        most: items a batch.
        alike: items of one batch share this key (sampling settings, for example).
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
        self._waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self._news = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    async def __call__(self, item: Item) -> Result:
        """The item's result, after the batch that it was part of."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        with self._news:
            if self._closed:
                raise ModelError(f"{self._name} is closed; build a new one")
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self._thread.start()
            self._waiting.append((item, future))
            self._news.notify()
        return await future

    def close(self) -> None:
        """End the thread after the batch at hand."""
        with self._news:
            self._closed = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        while batch := self._next():
            try:
                results = self._run([item for item, _ in batch])
            except (RuntimeError, ValueError, TypeError, IndexError, OSError, FolkmootError) as error:
                known = error if isinstance(error, FolkmootError) else ModelError(f"{self._name}: {error}")
                for _, future in batch:
                    hand_back(future, None, known)
            else:
                for (_, future), result in zip(batch, results, strict=True):
                    hand_back(future, result, None)

    def _next(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        with self._news:
            while not self._waiting and not self._closed:
                self._news.wait()
            if self._closed:
                return []
            key = self._alike(self._waiting[0][0])
            batch: list[tuple[Item, asyncio.Future[Result]]] = []
            others: deque[tuple[Item, asyncio.Future[Result]]] = deque()
            while self._waiting and len(batch) < self._most:
                item, future = self._waiting.popleft()
                if future.cancelled():
                    continue
                (batch if self._alike(item) == key else others).append((item, future))
            self._waiting.extendleft(reversed(others))
        return batch or self._next()


def hand_back(future: asyncio.Future[Result], result: Result | None, error: Exception | None) -> None:
    """Settle a future of an event loop from another thread; a loop that is gone needs no answer."""
    try:
        future.get_loop().call_soon_threadsafe(_settle, future, result, error)
    except RuntimeError:
        if not future.get_loop().is_closed():
            raise


def _settle(future: asyncio.Future[Result], result: Result | None, error: Exception | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)  # type: ignore[arg-type]  # a result is set wherever there is no error
