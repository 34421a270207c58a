"""Candidate tags with what is computed of them: in how many posts and months they show, from when to when."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from folkmoot.agents.interests.answers import Signal
from folkmoot.agents.interests.posts import date
from folkmoot.sim.persona import DOMAINS, Domain
from folkmoot.sim.quoting import line, quote

WINDOW = 90 * 86_400_000
"""Late is what lies at most so many ms before the last post."""

MOST = 25
"""Candidates of a domain that are shown, those with most posts."""


class Candidate(NamedTuple):
    """A tag and its dates.

    Attributes:
        posts: that show it.
        months: calendar months, UTC, in which they lie.
        first, last: ms since the epoch, UTC.
        late: of the posts, those of the last 90 days of the timeline.
    """

    domain: Domain
    tag: str
    posts: int
    months: int
    first: int
    last: int
    late: int


def candidates(signals: Iterable[Signal], times: Mapping[int, int]) -> list[Candidate]:
    """Candidates by domain, those with most posts first; tags are one where they differ by case alone.

    Args:
        signals: of posts.
        times: number of a post -> its time, ms; of all posts of the timeline.
    """
    end = max(times.values(), default=0)
    posts: dict[tuple[Domain, str], set[int]] = {}
    for one in signals:
        posts.setdefault((one.domain, one.tag.casefold()), set()).add(one.post)
    found = [
        _candidate(domain, tag, sorted(times[n] for n in numbers), end) for (domain, tag), numbers in posts.items()
    ]
    return sorted(found, key=lambda one: (DOMAINS.index(one.domain), -one.posts, -one.last, one.tag))


def _candidate(domain: Domain, tag: str, times: Sequence[int], end: int) -> Candidate:
    late = sum(time >= end - WINDOW for time in times)
    return Candidate(domain, tag, len(times), len({date(time)[:7] for time in times}), times[0], times[-1], late)


def show_candidates(found: Sequence[Candidate]) -> str:
    """Candidates as a prompt shows them, by domain.

    >>> print(show_candidates([Candidate("pets", "cats", 4, 2, 0, 86_400_000 * 40, 1)]))
    pets
    > cats: 4 posts in 2 months, 1970-01-01 to 1970-02-10; 1 in the last 90 days
    """
    blocks = []
    for domain in DOMAINS:
        own = [one for one in found if one.domain == domain][:MOST]
        if own:
            blocks.append(f"{domain}\n{quote(chr(10).join(map(_line, own)))}")
    return "\n".join(blocks)


def _line(one: Candidate) -> str:
    span = f"{date(one.first)} to {date(one.last)}"
    posts, months = f"{one.posts} post{'s' * (one.posts > 1)}", f"{one.months} month{'s' * (one.months > 1)}"
    return f"{line(one.tag)}: {posts} in {months}, {span}; {one.late} in the last 90 days"
