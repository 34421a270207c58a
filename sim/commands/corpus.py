"""`folkmoot corpus ...`: build a corpus from a wiki or an archive, and look at one."""

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True, help="Corpora: build one from a dump, a folder, a wiki's API or an archive.")


@app.command()
def build(  # noqa: PLR0913, PLR0917 -- the options of a build
    source: Annotated[
        str,
        typer.Option(
            "--from", help="A dump, a folder of dumps or wikitext, https://WIKI/api.php, convokit:, table:, reddit:"
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the corpus; an interrupted build there goes on.")],
    lang: Annotated[str | None, typer.Option(help="ISO 639-1; the source's own, else detected.")] = None,
    name: Annotated[str | None, typer.Option(help="Of the community; the wiki's database name by default.")] = None,
    workers: Annotated[int, typer.Option(help="Worker processes; any number gives the same corpus.")] = 1,
    articles: Annotated[str | None, typer.Option(help="A pages-meta-history dump to take articles from.")] = None,
    pages: Annotated[list[str] | None, typer.Option(help="For an API: titles, or @FILE with one a line.")] = None,
    namespaces: Annotated[str, typer.Option(help="Talk namespaces, and 2 for user pages.")] = "1,2",
    salt_file: Annotated[
        Path | None, typer.Option(help="Key of the pseudonyms, outside the corpus; else FOLKMOOT_SALT, else your own.")
    ] = None,
    blocklist: Annotated[Path | None, typer.Option(help="User names to leave out, one a line.")] = None,
    keep_damaged: Annotated[bool, typer.Option(help="Make a corpus of what a cut-off input still gives.")] = False,
    limit: Annotated[int | None, typer.Option(help="Read so many pages at most.")] = None,
    engine: Annotated[str, typer.Option(help="local or ray.")] = "local",
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for one kind of source.")] = None,
) -> None:
    """Read a source page by page into a corpus; Ctrl-C and the same command again go on where it stopped."""
    from folkmoot.sim.commands.corpus_build import build_corpus

    values: dict[str, Any] = {
        "source": source,
        "out": out,
        "lang": lang,
        "name": name,
        "workers": workers,
        "articles": articles,
        "pages": pages or (),
        "namespaces": namespaces.split(","),
        "salt_file": salt_file,
        "blocklist": blocklist,
        "damaged": "keep" if keep_damaged else "stop",
        "limit": limit,
        "engine": engine,
        "options": dict(pair.partition("=")[::2] for pair in option or ()),
    }
    typer.echo(build_corpus(values))
