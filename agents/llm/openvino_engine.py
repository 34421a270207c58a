"""Continuous batching on the CPU: a thread that owns the pipeline and steps it while there is work."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from folkmoot.agents.llm.runtime import genai, openvino
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Sampling

Done = Callable[[list[int] | None, str, BaseException | None], None]
"""Called with (generated ids, finish reason, None) or (None, "", error), from the engine's thread or a closing one."""


@dataclass(eq=False, slots=True)
class Request:
    """One completion on its way. `stops` looks at all ids so far and says whether to stop there."""

    ids: Sequence[int]
    sampling: Sampling
    seed: int
    stops: Callable[[list[int]], bool] | None
    done: Done
    cancelled: bool = False
    """Set by the asker; the engine drops the request at its next step."""
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
        self._lock = threading.Lock()
        self._closed = False
        self._worker = ThreadPoolExecutor(1, "folkmoot-embedded")
        self._serving = False
        self._active: list[Request] = []
        self._pipeline: Any = None
        self._serial = 0

    def submit(self, request: Request) -> None:
        """Queue a request; its `done` is called once, unless it is cancelled."""
        with self._lock:
            if self._closed:
                raise ModelError("the embedded model is closed; build a new one")
            self._waiting.append(request)
            if not self._serving:
                self._serving = True
                self._worker.submit(self._serve).add_done_callback(self._ended)

    def close(self) -> None:
        """Drop what is running, tell who still waits that no answer will come, end the thread; may be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        try:
            self._worker.submit(self._drain).result()
        finally:
            self._worker.shutdown()
            self._fail_all(ModelError("the embedded model was closed before it answered; build a new one"))

    def _serve(self) -> None:
        """Step while there is work; what it raises is told to the askers by `_ended`."""
        while self._next():
            if self._pipeline is None:
                self._pipeline = self._load()
            self._begin()
            self._pipeline.step()
            self._active = [request for request in self._active if not self._finished(request)]

    def _next(self) -> bool:
        """Take in what waits, as far as there is room; whether there is anything to do."""
        with self._lock:
            while self._waiting and len(self._active) < self._most:
                request = self._waiting.popleft()
                if not request.cancelled:
                    self._active.append(request)
            # A program that ends doesn't wait for answers that nobody will read.
            goes_on = not self._closed and threading.main_thread().is_alive()
            self._serving = goes_on and (bool(self._active) or self._unsettled())
            return self._serving

    def _ended(self, done: "Future[None]") -> None:
        """Where the runtime broke, all that it held fails, and the next request starts it anew."""
        error = done.exception()
        if error is not None:
            self._fail_all(error)

    def _fail_all(self, error: BaseException) -> None:
        with self._lock:
            broken = [*self._active, *self._waiting]
            self._active, self._pipeline, self._serving = [], None, False
            self._waiting.clear()
        for request in broken:
            if not request.cancelled:
                request.done(None, "", error)

    def _unsettled(self) -> bool:
        """Whether the pipeline still holds a request that was stopped or cancelled: a step lets it go."""
        return self._pipeline is not None and bool(self._pipeline.has_non_finished_requests())

    def _drain(self) -> None:
        for request in self._active:
            if request.handle is not None:
                request.handle.cancel()
        while self._unsettled():
            self._pipeline.step()
        self._pipeline = None

    def _begin(self) -> None:
        for request in self._active:
            if request.handle is not None:
                continue
            ids = openvino().Tensor(np.asarray([request.ids], np.int64))
            request.handle = self._pipeline.add_request(self._serial, ids, self._settings(request))
            self._serial += 1

    def _settings(self, request: Request) -> Any:
        sampling, config = request.sampling, genai().GenerationConfig()
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
        handle, library = request.handle, genai()
        if request.cancelled:
            handle.cancel()
            return True
        status = handle.get_status()
        while handle.can_read():
            for output in handle.read().values():
                request.made += output.generated_ids
                if output.finish_reason == library.GenerationFinishReason.LENGTH:
                    request.done(request.made, "length", None)
                    return True
        if request.stops is not None and request.stops(request.made):
            handle.stop()
            request.done(request.made, "stop", None)
            return True
        if status == library.GenerationStatus.IGNORED:
            request.done(None, "", ModelError(_TOO_LONG.format(len(request.ids))))
            return True
        if status != library.GenerationStatus.RUNNING:
            request.done(request.made, "stop", None)
            return True
        return False


_TOO_LONG = (
    "embedded: a prompt of {} tokens doesn't fit into the key-value cache; raise llm.cache_gb or lower llm.window"
)
