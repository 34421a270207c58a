"""A thread's comments in an order in which every answer stands behind what it answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from folkmoot.environments.corpora.sources.base import SourceComment

TWICE = "comments that are there twice (the last one counts)"
ELSEWHERE = "answers to comments that aren't in the thread (kept, as standing by themselves)"
RINGS = "answers that answer each other in a ring (kept, as standing by themselves)"


def in_order(comments: Sequence[SourceComment], losses: Counter[str]) -> tuple[SourceComment, ...]:
    """The comments as they come, but none before the one that it answers.

    Of two with one id the last one counts, at the place of the first. An answer to a comment that isn't there, or to
    one that answers it in turn, stands by itself.

    Args:
        comments: in the source's order.
        losses: grows by what was mended.
    """
    known: dict[str, SourceComment] = {}
    for comment in comments:
        if comment.id in known:
            losses[TWICE] += 1
        known[comment.id] = comment
    done: dict[str, SourceComment] = {}
    for comment in known.values():
        for each in _ancestry(comment, known, done, losses):
            done[each.id] = each
    return tuple(done.values())


def _ancestry(
    comment: SourceComment, known: dict[str, SourceComment], done: dict[str, SourceComment], losses: Counter[str]
) -> list[SourceComment]:
    """The comment behind all that it answers and that isn't done yet, the oldest first."""
    line: list[SourceComment] = []
    seen: set[str] = set()
    current: SourceComment | None = comment
    while current is not None and current.id not in done:
        seen.add(current.id)
        parent = current.parent
        if parent is not None and (parent in seen or parent not in known):
            losses[RINGS if parent in seen else ELSEWHERE] += 1
            current = replace(current, parent=None)
        line.append(current)
        current = None if current.parent is None else known[current.parent]
    return line[::-1]
