"""`folkmoot fidelity sheets` and `folkmoot fidelity humans`: a human study of benchmarks, out and in."""

from collections.abc import Sequence
from pathlib import Path

from folkmoot.metrics.fidelity.benchmarks import read_benchmark
from folkmoot.metrics.fidelity.human_tables import Scored, human_tables
from folkmoot.metrics.fidelity.humans import Bootstrap
from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.sheets import read_study, study_files
from folkmoot.metrics.fidelity.study import draw_study
from folkmoot.metrics.table import Table
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.folders import fresh_folder
from folkmoot.sim.commands.report import write_table
from folkmoot.sim.commands.report_fidelity import scorings_of
from folkmoot.sim.manifest import write_whole


def write_sheets(
    paths: Sequence[Path], out: Path, *, groups: int, annotators: int, seed: int, language: str, force: bool
) -> list[str]:
    """Write a study's folder; returns what to print.

    Raises:
        ConfigError: two benchmarks of one name, or a number below 1.
        CorpusError: a benchmark can't be read or has no whole group.
        LogError: the folder is there already.
    """
    benchmarks = [read_benchmark(path, language) for path in paths]
    key, cases = draw_study(benchmarks, groups=groups, annotators=annotators, seed=seed)
    files = study_files(key, cases, language)
    with fresh_folder(out, files.keys(), force=force) as folder:
        for name, content in files.items():
            (folder / name).write_bytes(content)
    counts = {
        one.name: len({shown.group for shown in key.shown.values() if shown.benchmark == one.name})
        for one in benchmarks
    }
    said = [f"{name}: {count} groups" for name, count in counts.items()]
    said += [f"dropped: {count} {reason}" for one in benchmarks for reason, count in sorted(one.dropped.items())]
    said += [f"dropped: {count} {reason}" for reason, count in sorted(key.dropped.items())]
    told = "give each annotator one sheet and instructions.md, never key.json"
    said.append(f"{len(key.shown)} responses on {annotators} sheets in {out}; {told}")
    return [*said, f"then: folkmoot fidelity humans {out} RUNS..."]


def report_humans(study: Path, runs: Sequence[Path], out: Path | None, seed: int) -> str:
    """The tables of a filled study in Markdown; also written, in three formats, where `out` is given.

    Raises:
        CorpusError: what is wrong with the sheets.
        ConfigError: a run is of another experiment.
    """
    made = human_tables(read_study(study), _scored(runs), Bootstrap(seed=seed))
    text = "\n".join(["# Human study", "", *(table.markdown() for table in made)])
    if out is not None:
        _write(made, text, out)
    return text


def _write(made: Sequence[Table], text: str, out: Path) -> None:
    (out / "tables").mkdir(parents=True, exist_ok=True)
    for table in made:
        write_table(table, out / "tables")
    write_whole(out / "humans.md", text.encode())


def _scored(paths: Sequence[Path]) -> Scored:
    """Lines by method; a benchmark's name is its file's, as in the study."""
    found: dict[tuple[str, str], dict[tuple[str, str], Line]] = {}
    for one in scorings_of(runs_in(paths))[0] if paths else []:
        lines = found.setdefault((one.model, f"{one.label}, seed {one.seed}"), {})
        lines.update({(Path(str(one.settings["data"])).stem, line.item): line for line in one.lines})
    return found
