"""`folkmoot export`: the formats by name."""

from pathlib import Path

from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.runs import Run

FORMATS = ("parquet", "convokit")


def export(run: Run, to: str, out: Path | None, *, text: bool = False, force: bool = False) -> str:
    """Export a run; what was written, in words.

    Raises:
        ConfigError: an unknown format.
        LogError: the folder exists and `force` isn't set.
    """
    if to not in FORMATS:
        raise ConfigError(f"unknown format {to!r}; {did_you_mean(to, FORMATS)}")
    from folkmoot.sim.commands.convokit import export_convokit
    from folkmoot.sim.commands.export import export_parquet

    folder = out or run.path / "export" / to
    folder.parent.mkdir(parents=True, exist_ok=True)
    if to == "parquet":
        done = export_parquet(run, folder, text=text, force=force)
    else:
        done = export_convokit(run, folder, force=force)
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    return "\n".join([f"{done.folder}: {counts}", *done.notices])
