"""Fitting a prompt to the model's window (Wiki-Talkie, next-turn generation).

While the prompt is over the window less the reserved tokens, the article is shortened to 90 % of its
present length again and again, then history threads are dropped one by one. Counting tokens is dear:
the rule's outcome is searched for, not walked to, and where bytes alone prove that a prompt fits nothing is counted.
"""

from collections.abc import Callable, Sequence

from folkmoot.sim.protocols import Message

_TEMPLATE_TOKENS = 64
"""More than any common chat template adds to two or three messages."""
_TOKENS_PER_CHAR = 0.3
"""First guess, before anything was counted; only the number of counts depends on it."""
SHRINK = 0.9


class Fit:
    """A limit in tokens, and how to count.

    Args:
        limit: most prompt tokens, chat template included.
        count: exact (or upper) number of prompt tokens of messages.
        slack: tokens beyond the limit that the reason for a repair may take.
    """

    def __init__(self, limit: int, count: Callable[[Sequence[Message]], int], slack: int = 0) -> None:
        self.limit = limit
        self._count = count
        self._slack = slack

    def surely_fits(self, messages: Sequence[Message]) -> bool:
        """True if even one token a byte would fit; costs no count."""
        characters = sum(len(message.content) for message in messages)
        if characters + _TEMPLATE_TOKENS > self.limit:
            return False
        return sum(len(message.content.encode()) for message in messages) + _TEMPLATE_TOKENS <= self.limit

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether the messages are within the limit; counts only where bytes don't prove it."""
        return self.surely_fits(messages) or self._count(messages) <= self.limit

    def fits_repair(self, messages: Sequence[Message]) -> bool:
        """Whether the messages are within limit and slack; counts only where bytes don't prove it."""
        return self.surely_fits(messages) or self._count(messages) <= self.limit + self._slack

    def first(self, steps: int, messages: Callable[[int], Sequence[Message]]) -> int | None:
        """The first step of 0..steps-1 whose messages fit; None if the last doesn't either.

        Later steps must be shorter. Found by interpolation between counts, then by halving.
        """
        if self.surely_fits(messages(0)):
            return 0
        low, high, ratio, tries = -1, steps, _TOKENS_PER_CHAR, 0
        while high - low > 1:
            step = self._guess(low, high, ratio, messages) if tries < 3 else (low + high) // 2  # noqa: PLR2004 -- then halve
            candidate = messages(step)
            tokens = self._count(candidate)
            ratio = tokens / max(1, _size(candidate))
            low, high = (low, step) if tokens <= self.limit else (step, high)
            tries += 1
        return high if high < steps else None

    def _guess(self, low: int, high: int, ratio: float, messages: Callable[[int], Sequence[Message]]) -> int:
        left, right = low + 1, high - 1
        while left < right:
            middle = (left + right) // 2
            if _size(messages(middle)) * ratio <= self.limit:
                right = middle
            else:
                left = middle + 1
        return left


def _size(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def shrunk(length: int) -> list[int]:
    """Lengths of an article under the rule: itself, 90 % of it, 90 % of that, ..., 0.

    >>> shrunk(10)
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    """
    lengths = [length]
    while lengths[-1] > 0:
        lengths.append(int(lengths[-1] * SHRINK))
    return lengths
