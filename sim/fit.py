"""Activity parameters fitted from recorded threads: maximum likelihood, the family chosen by AIC."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from folkmoot.sim.activity import (
    DAY,
    Activity,
    Delay,
    Empirical,
    Exponential,
    Gaps,
    LogNormal,
    PowerLaw,
)
from folkmoot.sim.events import TextEvent

MIN_GAPS = 10
"""Fewer observed gaps than this leave the exponential default."""

THINK_SHARE = 0.5
"""Share of a reply's delay that counts as thinking; the rest is the delay until the person looks.

A corpus shows only their sum, so this is a setting, not an estimate."""


WATCH_SHARE = 0.5
"""Share of those who join a thread that came since they watch the page; the others came by themselves.

A setting as well: a corpus doesn't say why somebody came."""


def fit_gaps(gaps: Sequence[float], family: str = "auto") -> tuple[Gaps, dict[str, float | int | str]]:
    """The gap distribution of best AIC among exponential, log-normal and power law with cut-off.

    Args:
        gaps: positive inter-event times, any unit; scaled to mean 1 here.
        family: a family's name takes that one; `empirical` resamples.

    Returns:
        the distribution, and facts for the manifest (n, AIC of each family, the family taken).
    """
    x = np.asarray([g for g in gaps if g > 0], dtype=np.float64)
    facts: dict[str, float | int | str] = {"gaps_n": len(x)}
    if len(x) < MIN_GAPS:
        return Exponential(), {**facts, "gaps_family": "exponential (too few gaps to fit)"}
    x = x / x.mean()
    if family == "empirical":
        return Empirical(values=_rounded(np.quantile(x, np.linspace(0, 1, 101)))), {**facts, "gaps_family": family}
    fits = {"exponential": _exponential(x), "lognormal": _lognormal(x), "power_law": _power_law(x)}
    aic = {name: fit[1] for name, fit in fits.items()}
    best = min(aic, key=lambda name: aic[name]) if family == "auto" else family
    facts |= {f"gaps_aic_{name}": round(value, 6) for name, value in aic.items()}
    return fits[best][0], {**facts, "gaps_family": best}


def _exponential(x: np.ndarray) -> tuple[Gaps, float]:
    return Exponential(), 2 * len(x) * float(x.mean())


def _lognormal(x: np.ndarray) -> tuple[Gaps, float]:
    logs = np.log(x)
    sigma = max(float(logs.std()), 1e-3)
    n = len(x)
    likelihood = -n * np.log(sigma * np.sqrt(2 * np.pi)) - n / 2 - logs.sum()
    return LogNormal(sigma=_round(min(sigma, 10.0))), float(2 * 2 - 2 * likelihood)


def _power_law(x: np.ndarray) -> tuple[Gaps, float]:
    from scipy.optimize import minimize

    smallest = float(x.min())
    scaled = x / smallest

    def negative(parameters: np.ndarray) -> float:
        alpha, cutoff = np.exp(parameters)
        grid = np.geomspace(1.0, 1.0 + 40.0 * cutoff, 512)
        mass = np.trapezoid(grid**-alpha * np.exp(-(grid - 1) / cutoff), grid)
        return float(alpha * np.log(scaled).sum() + ((scaled - 1) / cutoff).sum() + len(x) * np.log(mass))

    start = np.log([1.2, max(2.0, float(scaled.mean()))])
    bounds = [(np.log(0.05), np.log(9.0)), (np.log(0.5), np.log(1e7))]
    found = minimize(negative, start, bounds=bounds, method="L-BFGS-B")
    alpha, cutoff = np.exp(found.x)
    likelihood = -float(found.fun) - len(x) * np.log(smallest)
    return PowerLaw(alpha=_round(alpha), cutoff=_round(cutoff)), float(2 * 3 - 2 * likelihood)


def fit_profile(times: Iterable[int], timezone: str) -> tuple[float, ...]:
    """Relative intensity by hour of the local week: hour-of-day x weekday, each smoothed by one pseudo-count."""
    zone = ZoneInfo(timezone)
    local = [datetime.fromtimestamp(t / 1000, zone) for t in times]
    hours = _shares(Counter(t.hour for t in local), 24)
    days = _shares(Counter(t.weekday() for t in local), 7)
    profile = np.outer(days, hours).ravel()
    return _rounded(profile / profile.mean())


def _shares(counts: Counter[int], size: int) -> np.ndarray:
    values = np.asarray([counts[i] + 1.0 for i in range(size)])
    return np.asarray(values / values.sum())


