"""One build in a process of its own, watched: pages/s, CPU, and memory of this process and of its workers.

    python tests/benchmarks/corpus_build.py SIZE_MB WORKERS [FOLDER]

makes a dump of that size in FOLDER (a temporary one by default), builds it, prints one line of JSON, and takes the dump away.
"""

import json
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings

EVERY_S = 0.5


def resident_mb(pid):
    """Resident memory of a process, in MiB; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def workers():
    """Process ids of the children."""
    return Path("/proc/self/task", str(threading.main_thread().native_id), "children").read_text().split()


class Watch:
    """Samples memory until it is told to stop."""

    def __init__(self):
        self.main, self.worker, self.sum = [], 0.0, 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._over.wait(EVERY_S):
            own, others = resident_mb("self"), [resident_mb(pid) for pid in workers()]
            self.main.append(own)
            self.worker = max(self.worker, *others, 0.0)
            self.sum = max(self.sum, own + sum(others))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()


def measure(size_mb, count, folder):
    """Build a dump of so many megabytes with so many workers."""
    from synthetic_dump import write_dump

    dump, salt = folder / "probewiki.xml", folder / "salt"
    salt.write_text("a salt for a benchmark")
    pages = write_dump(dump, size_mb * 1_000_000)
    settings = BuildSettings(source=str(dump), out=folder / f"corpus{count}", salt_file=salt, workers=count)
    began = time.monotonic()
    with Watch() as watch:
        store = build(settings)
    wall = time.monotonic() - began
    dump.unlink()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    kept = store.manifest.tables["pages"].rows
    eighths = [watch.main[n * len(watch.main) // 8 : (n + 1) * len(watch.main) // 8] for n in range(8)]
    return {
        "mb": size_mb,
        "workers": count,
        "pages": pages,
        "kept": kept,
        "wall_s": round(wall, 1),
        "cpu_s": round(sum(use.ru_utime + use.ru_stime for use in used), 1),
        "kept_pages_per_s": round(kept / wall, 1),
        "main_mb": round(max(watch.main)),
        "main_mb_by_eighth": [round(max(part)) for part in eighths if part],
        "worker_mb": round(watch.worker),
        "sum_mb": round(watch.sum),
        "digest": store.manifest.digest,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as scratch:
        sys.stdout.write(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]), Path(scratch))) + "\n")
