"""Drift: somebody who was in character so far isn't any more. CUSUM charts of sequential ranks.

Each score is ranked among the same agent's scores so far. As long as these are exchangeable, whatever their
distribution, the rank of the t-th is uniform on 1..t and independent of the earlier ranks, so its normal score is a
step of mean 0 and variance at most 1. A chart adds the steps down, less an allowance, and raises an alarm where the
sum passes a threshold. Charts of a group and of the population take the steps of their agents in the order of the log:
who talks how much doesn't move them.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import NormalDist

import msgspec
import numpy as np

ALLOWANCE = 0.5
"""Of each step, in standard deviations: the CUSUM is quickest to find a fall of twice this size."""

_STATES = 120
_NORMAL = NormalDist()


class DriftAlarm(msgspec.Struct, frozen=True, kw_only=True):
    """A chart that passed its threshold.

    Attributes:
        scope: "population", "group" or "agent".
        name: of the group or agent.
        measure: "score" or a dimension.
        seq: the text at which it did.
        time: of that text, ms.
        since: seq of the first text of the fall, as far as the chart tells.
        n: scored texts that the chart had read.
        total: height of the chart then.
        threshold: what it passed.
    """

    scope: str
    name: str
    measure: str
    seq: int
    time: int
    since: int
    n: int
    total: float
    threshold: float


@dataclass(slots=True)
class Ranks:
    """Sequential ranks of one agent's scores."""

    _sorted: list[float] = field(default_factory=list)

    def step(self, value: float) -> float:
        """Normal score of the value's rank among all so far; ties get the mean of their ranks.

        >>> ranks = Ranks()
        >>> [round(ranks.step(x), 2) for x in (0.5, 0.4, 0.9)]
        [0.0, -0.67, 0.97]
        """
        below, upto = bisect_left(self._sorted, value), bisect_right(self._sorted, value)
        insort(self._sorted, value)
        return _NORMAL.inv_cdf((below + (upto - below + 1) / 2) / len(self._sorted))


@dataclass(slots=True)
class Cusum:
    """One chart: the sum of falls, less the allowance, never under 0.

    Attributes:
        threshold: over which it raises an alarm and starts again.
    """

    threshold: float
    total: float = 0.0
    since: int = -1
    n: int = 0

    def add(self, step: float, seq: int) -> bool:
        """Take the next step; True at an alarm: `total` is then what passed, `since` the first text of the fall."""
        self.n += 1
        if not 0 < self.total <= self.threshold:
            self.total, self.since = 0.0, seq
        self.total = max(0.0, self.total - step - ALLOWANCE)
        return self.total > self.threshold


@cache
def threshold(false_alarm: float, horizon: int) -> float:
    """The height that a chart of independent standard normal steps passes within `horizon` steps at this chance.

    By the Markov chain of Brook and Evans (1972), not by simulation: the same number everywhere.

    >>> round(threshold(0.05, 100), 1)
    5.7
    """
    low, high = 0.0, 60.0
    for _ in range(40):
        middle = (low + high) / 2
        if _passing(middle, horizon) > false_alarm:
            low = middle
        else:
            high = middle
    return high


def _passing(height: float, horizon: int) -> float:
    """Chance that the chart is over `height` at some step of `horizon`."""
    width = 2 * height / (2 * _STATES - 1)
    edges = np.array([_NORMAL.cdf((k + 0.5) * width + ALLOWANCE) for k in range(-_STATES, _STATES)])
    place = np.arange(_STATES)
    upper = edges[place[None, :] - place[:, None] + _STATES]
    lower = edges[place[None, :] - place[:, None] + _STATES - 1]
    moves = upper - lower
    moves[:, 0] = upper[:, 0]
    return float(1 - np.linalg.matrix_power(moves, horizon)[0].sum())


class Drift:
    """All charts of a community: each measure of the population, of each group and of each agent.

    Args:
        agents: agent -> group, "" for none.
        measures: names of what is charted.
        false_alarms: chance of any alarm in a run without drift; each chart gets its part of it (Bonferroni).
        horizon: scored texts a chart up to which that holds.
    """

    def __init__(
        self, agents: Mapping[str, str], measures: Sequence[str], false_alarms: float = 0.05, horizon: int = 500
    ) -> None:
        scopes = {("population", ""), *(("group", group) for group in agents.values() if group)}
        scopes |= {("agent", agent) for agent in agents}
        self.charts = len(scopes) * len(measures)
        self.alarms: list[DriftAlarm] = []
        self._groups = agents
        self._ranks = {(agent, measure): Ranks() for agent in agents for measure in measures}
        height = threshold(false_alarms / self.charts, horizon)
        self._charts = {(*scope, measure): Cusum(height) for scope in sorted(scopes) for measure in measures}

    def read(self, agent: str, values: Mapping[str, float], seq: int, time: int) -> list[DriftAlarm]:
        """Take one text's scores; the alarms that it raises."""
        scopes = (("population", ""), ("group", self._groups[agent]), ("agent", agent))
        raised = []
        for measure, value in values.items():
            step = self._ranks[agent, measure].step(value)
            for scope, name in scopes:
                chart = self._charts.get((scope, name, measure))
                if chart is not None and chart.add(step, seq):
                    raised.append(_alarm(chart, (scope, name, measure), seq, time))
        self.alarms += raised
        return raised


def _alarm(chart: Cusum, key: tuple[str, str, str], seq: int, time: int) -> DriftAlarm:
    scope, name, measure = key
    return DriftAlarm(
        scope=scope,
        name=name,
        measure=measure,
        seq=seq,
        time=time,
        since=chart.since,
        n=chart.n,
        total=round(chart.total, 6),
        threshold=round(chart.threshold, 6),
    )
