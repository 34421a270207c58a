"""`folkmoot report persona_fidelity RUNS... --out DIR`: tables and violins of scored benchmarks."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from folkmoot.metrics.fidelity.figure import violins
from folkmoot.metrics.fidelity.report import Scoring, tables
from folkmoot.metrics.plots import save
from folkmoot.metrics.table import escape_markdown
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.real import task_of
from folkmoot.sim.commands.report import write_table
from folkmoot.sim.errors import LogError
from folkmoot.sim.experiments.persona_fidelity import read_items
from folkmoot.sim.experiments.settings import FidelityConfig
from folkmoot.sim.manifest import write_whole
from folkmoot.sim.runs import Run


def report(paths: Sequence[Path], out: Path, *, figures: bool = True) -> list[Path]:
    """Write tables (Markdown, CSV, LaTeX), the figure (PNG, SVG) and report.md; returns what was written.

    Runs without a result (stopped, or nothing could be compared) are named in the report and left out.

    Raises:
        ConfigError: a run is of another experiment.
        LogError: no run has a result.
    """
    scorings, without = scorings_of(runs_in(paths))
    (out / "tables").mkdir(parents=True, exist_ok=True)
    made = tables(scorings)
    written = [path for table in made for path in write_table(table, out / "tables")]
    drawn = _draw(scorings, out / "figures") if figures else []
    head = ["# Persona fidelity", "", f"{len(scorings)} runs.", ""]
    if without:
        head += [f"Left out, without a result: {', '.join(map(escape_markdown, without))}.", ""]
    shown = [f"![{path.stem}](figures/{path.name})\n" for path in drawn if path.suffix == ".png"]
    whole = out / "report.md"
    write_whole(whole, "\n".join([*head, *(table.markdown() for table in made), *shown]).encode())
    return [whole, *written, *drawn]


def scorings_of(runs: Sequence[Run]) -> tuple[list[Scoring], list[str]]:
    """What the runs have scored, in the order of tables, and the names of runs without a result.

    Raises:
        as `report`.
    """
    found = [(run, _scoring(run)) for run in runs]
    scorings = [one for _, one in found if one is not None]
    if not scorings:
        raise LogError(f"none of {len(runs)} runs has a result; `folkmoot resume RUN` says why one has none")
    without = [run.path.name for run, scoring in found if scoring is None]
    return sorted(scorings, key=lambda s: (s.benchmark, s.model, s.label, s.seed)), without


def _draw(scorings: Sequence[Scoring], folder: Path) -> list[Path]:
    made = violins(scorings)
    if made is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"scores{suffix}" for suffix in (".png", ".svg")]
    for path in paths:
        save(made, path)
    return paths


def _scoring(run: Run) -> Scoring | None:
    settings, seed = task_of(run, FidelityConfig)
    if not run.summary_path.is_file():
        return None
    summary = run.summary()
    losses: Counter[str] = Counter()
    for part in summary["losses"].values():
        losses.update(part)
    return Scoring(
        settings.benchmark,
        settings.method,
        summary["model"],
        settings.model_dump(),
        seed,
        summary["fidelity"],
        losses,
        read_items(run),
    )
