"""Two tallies -> estimates: where counting ends and torch begins."""

from dataclasses import dataclass, field

from folkmoot.metrics import families
from folkmoot.metrics.families import Family
from folkmoot.metrics.names import DIVERGENCES
from folkmoot.metrics.network import GraphSide
from folkmoot.metrics.reply_graph import ReplyGraph
from folkmoot.metrics.significance import Floor, noise_floor
from folkmoot.metrics.tallies import LabelTally, Tally
from folkmoot.metrics.tensors import as_tensor
from folkmoot.metrics.uncertainty import Estimate, Resampled, Resampler, Rows, Side, cluster_bootstrap, resample
from folkmoot.sim.errors import MetricError


def family_of(name: str, tally: Tally) -> Family:
    """The family of numbers that a tally feeds."""
    if isinstance(tally, LabelTally):
        return families.acts(tally.labels) if name == "acts" else families.sentiment(tally.labels)
    return {"text": families.text, "threads": families.threads, "network": families.network}[name]()


def side_of(tally: Tally, device: str = "cpu", blocks: int = 0, *, recent: bool = False) -> Side:
    """A tally as a bootstrap side; it may hold no threads yet."""
    data = tally.data(recent=recent)
    return GraphSide(data, device, blocks) if isinstance(data, ReplyGraph) else Rows(as_tensor(data, device), blocks)


@dataclass(slots=True)
class Reference:
    """The real side of one family: its draws and its noise floors, each made once.

    Args:
        name: of the family.
        tally: the real side.
        resampler: seed, draws, level, method, device.
    """

    name: str
    tally: Tally
    resampler: Resampler
    family: Family = field(init=False)
    _sums: Resampled | None = field(init=False, default=None)
    _floors: dict[tuple[int, int], dict[str, Floor]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.family = family_of(self.name, self.tally)

    def measure(self, simulated: Tally, *, recent: bool = False) -> dict[str, Estimate]:
        """All numbers of the family; {} while the simulated side is empty.

        Raises:
            MetricError: the real side is empty.
        """
        if not self.tally.size():
            raise MetricError(f"the real side of {self.name!r} has 0 comments; give the reference population's events")
        n_items = simulated.size(recent=recent)
        if not n_items:
            return {}
        side = side_of(simulated, self.resampler.device, self.resampler.blocks, recent=recent)
        sums = resample(side, self.resampler)
        return cluster_bootstrap(self.real(), sums, self.family.statistic, self.resampler, n_items)

    def real(self) -> Resampled:
        """The real side's sums under every draw, made once."""
        if self._sums is None:
            side = side_of(self.tally, self.resampler.device, self.resampler.blocks)
            self._sums = resample(side, self.resampler, "real")
        return self._sums

    def floor(self, size: int, draws: int = 200) -> dict[str, Floor]:
        """Noise floors of the family's divergences at a sample size; {} for a real side of one thread."""
        key = min(size, self.tally.size()), draws
        if key not in self._floors:
            self._floors[key] = self._split(*key)
        return self._floors[key]

    def _split(self, size: int, draws: int) -> dict[str, Floor]:
        side = side_of(self.tally, self.resampler.device)
        if len(side) < 2:  # noqa: PLR2004 -- two halves
            return {}
        floors = noise_floor(
            side, self.tally.items(), self.family.statistic, size=size, seed=self.resampler.seed, draws=draws
        )
        return {name: floors[name] for name in DIVERGENCES[self.name]}


def floor_size(n: int) -> int:
    """The sample size at which a stream shows the noise floor: n rounded down to a power of 2.

    So a growing simulation asks for a new floor at every doubling, not at every point.

    >>> [floor_size(n) for n in (1, 3, 5, 100, 130)]
    [1, 2, 4, 64, 128]
    """
    return 1 << (n.bit_length() - 1)
