"""An export's folder: it appears whole or not at all, and replaces nothing but an earlier export."""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from folkmoot.sim.errors import LogError


@contextmanager
def fresh_folder(out: Path, files: Collection[str], *, force: bool) -> Iterator[Path]:
    """A temporary folder beside `out` that takes its name at the end.

    Args:
        out: the folder to make.
        files: names that an export of this kind may hold; only a folder of such files is replaced.
        force: replace an earlier export.

    Raises:
        LogError: `out` is there and may not be replaced, or the disk refuses.
    """
    out = out.absolute()
    _check(out, files, force=force)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
        try:
            yield scratch
            scratch.chmod(0o755)
            _settle(scratch, out)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LogError(f"{out}: can't be written ({reason}); free some space or name another folder") from error


def _check(out: Path, files: Collection[str], *, force: bool) -> None:
    if not out.exists() and not out.is_symlink():
        return
    if not force:
        raise LogError(f"{out} is there already; --force replaces it, --out names another folder")
    foreign = [] if out.is_dir() else [out.name]
    if out.is_dir():
        foreign = sorted(entry.name for entry in out.iterdir() if entry.name not in files or entry.is_dir())
    if foreign or out.is_symlink():
        what = ", ".join(foreign[:3]) or "a link"
        raise LogError(
            f"{out} isn't an earlier export (it holds {what}), --force won't replace it; name another folder"
        )


def _settle(scratch: Path, out: Path) -> None:
    if out.exists():
        old = scratch.with_suffix(".old")
        out.rename(old)
        scratch.rename(out)
        shutil.rmtree(old)
    else:
        scratch.rename(out)
