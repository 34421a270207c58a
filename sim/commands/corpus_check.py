"""`folkmoot corpus check`: whether a corpus may be used; 0 nothing found, 1 something found."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from folkmoot.environments.corpora.built import find_stores, load_built
from folkmoot.environments.corpora.checking import (
    KINDS,
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
from folkmoot.environments.corpora.splits import SplitSettings, split
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.errors import CorpusError

MOST = 20
"""Findings of a kind that are listed."""


def check_store(store: Store, names: Sequence[str] = (), by: str = "time") -> Iterator[Finding]:
    """Everything that is wrong with a corpus, kind by kind; leaks by the split that a run would make."""
    yield from check_profiles(store, names)
    yield from check_names(store, names)
    yield from check_references(store)
    try:
        parts = split(load_built(store.path), SplitSettings.model_validate({"by": by}))
    except CorpusError:
        return  # too small for three parts, or nothing kept: nothing to leak
    yield from check_parts(store, frozenset(parts.reference), frozenset((*parts.history, *parts.openings)))


def check(
    path: Path,
    *,
    source: str | None = None,
    names: Path | None = None,
    allow: Path | None = None,
    by: str = "time",
    show_text: bool = False,
) -> tuple[str, bool]:
    """What to print of the corpora of a folder, and whether something grave was found.

    Args:
        path: a corpus, or a folder of several.
        source: the source that it was built from: its user names must not stand in it.
        names: a file of further raw user names, one a line.
        allow: a file of texts that were looked at and are harmless, one a line.
        by: the split whose leaks are looked for.
        show_text: print the characters found; they may be private.

    Raises:
        CorpusError: no complete corpus there, or a list or the source can't be read.
    """
    listed = read_lines(names, "list of user names")
    allowed = frozenset(text.casefold() for text in read_lines(allow, "list of harmless texts"))
    lines: list[str] = []
    grave = False
    for store in find_stores(path):
        known = sorted(listed | (source_names(source, store.manifest.language) if source else frozenset()))
        findings = [finding for finding in check_store(store, known, by) if harmful(finding, allowed)]
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
