"""The command line: `folkmoot run`, `resume`, `replay`, `compare`, `show`, `export`, `doctor`."""

import errno
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from folkmoot.sim.commands.annotators import app as annotators_app
from folkmoot.sim.commands.bertscore import app as bertscore_app
from folkmoot.sim.commands.corpus import app as corpus_app
from folkmoot.sim.commands.fidelity import app as fidelity_app
from folkmoot.sim.commands.profile import app as profile_app
from folkmoot.sim.errors import FolkmootError
from folkmoot.sim.runs import Run


class _Commands(TyperGroup):
    """A wrong input, a full disk and Ctrl-C are one message each: exit codes 2, 2 and 130."""

    def invoke(self, ctx: Any) -> Any:
        """Invoke the command."""
        from folkmoot.sim.commands.run import INTERRUPTED, tell, unusable

        try:
            return super().invoke(ctx)
        except FolkmootError as error:
            tell(error)
        except OSError as error:
            if error.errno == errno.EPIPE:  # `folkmoot show RUN | head`: Typer ends quietly
                raise
            tell(unusable(error))
        except KeyboardInterrupt:
            typer.echo("interrupted; a run that had begun goes on with `folkmoot resume RUN`", err=True)
            raise typer.Exit(INTERRUPTED) from None
        raise typer.Exit(2)


app = typer.Typer(
    name="folkmoot",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    suggest_commands=True,
)

RunPath = Annotated[Path, typer.Argument(help="A run's folder.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"folkmoot {version('folkmoot')}")
        raise typer.Exit


@app.callback()
def folkmoot(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Simulate an online community with language-model personas and measure, while it talks, how real it is."""


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run(
    context: typer.Context,
    multirun: Annotated[bool, typer.Option("-m", "--multirun", help="A grid: comma-separated values.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate calls, tokens and time; run nothing.")] = False,
) -> None:
    """Run an experiment; everything else are Hydra overrides: corpus=demo llm=scripted seed=3."""
    from folkmoot.sim.commands.run import run as run_command

    raise typer.Exit(run_command([*context.args, *(["dry_run=true"] if dry_run else [])], multirun=multirun))


@app.command()
def resume(
    path: RunPath,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="Of budget, live, tracking, llm.pool, keep_prompts: budget.max_comments=null"),
    ] = None,
) -> None:
    """Go on with a run that was stopped, killed or failed: recorded answers are used again, missing calls are made."""
    from folkmoot.sim.commands.run import again

    raise typer.Exit(again(path, "resume", overrides or ()))


@app.command()
def replay(path: RunPath) -> None:
    """Run again without any model and prove that the log is identical."""
    from folkmoot.sim.commands.run import again

    raise typer.Exit(again(path, "replay"))


@app.command()
def branch(
    path: RunPath,
    overrides: Annotated[
        list[str], typer.Argument(help="What to change: intervention={kind:ban,user:ada}; and what `resume` takes.")
    ],
    at: Annotated[int, typer.Option(help="The last event (seq) that both runs have.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the new run.")] = None,
) -> None:
    """Go on from one event of a run in another way: the two logs are the same up to it."""
    from folkmoot.sim.commands.branch import branch as branch_command
    from folkmoot.sim.commands.result import show_result

    result = branch_command(path, at, overrides, out)
    show_result(result)
    raise typer.Exit(result.exit_code)


@app.command()
def compare(
    paths: Annotated[list[Path], typer.Argument(help="Folders of runs, or of grids.")],
    by: Annotated[str, typer.Option(help="Config keys that make a row, comma-separated.")] = "condition,llm",
) -> None:
    """One table over runs with intervals; seeds are a sampled unit beside threads."""
    from folkmoot.sim.commands.compare import compare as compare_command

    typer.echo(compare_command(paths, tuple(by.split(","))))


@app.command()
def report(  # noqa: PLR0917 -- Typer makes arguments and options of them
    experiment: Annotated[str, typer.Argument(help="next_turn, persona_fidelity, structure, profile, dialogue.")],
    paths: Annotated[list[Path], typer.Argument(help="Folders of runs, or of grids.")],
    out: Annotated[Path, typer.Option(help="Folder of tables and figures.")] = Path("report"),
    bert: Annotated[str, typer.Option(help="Encoder of BERTScore: embedded, a hub name, a folder, none.")] = "embedded",
    layer: Annotated[int, typer.Option(help="Layer of the encoder, from the end where negative.")] = -1,
    least: Annotated[int, typer.Option(help="A cell of fewer comments has no numbers.")] = 20,
    unit: Annotated[str, typer.Option(help="What the bootstrap draws: thread or user.")] = "thread",
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap.")] = 2000,
    against: Annotated[str, typer.Option(help="Condition that others are compared with; '' compares all.")] = "base",
) -> None:
    """Every table and figure of the paper for these runs: Markdown, CSV, LaTeX, PNG, SVG."""
    from folkmoot.sim.commands.report import Options
    from folkmoot.sim.commands.report import report as report_command

    options = Options(bert, layer, least, unit, draws, against)
    for path in report_command(experiment, paths, out, options):
        typer.echo(path)


@app.command()
def show(
    path: RunPath,
    thread: Annotated[int | None, typer.Option(help="A thread, by its number in the overview.")] = None,
    event: Annotated[int | None, typer.Option(help="An event, by its seq.")] = None,
) -> None:
    """A run at a glance; a thread beside the real one; an event with its view, prompt, answer and checks."""
    from rich.console import Console

    from folkmoot.sim.commands.real import real_events
    from folkmoot.sim.commands.show import show_event, show_thread

    opened = Run.open(path)
    shown = show_event(opened, event) if event is not None else show_thread(opened, thread, lambda: real_events(opened))
    Console().print(shown)


@app.command()
def export(
    path: RunPath,
    to: Annotated[str, typer.Option(help="parquet or convokit.")] = "parquet",
    out: Annotated[Path | None, typer.Option(help="Folder to make; by default export/<to> in a run's folder.")] = None,
    text: Annotated[bool, typer.Option(help="Parquet: prompts too.")] = False,
    force: Annotated[bool, typer.Option(help="Replace an earlier export.")] = False,
) -> None:
    """A run as Parquet tables or as a ConvoKit corpus; a built corpus as a ConvoKit corpus."""
    from folkmoot.sim.commands.exports import export as export_command

    typer.echo(export_command(path, to, out, text=text, force=force))


app.add_typer(corpus_app, name="corpus")
app.add_typer(fidelity_app, name="fidelity")
app.add_typer(profile_app, name="profile")
app.add_typer(annotators_app, name="annotators")
app.add_typer(bertscore_app, name="bertscore")


@app.command()
def doctor(deep: Annotated[bool, typer.Option(help="Generate five tokens with the embedded model.")] = False) -> None:
    """What is installed, which backends answer, which device."""
    from rich.console import Console

    from folkmoot.sim.commands.doctor import diagnose, exit_code, report

    checks = diagnose(deep=deep)
    Console().print(report(checks))
    raise typer.Exit(exit_code(checks))


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
