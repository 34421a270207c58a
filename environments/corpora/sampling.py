"""The threads of an experiment: enough history, and as many comments by women as there are, up to a half.

The one sampler: `next_turn` and the corpus's statistics choose their threads here.

Of the threads in which a user with at least six comments answers, at most 5,000 are taken; comments by women may be at
most 50 % of theirs (Wiki-Talkie, section 4). A sum over a choice of threads is a ratio, women's comments to all, so the
best choice of N threads is found exactly by Dinkelbach's method: take the N threads with the largest w - q * n, where q
is the ratio of the choice before, until q stops growing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from folkmoot.sim.persona import Frozen
from folkmoot.sim.rng import digest


class SampleSettings(Frozen):
    """Of the sample.

    Attributes:
        least_comments: that a user needs in the corpus.
        threads: at most so many.
        women: largest share of the comments that are by women.
        seed: of the draw among threads alike.
    """

    least_comments: int = Field(default=6, ge=1)
    threads: int = Field(default=5000, ge=1)
    women: float = Field(default=0.5, ge=0, le=1)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Countable:
    """A thread by its targets: answers by users with enough comments, and how many of them are by women."""

    id: str
    targets: int
    women: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The chosen threads, in the order in which they came.

    Attributes:
        threads: ids.
        targets, women: answers in them by users with enough comments, and those by women.
        dropped: threads that weren't chosen, by reason.
    """

    threads: tuple[str, ...]
    targets: int
    women: int
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Of the targets, those by women; 0 where there are none."""
        return self.women / self.targets if self.targets else 0.0


def count_targets(
    thread: str, actors: Sequence[str], comments: Mapping[str, int], genders: Mapping[str, str], least: int
) -> Countable:
    """A thread of these actors, opening first; the opening is never a target.

    Args:
        thread: its id.
        actors: one a comment.
        comments: user -> comments in the corpus; users who aren't in it are nobody's targets.
        genders: user -> stated gender.
        least: comments that a user needs.
    """
    targets = [actor for actor in actors[1:] if comments.get(actor, 0) >= least]
    return Countable(thread, len(targets), sum(genders.get(actor) == "woman" for actor in targets))


def choose_threads(threads: Iterable[Countable], settings: SampleSettings | None = None) -> Sample:
    """The sample; the same for the same seed, in whatever order the threads come.

    >>> choose_threads([Countable("a", 2, 0), Countable("b", 2, 2), Countable("c", 2, 1)], SampleSettings(threads=2))
    Sample(threads=('a', 'b'), targets=4, women=2, dropped=Counter({'over the limit of threads': 1}))
    """
    settings = settings or SampleSettings()
    given = list(threads)
    eligible = [thread for thread in given if thread.targets]
    dropped = Counter({"no answer by a user with enough comments": len(given) - len(eligible)})
    by_lot = in_lot_order((thread.id for thread in eligible), settings.seed)
    places = {name: place for place, name in enumerate(by_lot)}
    order = sorted(eligible, key=lambda thread: places[thread.id])
    chosen = _choose(order, settings)
    dropped["over the limit of threads"] = len(eligible) - len(chosen)
    kept = {thread.id for thread in chosen}
    ids = tuple(thread.id for thread in eligible if thread.id in kept)
    return Sample(ids, sum(t.targets for t in chosen), sum(t.women for t in chosen), +dropped)


def in_lot_order(names: Iterable[str], seed: int) -> list[str]:
    """Threads as the seed shuffles them, in whatever order they come; a part of them keeps its order."""
    return sorted(names, key=lambda name: digest(seed, "sample", name))


def _choose(order: Sequence[Countable], settings: SampleSettings) -> list[Countable]:
    """All where they are few; else the most women, and where that is over the bound, fewer of them.

    Threads with women are drawn by the seed where that reaches the bound, so that not only those among women are taken;
    else those with the largest share of women come first.
    """
    total, bound = settings.threads, settings.women
    if len(order) <= total:
        return list(order)
    best = _most_women(order, total)
    if _ratio(best) <= bound:
        return best
    with_women, without = [t for t in order if t.women], [t for t in order if not t.women]
    if _ratio(with_women[:total]) < bound:
        with_women.sort(key=lambda thread: -thread.women / thread.targets)
    return _mixed(with_women, without, total, bound) or _most_women(order, total, sign=-1)


def _mixed(
    with_women: Sequence[Countable], without: Sequence[Countable], total: int, bound: float
) -> list[Countable] | None:
    """As many threads with women as the bound allows, and the rest without; None where the rest doesn't suffice."""
    for count in range(min(total, len(with_women)), max(0, total - len(without)) - 1, -1):
        mixed = [*with_women[:count], *without[: total - count]]
        if _ratio(mixed) <= bound:
            return mixed
    return None


def _most_women(order: Sequence[Countable], total: int, sign: int = 1) -> list[Countable]:
    """The threads with the largest ratio of women's targets to all (Dinkelbach); with sign -1 the smallest."""
    best = list(order[:total])
    while True:
        ratio = _ratio(best)
        better = sorted(order, key=lambda t: sign * (ratio * t.targets - t.women))[:total]
        if sign * (_ratio(better) - ratio) <= 0:
            return best
        best = better


def _ratio(threads: Sequence[Countable]) -> float:
    targets = sum(thread.targets for thread in threads)
    return sum(thread.women for thread in threads) / targets if targets else 0.0