def fit_activity(
    threads: Iterable[Sequence[TextEvent]],
    timezone: str,
    *,
    family: str = "auto",
    think_share: float = THINK_SHARE,
    watch_share: float = WATCH_SHARE,
) -> Activity:
    """Activity of a community from its recorded threads (each opening first); parameters rounded to 6 digits.

    Args:
        threads: of one community.
        timezone: IANA name.
        family: of the gaps; `auto` takes the best.
        think_share: of a reply's delay, what counts as thinking.
        watch_share: of those who join a thread, who came since they watch the page; on a feed nobody does.
    """
    threads = [list(thread) for thread in threads if thread]
    events = [event for thread in threads for event in thread]
    gaps, facts = fit_gaps(_gaps(events), family)
    delays = _reply_delays(threads)
    shape, mean = _delay(delays)
    react = _react(threads)
    facts |= {"reply_delays_n": len(delays), "reply_delay_mean_s": _round(mean), "events_n": len(events)}
    return Activity(
        rate_per_day=_rate(events),
        gaps=gaps,
        profile=fit_profile([e.time for e in events], timezone),
        timezone=timezone,
        think=Delay(mean_s=_round(mean * think_share), shape=shape),
        reaction=Delay(mean_s=_round(mean * (1 - think_share)), shape=shape),
        react={"reply": react, "mention": react, "watch": _watch(threads, watch_share)},
        exogenous_share=_exogenous(threads, watch_share),
        fitted=facts,
    )


def _gaps(events: Iterable[TextEvent]) -> list[float]:
    """Each person's gaps over their own mean, pooled."""
    times = defaultdict(list)
    for event in events:
        times[event.actor].append(event.time)
    pooled: list[float] = []
    for own in times.values():
        gaps = np.diff(np.sort(np.asarray(own, dtype=np.float64)))
        gaps = gaps[gaps > 0]
        if len(gaps) > 1:
            pooled.extend(gaps / gaps.mean())
    return pooled


def _reply_delays(threads: Iterable[Sequence[TextEvent]]) -> list[float]:
    delays = []
    for thread in threads:
        times = {event.seq: event.time for event in thread}
        delays += [(e.time - times[e.parent]) / 1000 for e in thread if e.parent in times]
    return [delay for delay in delays if delay > 0]


def _delay(delays: Sequence[float]) -> tuple[Gaps, float]:
    if len(delays) < MIN_GAPS:
        return Exponential(), float(np.mean(delays)) if delays else 7200.0
    shape, _ = _lognormal(np.asarray(delays))
    # The mean of heavy-tailed delays is all outliers: trim the longest twentieth.
    kept = np.sort(delays)[: max(MIN_GAPS, int(len(delays) * 0.95))]
    return shape, float(kept.mean())


def _rate(events: Sequence[TextEvent]) -> float:
    """Comments a day of one person, over the span of the community."""
    if not events:
        return 0.0
    times = [event.time for event in events]
    span = max((max(times) - min(times)) / DAY, 1.0)
    return _round(len(events) / span / len({event.actor for event in events}))


def _react(threads: Iterable[Sequence[TextEvent]]) -> float:
    """Share of replies to which the person answered comes back in the same thread."""
    answered = returned = 0
    for thread in threads:
        authors = {event.seq: event.actor for event in thread}
        for i, event in enumerate(thread):
            author = authors.get(event.parent) if event.parent is not None else None
            if author and author != event.actor:
                answered += 1
                returned += any(later.actor == author for later in thread[i + 1 :])
    return _round(returned / answered) if answered else 0.0


def _came(threads: Sequence[Sequence[TextEvent]]) -> tuple[int, int, int]:
    """Comments that opened a thread, joined one (the author's first there), and returned to one."""
    opened = joined = returned = 0
    for thread in threads:
        seen: set[str] = set()
        for event in thread:
            opened += not seen
            joined += bool(seen) and event.actor not in seen
            returned += event.actor in seen
            seen.add(event.actor)
    return opened, joined, returned


def _watch(threads: Sequence[Sequence[TextEvent]], share: float) -> float:
    """Probability that a new thread calls one of the others who write on its page, for this share of who joins."""
    people: dict[str, set[str]] = defaultdict(set)
    for thread in threads:
        people[_page(thread[0])].update(event.actor for event in thread)
    called = sum(len(people[_page(thread[0])]) - 1 for thread in threads)
    return _round(share * _came(threads)[1] / called) if called else 0.0


def _page(event: TextEvent) -> str:
    return str(getattr(event, "page", ""))


def _exogenous(threads: Sequence[Sequence[TextEvent]], watching: float) -> float:
    """Share of the comments that nothing called for: openings, and joining that isn't watching. A tenth at least."""
    opened, joined, returned = _came(threads)
    total = opened + joined + returned
    return _round(max(0.1, (opened + (1 - watching) * joined) / total)) if total else 1.0


def _round(value: float) -> float:
    return round(float(value), 6)


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(_round(v) for v in values)
