"""`folkmoot profile ...`: gold profiles from a feed, verified by people; people beside the judges of dialogues."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Interest profiles: gold profiles, and people's judgements of answers.")

Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        help="llm=..., +llm@experiment.judges.second=... (calibrates), gold.KEY=..., experiment.max_posts=..."
    ),
]


@app.command()
def gold(
    source: Annotated[str, typer.Option("--from", help="demo_feed, or the folder of a built feed.")],
    out: Annotated[Path, typer.Option(help="Folder of the proposed profiles and the review sheet.")],
    overrides: Overrides = None,
) -> None:
    """Read interests post by post, put them together, score and calibrate them; write a sheet for people to verify."""
    from folkmoot.sim.commands.profile_gold import make_gold

    typer.echo(make_gold(source, out, overrides or []))


@app.command()
def verified(
    sheets: Annotated[list[Path], typer.Argument(help="Filled review sheets, one a person.")],
    out: Annotated[Path, typer.Option(help="File of gold profiles to write.")],
    adjudicated: Annotated[Path | None, typer.Option(help="The sheet that decides where they disagree.")] = None,
) -> None:
    """Gold profiles from filled sheets: what was kept, removed, refined, added; how far people agree."""
    from folkmoot.sim.commands.profile_review import write_verified

    typer.echo(write_verified(sheets, out, adjudicated))


@app.command()
def sample(
    paths: Annotated[list[Path], typer.Argument(help="Runs of dialogue, or grids.")],
    out: Annotated[Path, typer.Option(help="Sheet to write.")],
    count: Annotated[int, typer.Option(help="Answers, spread over contexts, intents and quality.")] = 30,
    judge: Annotated[str, typer.Option(help="Whose points make the quality tiers; '': the first.")] = "",
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 1,
) -> None:
    """A sheet of answers for people to give points to, without the judges' points, models and contexts."""
    from folkmoot.sim.commands.profile_people import write_sample

    typer.echo(write_sample(paths, out, count, judge, seed))


@app.command()
def agreement(
    paths: Annotated[list[Path], typer.Argument(help="The runs that the sheet was drawn from.")],
    sheets: Annotated[list[Path], typer.Option("--sheet", help="A filled sheet; again for each person.")],
) -> None:
    """How far people agree with one another (alpha, ordinal) and with each judge (Spearman)."""
    from folkmoot.sim.commands.profile_people import read_agreement

    typer.echo(read_agreement(paths, sheets))
