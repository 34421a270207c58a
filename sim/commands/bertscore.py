"""`folkmoot bertscore ...`: baselines of BERTScore from texts of one's own."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="BERTScore: baselines for rescaling.")


@app.callback()
def bertscore() -> None:
    """BERTScore: baselines for rescaling."""


@app.command()
def baseline(  # noqa: PLR0917 -- the options of a command
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Which corpus and encoder: corpus=demo corpus.lang=[de,it]")
    ] = None,
    texts: Annotated[list[Path] | None, typer.Option(help="More texts: JSON lines with a `text` each.")] = None,
    language: Annotated[str | None, typer.Option(help="Of --texts, where no corpus is wanted.")] = None,
    layers: Annotated[str, typer.Option(help="Comma-separated; all: each.")] = "all",
    pairs: Annotated[int, typer.Option(help="Random pairs a language.")] = 4000,
    seed: Annotated[int, typer.Option(help="Of the pairs.")] = 1,
    out: Annotated[Path, typer.Option(help="JSON file to write or add to.")] = Path("bertscore-baselines.json"),
) -> None:
    """What unrelated texts score: the mean over random pairs of comments from different threads, by layer."""
    from folkmoot.sim.commands.baselines import make_baselines

    typer.echo(make_baselines(overrides or (), texts or (), language, layers=layers, pairs=pairs, seed=seed, out=out))
