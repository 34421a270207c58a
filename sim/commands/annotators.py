"""`folkmoot annotators ...`: how good an annotator is on a labelled set."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Annotators: how good they are on labelled comments.")


@app.command()
def validate(
    labelled: Annotated[str, typer.Argument(help="A JSON lines file; demo, demo:de,it; wikitactics:FILE.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Which annotator: annotator=llm llm=server llm.model=...")
    ] = None,
    role: Annotated[str, typer.Option(help="acts or sentiment.")] = "acts",
    widths: Annotated[str, typer.Option(help="Preceding comments to show, comma-separated.")] = "all,3,2,1,0",
    out: Annotated[Path | None, typer.Option(help="Write the numbers to this JSON file too.")] = None,
) -> None:
    """Micro-F1, F1 per label and confusion, by context width."""
    from folkmoot.sim.commands.validating import validate_set

    typer.echo(validate_set(labelled, overrides or (), role=role, widths=widths, out=out))
