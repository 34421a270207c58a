"""Continuous batching on the CPU: a thread that owns the pipeline and steps it while there is work."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Sampling

Done = Callable[[list[int] | None, str, Exception | None], None]
"""Called from the engine's thread with (generated ids, finish reason, None) or (None, "", error)."""


@dataclass(eq=False, slots=True)
class Request:
    """One completion on its way. `stops` looks at all ids so far and says whether to stop there."""

    ids: Sequence[int]
    sampling: Sampling
    seed: int
    stops: Callable[[list[int]], bool] | None
    done: Done
    cancelled: bool = False
    handle: Any = None
    made: list[int] = field(default_factory=list)


class Engine:
    """Serves requests until closed.

    Args:
        load: builds the pipeline; called in the engine's thread at the first request.
        most: requests in the pipeline at once.
        end: id of the token that ends an answer.
        repetition_penalty: 1 for none.
    """

    def __init__(self, load: Callable[[], Any], most: int, end: int, repetition_penalty: float = 1.0) -> None:
        self._load = load
        self._most = most
        self._end = end
        self._penalty = repetition_penalty
        self._waiting: deque[Request] = deque()
        self._news = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._pipeline: Any = None
        self._serial = 0

    def submit(self, request: Request) -> None:
        """Queue a request; its `done` is called once, unless it is cancelled."""
        with self._news:
            if self._closed:
                raise ModelError("the embedded model is closed; build a new one")
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="folkmoot-embedded", daemon=True)
                self._thread.start()
            self._waiting.append(request)
            self._news.notify()

    def cancel(self, request: Request) -> None:
        """Drop a request at the next step."""
        with self._news:
            request.cancelled = True
            self._news.notify()

    def close(self) -> None:
        """Drop what is running and end the thread."""
        with self._news:
            self._closed = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        active: list[Request] = []
        while (fresh := self._next(active)) is not None:
            try:
                if self._pipeline is None:
                    self._pipeline = self._load()
                self._begin(fresh, active)
                self._pipeline.step()
                active = [request for request in active if not self._finished(request)]
            except RuntimeError as error:
                self._fail([*active, *(request for request in fresh if request not in active)], error)
                active = []
        self._drain(active)

    def _next(self, active: list[Request]) -> list[Request] | None:
        """Requests that may start now; waits where nothing runs; None at the end."""
        with self._news:
            while not self._closed and not self._waiting and not active and not self._unsettled():
                self._news.wait()
            if self._closed:
                return None
            room = min(self._most - len(active), len(self._waiting))
            return [request for request in (self._waiting.popleft() for _ in range(room)) if not request.cancelled]

    def _unsettled(self) -> bool:
        """Whether the pipeline still holds a request that was stopped or cancelled: a step lets it go."""
        return self._pipeline is not None and bool(self._pipeline.has_non_finished_requests())

    def _drain(self, active: list[Request]) -> None:
        for request in active:
            request.handle.cancel()
        while self._unsettled():
            self._pipeline.step()
        self._pipeline = None

    def _begin(self, fresh: list[Request], active: list[Request]) -> None:
        import numpy as np
        from openvino import Tensor

        for request in fresh:
            ids = Tensor(np.asarray([request.ids], np.int64))
            request.handle = self._pipeline.add_request(self._serial, ids, self._settings(request))
            self._serial += 1
            active.append(request)

    def _settings(self, request: Request) -> Any:
        from openvino_genai import GenerationConfig

        sampling, config = request.sampling, GenerationConfig()
        config.max_new_tokens = sampling.max_tokens
        config.set_eos_token_id(self._end)
        config.repetition_penalty = self._penalty
        config.do_sample = sampling.temperature > 0
        if config.do_sample:
            config.temperature = sampling.temperature
            config.top_p = sampling.top_p
            config.rng_seed = request.seed
        return config

    def _finished(self, request: Request) -> bool:
        from openvino_genai import GenerationFinishReason, GenerationStatus

        handle = request.handle
        if request.cancelled:
            handle.cancel()
            return True
        status = handle.get_status()
        while handle.can_read():
            for output in handle.read().values():
                request.made += output.generated_ids
                if output.finish_reason == GenerationFinishReason.LENGTH:
                    request.done(request.made, "length", None)
                    return True
        if request.stops is not None and request.stops(request.made):
            handle.stop()
            request.done(request.made, "stop", None)
            return True
        if status == GenerationStatus.IGNORED:
            request.done(None, "", ModelError(_TOO_LONG.format(len(request.ids))))
            return True
        if status != GenerationStatus.RUNNING:
            request.done(request.made, "stop", None)
            return True
        return False

    def _fail(self, requests: list[Request], error: RuntimeError) -> None:
        """The pipeline broke: all that it held fails, and the next request gets a new one."""
        self._pipeline = None
        for request in requests:
            if not request.cancelled:
                request.done(None, "", ModelError(f"embedded: the runtime failed ({error})"))


_TOO_LONG = (
    "embedded: a prompt of {} tokens doesn't fit into the key-value cache; raise llm.cache_gb or lower llm.window"
)
