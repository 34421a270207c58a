"""`folkmoot report profile|dialogue RUNS... --out DIR`: tables and a figure of SocialPersona's two tasks."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from folkmoot.metrics.plots import save
from folkmoot.metrics.profile.cells import DialogueCell, ProfileCell
from folkmoot.metrics.profile.figure import bars
from folkmoot.metrics.profile.results import SCORED
from folkmoot.metrics.profile.tables import F1S, Study, profile_tables
from folkmoot.metrics.profile.tables_dialogue import dialogue_tables, gathered, scores
from folkmoot.metrics.table import Number, Table, escape_markdown
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.real import task_of
from folkmoot.sim.commands.report import write_table
from folkmoot.sim.errors import LogError
from folkmoot.sim.experiments.dialogue import DialogueLine, read_dialogues
from folkmoot.sim.experiments.profile import ProfileLine, read_profiles
from folkmoot.sim.experiments.profile_settings import DialogueConfig, ProfileConfig
from folkmoot.sim.manifest import write_whole
from folkmoot.sim.runs import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def report_profiles(paths: Sequence[Path], out: Path, draws: int, seed: int, *, figures: bool = True) -> list[Path]:
    """Write the tables and the figure of profile runs; returns what was written.

    Raises:
        ConfigError: a run is of another experiment.
        LogError: no run has a profile.
    """
    cells = [cell for run in runs_in(paths) if (cell := _profile_cell(run)).counts]
    if not cells:
        raise LogError("none of the runs has a profile yet; `folkmoot resume RUN` first")
    study = Study(cells, draws, seed)
    groups = [
        (" ".join(cell.label[:-1]), [found[scope, measure] for _, scope, measure in F1S])
        for cell, found in zip(study.cells, study.numbers, strict=True)
    ]
    drawn = bars(groups, [name for name, _, _ in F1S], "F1", 1.0) if figures else None
    return _write(out, "Profile construction", len(cells), profile_tables(study), drawn, "f1")


def report_dialogues(paths: Sequence[Path], out: Path, draws: int, seed: int, *, figures: bool = True) -> list[Path]:
    """Write the tables and the figure of dialogue runs; returns what was written.

    Raises:
        ConfigError: a run is of another experiment.
        LogError: no run has a judged answer.
    """
    cells = [_dialogue_cell(run) for run in runs_in(paths)]
    if not any(points for cell in cells for points in cell.scores.values()):
        raise LogError("none of the runs has a judged answer; `folkmoot resume RUN` says why one has none")
    rows = scores(gathered(cells), draws, seed).rows
    groups = [
        (" ".join(str(part) for part in row[:5]), [one for one in row if isinstance(one, Number)]) for row in rows
    ]
    drawn = bars(groups, SCORED, "points", 5.0) if figures else None
    return _write(out, "Personal dialogue", len(cells), dialogue_tables(cells, draws, seed), drawn, "points")


def _write(out: Path, title: str, runs: int, made: Sequence[Table], drawn: "Figure | None", name: str) -> list[Path]:
    (out / "tables").mkdir(parents=True, exist_ok=True)
    written = [path for table in made for path in write_table(table, out / "tables")]
    shown = []
    if drawn is not None:
        (out / "figures").mkdir(parents=True, exist_ok=True)
        for suffix in (".png", ".svg"):
            written.append(out / "figures" / f"{name}{suffix}")
            save(drawn, written[-1])
        shown.append(f"![{name}](figures/{name}.png)\n")
    whole = out / "report.md"
    head = [f"# {title}", "", f"{runs} runs.", ""]
    write_whole(whole, "\n".join([*head, *(table.markdown() for table in made), *shown]).encode())
    return [whole, *written]


def _profile_cell(run: Run) -> ProfileCell:
    task, seed = task_of(run, ProfileConfig)
    lines = read_profiles(run)
    manifest = run.manifest()
    return ProfileCell(
        model=str(manifest["model"]),
        setting=task.setting,
        prompt=task.prompt,
        input=task.input,
        seed=seed,
        matching=str(manifest["matching"]),
        counts={(line.community, line.user): line.counts for line in lines},
        losses=_losses(run, lines, "no profile"),
    )


def _dialogue_cell(run: Run) -> DialogueCell:
    task, seed = task_of(run, DialogueConfig)
    lines = read_dialogues(run)
    unread = Counter(
        f"judge {escape_markdown(name)} not read: {reason}" for line in lines for name, reason in line.unread.items()
    )
    manifest = run.manifest()
    judges = dict.fromkeys([*manifest["judges"], *(name for line in lines for name in line.scores)])
    return DialogueCell(
        model=str(manifest["model"]),
        context=task.context,
        intent=task.intent,
        seed=seed,
        scores={
            name: {(line.community, line.user): line.scores[name] for line in lines if name in line.scores}
            for name in judges
        },
        counts={(line.community, line.user): line.counts for line in lines if line.counts},
        losses=_losses(run, lines, "not answered") + unread,
    )


def _losses(run: Run, lines: Sequence[ProfileLine] | Sequence[DialogueLine], nothing: str) -> Counter[str]:
    """What was lost on the way to these lines, and from the run's corpus before anybody was asked."""
    losses = Counter(f"{nothing}: {line.reason}" for line in lines if line.reason)
    for line in lines:
        losses.update(line.notes)
    return losses + Counter(run.summary()["losses"] if run.summary_path.is_file() else {})
