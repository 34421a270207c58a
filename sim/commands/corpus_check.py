"""`folkmoot corpus check`: whether a corpus may be used; 0 nothing found, 1 something found."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from folkmoot.environments.corpora.built import MAX_THREADS, find_stores, load_built
from folkmoot.environments.corpora.checking import (
    KINDS,
    LEAKS,
    WAYS_OUT,
    Finding,
    check_names,
    check_parts,
    check_profiles,
    check_references,
    harmful,
    read_lines,
    source_names,
)
from folkmoot.environments.corpora.splits import Leak, Split, SplitSettings, split
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.errors import CorpusError

MOST = 20
"""Findings of a kind that are listed."""


def check_store(
    store: Store, names: Sequence[str] = (), by: str = "time", max_threads: int | None = MAX_THREADS
) -> Iterator[Finding]:
    """Everything that is wrong with a corpus, kind by kind; leaks by the split that a run with these threads makes."""
    yield from check_profiles(store, names)
    yield from check_names(store, names)
    yield from check_references(store)
    found = _split(store, by, max_threads)
    if isinstance(found, Finding):
        yield found
        return
    parts, left = found
    if left:
        told = f"{left} older threads weren't looked at: as many as a run loads were; --max-threads N takes more"
        yield Finding(LEAKS, told, "threads", grave=False)
    yield from check_parts(store, frozenset(parts.reference), frozenset((*parts.history, *parts.openings)))


def _split(store: Store, by: str, max_threads: int | None) -> tuple[Split, int] | Finding:
    """The parts and how many threads were left out of them; or why there are none: a leak, or too few threads."""
    settings = SplitSettings.model_validate({"by": by})
    try:
        corpus = load_built(store.path, max_threads)
        return split(corpus, settings), sum(corpus.losses.values())
    except Leak as leak:
        what = f"{leak.thing} stands in the reference and in the history or the openings ({leak.count} such)"
        hidden = leak.thing == "the text"
        place = "comments" if hidden else f"{leak.thing} {leak.first}"
        return Finding(LEAKS, what, place, leak.first if hidden else "")
    except CorpusError as error:
        return Finding(LEAKS, f"no run can split it, so nothing was looked for: {error}", "threads", grave=False)


def check(
    path: Path,
    *,
    source: str | None = None,
    names: Path | None = None,
    allow: Path | None = None,
    by: str = "time",
    max_threads: int | None = MAX_THREADS,
    show_text: bool = False,
) -> tuple[str, bool]:
    """What to print of the corpora of a folder, and whether something grave was found.

    Args:
        path: a corpus, or a folder of several.
        source: the source that it was built from: its user names must not stand in it.
        names: a file of further raw user names, one a line.
        allow: a file of texts that were looked at and are harmless, one a line.
        by: the split whose leaks are looked for.
        max_threads: how many threads of a corpus are split, the latest; None: all, in memory.
        show_text: print the characters found; they may be private.

    Raises:
        CorpusError: no complete corpus there, or a list or the source can't be read.
    """
    listed = read_lines(names, "list of user names")
    allowed = frozenset(text.casefold() for text in read_lines(allow, "list of harmless texts"))
    lines: list[str] = []
    grave = False
    for store in find_stores(path, damaged=True):
        known = sorted(listed | (source_names(source, store.manifest.language) if source else frozenset()))
        findings = [finding for finding in check_store(store, known, by, max_threads) if harmful(finding, allowed)]
        grave = grave or any(finding.grave for finding in findings)
        lines += [f"{store.manifest.name}: {len(findings)} findings", *_told(findings, show_text)]
    if not listed and source is None:
        lines.append("user names in plain words weren't looked for: give --from SOURCE, or --names FILE")
    return "\n".join(lines), grave


def _told(findings: Sequence[Finding], show_text: bool) -> Iterator[str]:
    for kind in KINDS:
        own = [finding for finding in findings if finding.kind == kind]
        if own:
            yield f"  {kind}: {len(own)} ({WAYS_OUT[kind]})"
            for finding in own[:MOST]:
                text = f": {' '.join(finding.text.split())[:80]!r}" if show_text and finding.text else ""
                note = "" if finding.grave else " (allowed; for your notice)"
                yield f"    {finding.place}: {finding.what}{text}{note}"
            if len(own) > MOST:
                yield f"    ... and {len(own) - MOST} more"
        else:
            yield f"  {kind}: nothing"
