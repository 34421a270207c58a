"""`folkmoot report next_turn RUNS... --out DIR`: every table and figure of the paper for these runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from folkmoot.agents.conditioning import CONDITIONS
from folkmoot.metrics.next_turn.drawn import Settings, Unit
from folkmoot.metrics.next_turn.pairs import Cell
from folkmoot.metrics.next_turn.similarity import Similarity
from folkmoot.metrics.next_turn.study import Study, make_study
from folkmoot.metrics.next_turn.tables_about import all_tables
from folkmoot.metrics.table import Table
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.experiments.report_cells import Cells
from folkmoot.sim.manifest import write_whole

EXPERIMENTS = ("next_turn", "persona_fidelity", "structure", "profile", "dialogue")
"""What has a report."""


class Options(NamedTuple):
    """How a report is made.

    Attributes:
        bert: encoder of BERTScore: `embedded`, a hub name, a folder, or `none`.
        layer: of the encoder, counted from the end where negative.
        least: a cell of fewer comments has no numbers.
        unit: what the bootstrap draws: `thread` or `user`.
        draws: of the bootstrap.
        against: the condition that others are compared with; "": every pair.
        seed: of all draws.
        figures: draw the figures.
    """

    bert: str = "embedded"
    layer: int = -1
    least: int = 20
    unit: str = "thread"
    draws: int = 2000
    against: str = "base"
    seed: int = 1
    figures: bool = True


def report(experiment: str, paths: Sequence[Path], out: Path, options: Options = Options()) -> list[Path]:  # noqa: B008 -- immutable
    """Read the runs, write tables (Markdown, CSV, LaTeX) and figures (PNG, SVG); returns what was written.

    Raises:
        ConfigError: another experiment, or an option that isn't known.
        LogError: a folder holds no finished run.
        AnnotationError: two runs went through different annotators.
    """
    if experiment == "persona_fidelity":
        from folkmoot.sim.commands.report_fidelity import report as fidelity_report

        return fidelity_report(paths, out, figures=options.figures)
    if experiment == "structure":
        from folkmoot.sim.commands.report_structure import report as structure_report

        return structure_report(paths, out, options.draws, options.seed)
    if experiment in ("profile", "dialogue"):
        from folkmoot.sim.commands.report_profile import report_dialogues, report_profiles

        make = report_profiles if experiment == "profile" else report_dialogues
        return make(paths, out, options.draws, options.seed, figures=options.figures)
    if experiment != "next_turn":
        raise ConfigError(f"report {experiment}: there is no such report; {did_you_mean(experiment, EXPERIMENTS)}")
    study = study_of(paths, options)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    made = all_tables(study)
    written = [path for table in made for path in write_table(table, out / "tables")]
    figures = _figures(study, out / "figures") if options.figures else []
    whole = out / "report.md"
    write_whole(whole, _page(study, made, figures).encode())
    return [whole, *written, *figures]


def study_of(paths: Sequence[Path], options: Options) -> Study:
    """The grid of these runs, measured.

    Raises:
        as `report`.
    """
    if options.unit not in ("thread", "user"):
        raise ConfigError(f"unit={options.unit!r} isn't known; {did_you_mean(options.unit, ['thread', 'user'])}")
    if options.against and options.against not in CONDITIONS:
        raise ConfigError(
            f"against={options.against!r}: no such condition; {did_you_mean(options.against, CONDITIONS)}"
        )
    read = Cells()
    for run in runs_in(paths):
        read.add(run)
    unit: Unit = "thread" if options.unit == "thread" else "user"
    settings = Settings(Resampler(options.seed, options.draws), options.least, unit)
    facts = {role: f"{source.name} {source.version}" for role, source in read.annotators.items()}
    cells = sorted(read.cells.values(), key=_order)
    return make_study(cells, settings, _similarity(options), against=options.against or None, facts=facts)


def _order(cell: Cell) -> tuple[int, str, str]:
    return CONDITIONS.index(cell.condition), cell.community, cell.model


def _similarity(options: Options) -> Similarity:
    if options.bert == "none":
        return Similarity()
    from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
    from folkmoot.metrics.bertscore import BertScorer

    return Similarity(BertScorer(SentenceEncoder(EncoderConfig(model=options.bert)), options.layer))


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write a table as Markdown, CSV and LaTeX; the paths."""
    texts = {".md": table.markdown(), ".csv": table.csv(), ".tex": table.latex()}
    paths = []
    for suffix, text in texts.items():
        paths.append(folder / f"{table.name}{suffix}")
        write_whole(paths[-1], text.encode())
    return paths


def _figures(study: Study, folder: Path) -> list[Path]:
    from folkmoot.metrics.next_turn.figures import draw_all

    folder.mkdir(parents=True, exist_ok=True)
    return draw_all(study, folder)


def _page(study: Study, made: Sequence[Table], figures: Sequence[Path]) -> str:
    cells = study.cells
    runs = sum(cell.runs for cell in cells)
    usable = sum(len(cell.usable) for cell in cells)
    left_out = sum(len(cell.pairs) for cell in cells) - usable
    grid = f"{len(study.communities)} communities, {len(study.models)} models, {len(study.conditions)} conditions"
    compared = f"{usable} comments were compared with the real ones, {left_out} answers were left out"
    head = ["# Next-turn generation", "", f"{runs} runs, {len(cells)} cells: {grid}. {compared}.", ""]
    shown = [f"![{path.stem}](figures/{path.name})\n" for path in figures if path.suffix == ".png"]
    return "\n".join([*head, *(table.markdown() for table in made), *shown])
