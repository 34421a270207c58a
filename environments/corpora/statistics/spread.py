"""Mean and standard deviation of whole numbers that come one by one; memory grows with distinct values only."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan, sqrt


@dataclass(slots=True)
class Spread:
    """A distribution of whole numbers.

    Attributes:
        counts: value -> how often.

    >>> spread = Spread(); spread.add(2); spread.add(4); spread.n, spread.mean, round(spread.sd, 3)
    (2, 3.0, 1.414)
    """

    counts: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, values: Iterable[int]) -> "Spread":
        """Of all these values."""
        return cls(Counter(values))

    def add(self, value: int) -> None:
        """One more value."""
        self.counts[value] += 1

    @property
    def n(self) -> int:
        """Number of values."""
        return self.counts.total()

    @property
    def mean(self) -> float:
        """Arithmetic mean; nan where there are no values."""
        return self._sum(1) / self.n if self.n else nan

    @property
    def sd(self) -> float:
        """Standard deviation of a sample (n - 1); nan below two values. Sums are exact, so no value is too large."""
        if self.n < 2:  # noqa: PLR2004 -- one value has no spread
            return nan
        return sqrt((self.n * self._sum(2) - self._sum(1) ** 2) / (self.n * (self.n - 1)))

    def quantile(self, share: float) -> int:
        """The smallest value that at least this share of the values doesn't exceed; 0 where there are none."""
        reached = 0
        for value in sorted(self.counts):
            reached += self.counts[value]
            if reached >= share * self.n:
                return value
        return 0

    def _sum(self, power: int) -> int:
        return sum(value**power * count for value, count in self.counts.items())
