"""The scored texts of a community so far, and the numbers that are published of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from folkmoot.metrics.fidelity.drift import Drift, DriftAlarm
from folkmoot.metrics.fidelity.live_config import FidelityMonitorConfig
from folkmoot.metrics.fidelity.scored import MEASURES, ScoredText, flat, means
from folkmoot.metrics.fidelity.swap import swap_auc
from folkmoot.metrics.uncertainty import Estimate

NAME = "fidelity"

DRIFTED = f"{NAME}.drift.alarms"
"""Drift alarms so far, a published number."""

BESIDE = (".low", ".high", ".n")
"""What is published beside a mean or an AUC."""


@dataclass(slots=True)
class Ledger:
    """What has been scored.

    Args:
        config: of the monitor.
        groups: agent -> group, of all whose persona says something.
        seed: of the draws.
    """

    config: FidelityMonitorConfig
    groups: Mapping[str, str]
    seed: int = 0
    texts: list[ScoredText] = field(default_factory=list)
    drift: Drift = field(init=False)
    _new: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        config = self.config
        self.drift = Drift(self.groups, MEASURES, config.false_alarms, config.horizon)

    def add(self, text: ScoredText) -> list[DriftAlarm]:
        """Take the next text of the log; the alarms that it raises."""
        self.texts.append(text)
        self._new[text.agent] = None
        named = dict(zip(MEASURES, text.values, strict=True))
        return self.drift.read(text.agent, named, text.seq, text.time)

    def population(self, *, recent: bool = False) -> dict[str, Estimate]:
        """Means over all texts, or the last `window` alone; intervals over authors."""
        return self._means(self.texts[-self.config.window :] if recent else self.texts)

    def by_group(self) -> dict[str, dict[str, Estimate]]:
        """Group -> means; intervals over authors."""
        names = sorted({self.groups[one.agent] for one in self.texts} - {""})
        return {name: self._means([one for one in self.texts if self.groups[one.agent] == name]) for name in names}

    def by_agent(self, agents: Mapping[str, None] | None = None) -> dict[str, dict[str, Estimate]]:
        """Agent -> means; intervals over the agent's texts."""
        own: dict[str, list[ScoredText]] = {}
        for one in self.texts:
            if agents is None or one.agent in agents:
                own.setdefault(one.agent, []).append(one)
        return {agent: self._means(own[agent], by_text=True) for agent in sorted(own)}

    def others(self) -> dict[str, dict[str, Estimate]]:
        """Agent -> means of other people's texts against the agent's persona; intervals over authors."""
        held: dict[str, list[ScoredText]] = {}
        for one in self.texts:
            if one.other:
                held.setdefault(one.other, []).append(one)
        return {agent: self._others(held[agent]) for agent in sorted(held)}

    def swapped(self) -> dict[str, Estimate]:
        """The control: means against the other personas, and the AUC."""
        found = self._others(self.texts)
        area = swap_auc(self.texts, seed=self.seed, draws=self.config.draws, level=self.config.level)
        return found if area is None else found | {"auc": area}

    def numbers(self) -> dict[str, float]:
        """All that is published at this moment; of agents those with new texts since the last time."""
        if not self.texts:
            return {f"{NAME}.n": 0.0}
        found = {f"{NAME}.n": float(len(self.texts))} | flat(NAME, self.population())
        if self.config.window:
            found |= flat(f"window.{NAME}", self.population(recent=True))
        for group, estimates in self.by_group().items():
            found |= flat(f"{NAME}.group.{group}", estimates)
        for agent, estimates in self.by_agent(self._new).items():
            found |= flat(f"{NAME}.agent.{agent}", estimates)
        self._new = {}
        return found | flat(f"{NAME}.swap", self.swapped()) | {DRIFTED: float(len(self.drift.alarms))}

    def _means(self, texts: list[ScoredText], *, by_text: bool = False) -> dict[str, Estimate]:
        units = [str(one.seq) if by_text else one.agent for one in texts]
        return self._averaged([one.values for one in texts], units)

    def _others(self, texts: list[ScoredText]) -> dict[str, Estimate]:
        both = [(one.agent, values) for one in texts if (values := one.other_values) is not None]
        return self._averaged([values for _, values in both], [author for author, _ in both])

    def _averaged(self, rows: list[tuple[float, ...]], units: list[str]) -> dict[str, Estimate]:
        return means(rows, units, seed=self.seed, draws=self.config.draws, level=self.config.level)


def published(config: FidelityMonitorConfig, groups: Mapping[str, str]) -> set[str]:
    """All numbers that a community's monitor may publish, without what stands beside them (`BESIDE`).

    Args:
        config: of the monitor.
        groups: agent -> group, of all whose persona says something.
    """
    scopes = [NAME, *([f"window.{NAME}"] if config.window else [])]
    scopes += [f"{NAME}.group.{group}" for group in groups.values() if group]
    scopes += [f"{NAME}.agent.{agent}" for agent in groups]
    swap = [f"{NAME}.swap.{name}" for name in (*MEASURES, "auc")] if config.swap_share else []
    return {f"{NAME}.n", DRIFTED, *swap, *(f"{scope}.{name}" for scope in scopes for name in MEASURES)}
