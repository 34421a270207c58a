"""`folkmoot export`: the formats by name."""

from pathlib import Path

from folkmoot.environments.corpora.store import Store, is_store
from folkmoot.sim.commands.export import Export, export_parquet
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.runs import Run

FORMATS = ("parquet", "convokit")


def export(path: Path, to: str, out: Path | None, *, text: bool = False, force: bool = False) -> str:
    """Export a run or a built corpus; what was written, in words.

    Raises:
        ConfigError: an unknown format, or a corpus as Parquet, which it is already.
        LogError: the folder exists and `force` isn't set.
    """
    if to not in FORMATS:
        raise ConfigError(f"unknown format {to!r}; {did_you_mean(to, FORMATS)}")
    done = _corpus(path, to, out, force=force) if is_store(path) else _run(path, to, out, text=text, force=force)
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    return "\n".join([f"{done.folder}: {counts}", *done.notices])


def _run(path: Path, to: str, out: Path | None, *, text: bool, force: bool) -> Export:
    from folkmoot.sim.commands.convokit import export_convokit

    run = Run.open(path)
    folder = out or run.path / "export" / to
    folder.parent.mkdir(parents=True, exist_ok=True)
    if to == "parquet":
        return export_parquet(run, folder, text=text, force=force)
    return export_convokit(run, folder, force=force)


def _corpus(path: Path, to: str, out: Path | None, *, force: bool) -> Export:
    from folkmoot.sim.commands.convokit_corpus import export_corpus

    if to == "parquet":
        raise ConfigError(f"{path} is a corpus: its tables are Parquet already; --to convokit writes it for ConvoKit")
    return export_corpus(Store.open(path), out or path.with_name(f"{path.name}-convokit"), force=force)
