"""`folkmoot fidelity ...`: build persona-fidelity benchmarks, score texts against a persona, ask people."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from folkmoot.sim.errors import ConfigError, did_you_mean

app = typer.Typer(no_args_is_help=True, help="Persona fidelity (PRISM): build benchmarks, score texts, ask people.")

SOURCES = ("big5chat", "socialbench")
KINDS = ("easy", "hard", "social")


@app.command()
def build(  # noqa: PLR0917 -- the options of a command
    source: Annotated[str, typer.Option("--from", help="big5chat or socialbench: the format.")],
    paths: Annotated[list[Path], typer.Argument(help="Files or folders in that format.")],
    kind: Annotated[str, typer.Option(help="easy, hard or social.")],
    out: Annotated[Path, typer.Option(help="The benchmark file to write.")],
    groups: Annotated[int | None, typer.Option(help="At most so many groups; all by default.")] = None,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 1,
    level: Annotated[str, typer.Option(help="Of responses whose file states none.")] = "high",
) -> None:
    """Make a benchmark by PRISM's rules; what was dropped is counted."""
    from folkmoot.metrics.fidelity.building import build_social, build_traits, read_written, write_benchmark

    _known("--from", source, SOURCES)
    _known("--kind", kind, KINDS)
    if (source == "socialbench") != (kind == "social"):
        raise ConfigError(f"--from {source} --kind {kind}: socialbench gives social, big5chat gives easy and hard")
    dropped: Counter[str] = Counter()
    if kind == "social":
        items = [item for path in paths for item in build_social(path, groups=groups, seed=seed, dropped=dropped)]
    else:
        written = read_written(paths, dropped, level)
        items = build_traits(written, "easy" if kind == "easy" else "hard", groups=groups, seed=seed, dropped=dropped)
    write_benchmark(items, out)
    positives = sum(item["label"] for item in items)
    typer.echo(f"{out}: {len(items)} items in {positives} groups")
    for reason, count in sorted((+dropped).items()):
        typer.echo(f"dropped: {count} {reason}")


@app.command()
def score(  # noqa: PLR0917 -- the options of a command
    persona: Annotated[Path, typer.Option(help='JSON: a persona, {"trait", "level"}, or {"profile"}.')],
    log: Annotated[Path | None, typer.Option(help="A run: its simulated comments.")] = None,
    texts: Annotated[Path | None, typer.Option(help="Texts, one a line, or JSON lines with text and context.")] = None,
    lang: Annotated[str, typer.Option(help="Of prompts, where the persona states none.")] = "en",
    permutations: Annotated[int, typer.Option(help="Label orders of a prompt, 1 to 6.")] = 1,
    page: Annotated[Path | None, typer.Option(help="Write the audit trail to this HTML file.")] = None,
    overrides: Annotated[list[str] | None, typer.Argument(help="Of the config, e.g. llm=server seed=2.")] = None,
) -> None:
    """Score texts against a persona: S, every dimension's label probabilities, the lowest dimension (JSON)."""
    from folkmoot.sim.commands.fidelity_score import comments_of, read_space, texts_of
    from folkmoot.sim.commands.fidelity_score import score as score_items
    from folkmoot.sim.runs import Run

    if (log is None) == (texts is None):
        raise ConfigError("folkmoot fidelity score takes one of --log RUN and --texts FILE")
    author, space = read_space(persona, lang)
    dropped: Counter[str] = Counter()
    items = comments_of(Run.open(log), author, space) if log else texts_of(texts or Path(), space, dropped)
    title = f"{len(items)} texts against {persona.name}"
    result, html = score_items(items, overrides or (), permutations, title, dropped)
    typer.echo(json.dumps(result, ensure_ascii=False, indent=1))
    if page is not None:
        page.write_text(html, encoding="utf-8")


@app.command()
def sheets(  # noqa: PLR0917 -- the options of a command
    benchmarks: Annotated[list[Path], typer.Argument(help="Benchmark files.")],
    out: Annotated[Path, typer.Option(help="The study's folder to make.")],
    groups: Annotated[int, typer.Option(min=1, help="Groups of each benchmark, at most.")] = 50,
    annotators: Annotated[int, typer.Option(min=1, help="Sheets, one a person.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the draw and of all orders.")] = 1,
    lang: Annotated[str, typer.Option(help="Of the descriptions.")] = "en",
    force: Annotated[bool, typer.Option(help="Replace a study, filled or not.")] = False,
) -> None:
    """Annotators' sheets of a human study: fidelity from 1 to 5, and a description for each dimension."""
    from folkmoot.sim.commands.fidelity_humans import write_sheets

    said = write_sheets(benchmarks, out, groups=groups, annotators=annotators, seed=seed, language=lang, force=force)
    typer.echo("\n".join(said))


@app.command()
def humans(
    study: Annotated[Path, typer.Argument(help="A study's folder, its sheets filled.")],
    runs: Annotated[list[Path] | None, typer.Argument(help="Runs of persona_fidelity on its benchmarks.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables in Markdown, CSV and LaTeX.")] = None,
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 1,
) -> None:
    """What filled sheets say: agreement of the annotators, and how methods fit what people see."""
    from folkmoot.sim.commands.fidelity_humans import report_humans

    typer.echo(report_humans(study, runs or [], out, seed))


def _known(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{option} {value}: unknown; {did_you_mean(value, allowed)}")
