"""Weights & Biases, kept at arm's length.

W&B runs in a process of its own, fed by a thread through a bounded queue. So its import doesn't slow the start,
its console, exit hooks and signals aren't ours, and whatever hangs can be ended. At the first failure the sink
says so once and goes quiet.
"""

import json
import logging
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from pydantic import Field

from folkmoot.sim.persona import Frozen
from folkmoot.sim.sinks import wandb_process
from folkmoot.sim.sinks.redact import artifact_files, redact

_log = logging.getLogger("folkmoot.tracking")

MESSAGES = "wandb/messages.txt"
"""What W&B printed, in the run folder."""


class WandbConfig(Frozen):
    """Weights & Biases.

    Attributes:
        mode: `offline` needs no account and no network; `wandb sync` uploads such a run later.
        name: of the run; None: the run folder's name.
        group: None: the name of the folder that holds the run folder, so that a grid stands together.
        upload_text: also take files that hold text of the community (log, calls, annotations).
        start_timeout_s: W&B is given up if it hasn't started after so many seconds, which nobody waits for.
        finish_timeout_s: so many seconds the end of the run waits for W&B at most.
        queue_size: publish points that may wait for W&B; more are dropped and counted.
    """

    kind: Literal["wandb"] = "wandb"
    mode: Literal["offline", "online"] = "offline"
    project: str = "folkmoot"
    entity: str | None = None
    group: str | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    upload_text: bool = False
    start_timeout_s: float = Field(default=60.0, gt=0)
    finish_timeout_s: float = Field(default=60.0, gt=0)
    queue_size: int = Field(default=10_000, ge=1)


class WandbTracker:
    """See `sim.tracking.Tracker`."""

    def __init__(self, config: WandbConfig) -> None:
        self.config = config
        self.failures: Counter[str] = Counter()
        self._requests: queue.Queue[bytes] = queue.Queue(config.queue_size)
        self._process: subprocess.Popen[bytes] | None = None
        self._started = threading.Event()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._finished = False
        self._quiet = threading.Event()
        self._folder = Path()
        self._ended.set()

    # --- the run's side: nothing here waits, `finish` excepted ------------------------------------

    def start(self, config: Mapping[str, Any], run_dir: Path) -> None:
        """See `Tracker.start`."""
        self._folder = run_dir.absolute()
        self._ended.clear()
        names = self.config.model_dump(include={"project", "entity", "tags", "mode"})
        names["group"] = self.config.group or self._folder.parent.name
        names["name"] = self.config.name or self._folder.name
        self._put("start", **names, folder=self._folder, timeout=self.config.start_timeout_s, config=redact(config))
        threading.Thread(target=self._work, name="tracking", daemon=True).start()

    def log(self, step: int, scalars: Mapping[str, float]) -> None:
        """See `Tracker.log`."""
        self._put("log", step=step, scalars={name: float(value) for name, value in scalars.items()})

    def finish(
        self,
        state: str,
        summary: Mapping[str, Any],
        figures: Sequence[Path] = (),
        tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]] | None = None,
        artifact: Path | None = None,
    ) -> None:
        """See `Tracker.finish`."""
        deadline = monotonic() + self.config.finish_timeout_s
        files = list(artifact_files(artifact.absolute(), text=self.config.upload_text)) if artifact else []
        self._put(
            "finish",
            state=state,
            exit_code=0 if state == "finished" or state.startswith("stopped") else 1,
            summary=redact(summary),
            figures=[path.absolute() for path in figures],
            tables=dict(tables or {}),
            files=files,
        )
        if not self._ended.wait(max(0.0, deadline - monotonic())):
            self._fail("finish", f"not done within {self.config.finish_timeout_s:g} s")

    def _put(self, do: str, **facts: Any) -> None:
        if self._quiet.is_set():
            self.failures["dropped after the sink went quiet"] += 1
            return
        line = json.dumps({"do": do, **facts}, default=str) + "\n"
        try:
            self._requests.put_nowait(line.encode())
        except queue.Full:
            self.failures["dropped, queue full"] += 1
            if do == "finish":
                self._fail("finish", f"{self.config.queue_size} requests are still waiting")

    # --- W&B's side -------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            self._process = process = self._spawn()
        except OSError as error:
            self._fail("start", str(error))
            return
        if self._quiet.is_set():
            process.kill()
        threading.Thread(target=self._listen, args=(process,), name="tracking-answers", daemon=True).start()
        assert process.stdin is not None
        # A broken pipe is the end of the process; `_listen` finds out why.
        with process.stdin as requests, suppress(BrokenPipeError):
            requests.write(self._requests.get())
            if not self._started.wait(self.config.start_timeout_s):
                self._fail("start", f"not started within {self.config.start_timeout_s:g} s")
            while not self._ended.is_set():
                requests.write(self._requests.get())

    def _spawn(self) -> subprocess.Popen[bytes]:
        messages = self._folder / MESSAGES
        messages.parent.mkdir(parents=True, exist_ok=True)
        with messages.open("wb") as errors:
            # -P: the folder of the script isn't searched for modules; a session of its own: Ctrl-C isn't for it.
            return subprocess.Popen(  # noqa: S603 -- our own interpreter and file
                [sys.executable, "-P", wandb_process.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._finished = self._finished or line == b"finished\n"
            self._started.set()
        code = process.wait()
        process.stdout.close()
        if not self._finished:
            self._fail("run" if self._started.is_set() else "start", f"exit code {code}: {self._last_message()}")
        self._started.set()
        self._ended.set()
        with suppress(queue.Full):
            self._requests.put_nowait(b"")

    def _last_message(self) -> str:
        try:
            lines = (self._folder / MESSAGES).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError as error:
            return str(error)
        return next((line.strip() for line in reversed(lines) if line.strip()), "no message")[:300]

    def _fail(self, what: str, why: str) -> None:
        """Count the first failure and say so, end the process and be quiet from now on; what follows is its echo."""
        with self._lock:
            if self._quiet.is_set():
                return
            self._quiet.set()
        self.failures[what] += 1
        _log.warning("W&B is off from here on, the run isn't touched: %s failed (%s)", what, why)
        if self._process is not None:
            self._process.kill()
        self._ended.set()  # last: who waits for the end finds the failure counted and said
