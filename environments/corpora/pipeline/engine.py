"""Who writes the shards: this process, local workers, or Ray; the results are the same."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.pages import Article
from folkmoot.environments.corpora.pipeline.shards import Shard, ShardRecord, read_record, write_shard
from folkmoot.sim.errors import CorpusError

AHEAD = 1
"""Shards that wait while all workers are busy."""

_here: tuple[Path, PageContext] | None = None
"""What this worker process works for."""


def run_shards(
    shards: Iterator[Shard],
    folder: Path,
    context: PageContext,
    workers: int,
    engine: str = "local",
    article: Article | None = None,
) -> Iterator[ShardRecord]:
    """Write all shards; their records come in order where one process works, else as they get ready.

    Raises:
        CorpusError: a worker process died, or the disk refuses.
        ConfigError: Ray is asked for and isn't installed.
    """
    if article is not None or (workers == 1 and engine == "local"):
        for shard in shards:
            yield read_record(folder, shard) or write_shard(shard, folder, context, article)
    elif engine == "ray":
        from folkmoot.environments.corpora.pipeline.ray_engine import run_on_ray

        yield from run_on_ray(shards, folder, context, workers)
    else:
        yield from _in_processes(shards, folder, context, workers)


def unused(workers: int, engine: str, article: Article | None) -> str:
    """What of `--workers` and `--engine` the source makes useless, in words; "" where nothing is."""
    if article is None or (workers == 1 and engine == "local"):
        return ""
    return (
        f"--workers {workers} --engine {engine}: not used, one process writes all: the source is asked for articles "
        "page by page; with --option articles=false they are used"
    )


def _in_processes(shards: Iterator[Shard], folder: Path, context: PageContext, workers: int) -> Iterator[ShardRecord]:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, initializer=_begin, initargs=(folder, context)) as pool:
        running: set[Future[ShardRecord]] = set()
        try:
            for shard in shards:
                done = read_record(folder, shard)
                if done is not None:
                    yield done
                    continue
                running.add(pool.submit(_work, shard))
                if len(running) >= workers + AHEAD:
                    yield from _next(running)
            while running:
                yield from _next(running)
        except BrokenProcessPool as error:
            raise CorpusError(
                f"a worker process died ({error}); it may have run out of memory: give fewer --workers, then build "
                'again: whole shards stay. (A script of your own calls build under `if __name__ == "__main__":`)'
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _next(running: set[Future[ShardRecord]]) -> Iterator[ShardRecord]:
    finished, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= finished
    for future in sorted(finished, key=id):
        yield future.result()


def _begin(folder: Path, context: PageContext) -> None:
    """A worker leaves Ctrl-C to the process that reads, and ends with it, however that ends."""
    global _here  # noqa: PLW0603 -- a worker process works for one build
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here = (folder, context)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(shard: Shard) -> ShardRecord:
    assert _here is not None
    return write_shard(shard, *_here)
