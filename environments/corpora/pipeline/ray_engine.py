"""The same work on Ray Data: on this machine, or on the cluster that RAY_ADDRESS names.

The stream is read here, as with local workers, and shards go to Ray a window at a time, while the next window is
being read. Workers write into the corpus's folder, so on a cluster it has to lie where all machines see it.
"""

import os
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.shards import Shard, ShardRecord, read_record, write_shard
from folkmoot.sim.errors import ConfigError, CorpusError, FolkmootError

WINDOW = 8
"""Shards of a window for each worker: what is in memory, twice over, and what a straggler may hold up."""

STORE_BYTES = 512 << 20
"""Bytes of Ray's object store where we start Ray ourselves."""


def run_on_ray(shards: Iterator[Shard], folder: Path, context: PageContext, workers: int) -> Iterator[ShardRecord]:
    """Write all shards; their records come as they get ready.

    Args:
        shards: the stream.
        folder: of the corpus, as the workers see it.
        context: what a worker needs.
        workers: tasks at a time.

    Raises:
        ConfigError: Ray isn't installed.
        CorpusError: a shard failed, or Ray did.
    """
    with _started(workers) as ray, ThreadPoolExecutor(1) as reader:
        window = partial(_window, shards, folder, workers * WINDOW)
        ahead = reader.submit(window)
        while (found := ahead.result()) is not None:
            ahead = reader.submit(window)
            done, waiting = found
            yield from done
            if waiting:
                yield from _written(ray, waiting, folder.resolve(), context, workers)


def _window(shards: Iterator[Shard], folder: Path, size: int) -> tuple[list[ShardRecord], list[Shard]] | None:
    """The next shards: records of those that are whole, and those that wait; None at the end."""
    done: list[ShardRecord] = []
    waiting: list[Shard] = []
    for shard in islice(shards, size):
        record = read_record(folder, shard)
        if record is None:
            waiting.append(shard)
        else:
            done.append(record)
    return (done, waiting) if done or waiting else None


def _written(ray: Any, shards: list[Shard], folder: Path, context: PageContext, workers: int) -> Iterator[ShardRecord]:
    rows = [{"shard": pickle.dumps(shard)} for shard in shards]
    data = ray.data.from_items(rows, override_num_blocks=len(rows))
    task = partial(_work, folder=str(folder), context=context)
    try:
        for row in data.map(task, concurrency=min(workers, len(rows))).iter_rows():
            if row["error"]:
                raise CorpusError(row["error"])
            yield msgspec.json.decode(row["record"], type=ShardRecord)
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise CorpusError(
            f"--engine ray: {said[-1][:300]}; build again (whole shards stay), or use --workers alone"
        ) from error


def _work(row: dict[str, bytes], folder: str, context: PageContext) -> dict[str, Any]:
    """One shard, in a worker; our own errors come back as words, since Ray passes on no others."""
    shard: Shard = pickle.loads(row["shard"])  # noqa: S301 -- pickled above, by the process that reads
    try:
        record = write_shard(shard, Path(folder), context)
    except FolkmootError as error:
        return {"record": b"", "error": str(error)}
    return {"record": msgspec.json.encode(record), "error": ""}


@contextmanager
def _started(workers: int) -> Iterator[Any]:
    """Ray, started here if nobody has; it tells nobody of its use."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = import_module("ray")
        import_module("ray.data")
    except ImportError as error:
        raise ConfigError("--engine ray needs Ray, which isn't installed: pip install 'folkmoot[ray]'") from error
    own = not ray.is_initialized()
    if own:
        here = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "object_store_memory": STORE_BYTES}
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR", **here)
    settings = ray.data.DataContext.get_current()
    settings.enable_progress_bars = False
    try:
        yield ray
    finally:
        if own:
            ray.shutdown()
