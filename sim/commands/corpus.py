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
            "--from",
            help="A dump, a folder of dumps or wikitext, https://WIKI/api.php, convokit:, table:, reddit:; timelines: "
            "mastodon:, bluesky:, x:, csv:, jsonl:",
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
    follows: Annotated[
        Path | None, typer.Option(help="For timelines: a table of who follows whom (follower, followed).")
    ] = None,
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
        "options": dict(pair.partition("=")[::2] for pair in option or ())
        | ({} if follows is None else {"follows": str(follows)}),
    }
    typer.echo(build_corpus(values))


CorpusPath = Annotated[Path, typer.Argument(help="Folder of a corpus, or of several.")]


@app.command()
def revise(
    path: Annotated[Path, typer.Argument(help="Folder of a corpus.")],
    out: Annotated[Path, typer.Option(help="Folder of the corrected corpus.")],
    overrides: Annotated[list[str] | None, typer.Argument(help="llm=server and so on.")] = None,
) -> None:
    """A model corrects how threads were split; what loses text is flagged, counted and left out."""
    from folkmoot.sim.commands.corpus_revise import revise as revised

    typer.echo(revised(path, out, overrides or ()))


@app.command()
def personas(
    path: Annotated[Path, typer.Argument(help="Folder of a corpus.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(help="llm=embedded, personas.filters.max_users=500, reader.in_flight=4")
    ] = None,
) -> None:
    """A model reads user pages and comments: profiles, traits, the choice of users and threads; answers are kept."""
    from folkmoot.sim.commands.corpus_people import personas as read_people

    typer.echo(read_people(path, overrides or ()))


@app.command()
def stats(
    path: CorpusPath,
    out: Annotated[Path | None, typer.Option(help="Folder for Markdown, CSV, PNG and SVG.")] = None,
) -> None:
    """Threads, turns, users, personas, traits, the experiments' sample, and what was dropped."""
    from folkmoot.sim.commands.corpus_stats import stats as measured

    typer.echo(measured(path, out))


@app.command()
def check(  # noqa: PLR0917 -- Typer makes arguments and options of them
    path: CorpusPath,
    source: Annotated[
        str | None, typer.Option("--from", help="What it was built from: its user names must not stand in it.")
    ] = None,
    names: Annotated[Path | None, typer.Option(help="Further user names that must not, one a line.")] = None,
    allow: Annotated[Path | None, typer.Option(help="Texts that were looked at and are harmless, one a line.")] = None,
    by: Annotated[str, typer.Option(help="The split whose leaks are looked for: time, thread or user.")] = "time",
    max_threads: Annotated[
        int | None, typer.Option(min=0, help="Threads that are split, the latest; 0: all; else as many as a run loads.")
    ] = None,
    show_text: Annotated[bool, typer.Option(help="Print what was found; it may be private.")] = False,
) -> None:
    """Privacy, raw names, broken references, leakage; exit code 1 where something grave is found."""
    from folkmoot.sim.commands.corpus_check import check as check_corpora

    most = {} if max_threads is None else {"max_threads": max_threads or None}
    told, found = check_corpora(path, source=source, names=names, allow=allow, by=by, show_text=show_text, **most)
    typer.echo(told)
    raise typer.Exit(int(found))


@app.command()
def translate(
    path: Annotated[Path, typer.Argument(help="Folder of a corpus of timelines.")],
    out: Annotated[Path, typer.Option(help="Folder of the translated corpus.")],
    overrides: Annotated[list[str] | None, typer.Argument(help="llm=server and so on.")] = None,
    to: Annotated[str, typer.Option(help="ISO 639-1.")] = "en",
) -> None:
    """A model brings all posts, captions and warnings into one language; what it can't is left and counted."""
    from folkmoot.sim.commands.corpus_translate import translate as translated

    typer.echo(translated(path, out, to, overrides or ()))


@app.command()
def caption(
    path: Annotated[Path, typer.Argument(help="Folder of a corpus of timelines.")],
    media: Annotated[Path, typer.Option(help="Folder of the unpacked archive, in which the images lie.")],
    out: Annotated[Path, typer.Option(help="Folder of the corpus with captions.")],
    overrides: Annotated[list[str] | None, typer.Argument(help="llm=litellm llm.model=... and so on.")] = None,
    salt_file: Annotated[Path | None, typer.Option(help="Key of the pseudonyms, as at the build.")] = None,
) -> None:
    """A model that sees describes every image without a caption in a sentence; what it can't is counted."""
    from folkmoot.sim.commands.corpus_caption import caption as captioned

    typer.echo(captioned(path, media, out, salt_file, overrides or ()))


@app.command()
def accounts(
    path: Annotated[Path, typer.Argument(help="Folder of a corpus of timelines.")],
    sheet: Annotated[Path, typer.Option(help="The sheet to write.")] = Path("accounts.csv"),
    filled: Annotated[Path | None, typer.Option(help="A filled sheet to take in.")] = None,
) -> None:
    """A sheet on which people take out commercial, celebrity, organization, repost-heavy and empty accounts."""
    from folkmoot.sim.commands.corpus_accounts import read_sheet, write_sheet

    typer.echo(write_sheet(path, sheet) if filled is None else read_sheet(path, filled))


@app.command()
def audit(
    path: Annotated[Path | None, typer.Argument(help="Folder of a corpus, or of several.")] = None,
    sheet: Annotated[Path, typer.Option(help="The review sheet to write.")] = Path("review.csv"),
    filled: Annotated[Path | None, typer.Option(help="A filled sheet to tally.")] = None,
    users: Annotated[int, typer.Option(min=1, help="Users of each corpus.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
) -> None:
    """A review sheet for people (faithfulness, coherence of traits, privacy), and the tally of the filled one."""
    from folkmoot.sim.commands.corpus_audit import read_review, write_review

    if filled is not None:
        typer.echo(read_review(filled))
    elif path is not None:
        typer.echo(write_review(path, sheet, users, seed))
    else:
        raise typer.BadParameter("give the folder of a corpus, or --filled SHEET")
