"""A model's choice among lettered options: shown as much as the window takes, its probabilities of the letters decide.

So no answer is unreadable. Whoever asks draws the options' order, or a liking for a letter would be one for an option.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import exp
from string import ascii_uppercase
from typing import NamedTuple

from folkmoot.agents.conditioning.fit import Fit
from folkmoot.sim.protocols import Activation, Message

LETTERED = len(ascii_uppercase)
"""Options that a model can be asked about at once: each has a letter."""
DIGITS = 4
"""The scores noted, in nats, have so many."""


class Ballot(NamedTuple):
    """What is put before the model at one step of showing less and less.

    Attributes:
        options: how many, at most `LETTERED`.
    """

    messages: Sequence[Message]
    options: int


class Chosen(NamedTuple):
    """The step that fitted the window, and the place of the option."""

    step: int
    place: int


class Chooser:
    """Asks for a letter: the most probable one is taken at temperature 0, above it one is drawn.

    Args:
        fit: the window.
        temperature: divides the log-probabilities.
    """

    def __init__(self, fit: Fit, temperature: float = 0.0) -> None:
        self._fit = fit
        self._temperature = temperature

    async def choose(
        self, activation: Activation, steps: int, ballot: Callable[[int], Ballot], noted: str, draw: str
    ) -> Chosen | None:
        """The choice; None, noted, where not even the last step fits the window.

        Args:
            activation: asks, and notes the scores in nats.
            steps: of showing less.
            ballot: of a step.
            noted: name of the note.
            draw: name of the random draw.
        """
        step = self._fit.first(steps, lambda at: ballot(at).messages)
        if step is None:
            activation.note(plan_over_window=self._fit.limit)
            return None
        messages, options = ballot(step)
        scores = (await activation.label_logprobs(messages, tuple(ascii_uppercase[:options]))).logprobs
        activation.note(**{noted: [round(score, DIGITS) for score in scores]})
        return Chosen(step, place_of(scores, self._temperature, activation.uniform(draw)))


def listing(options: Iterable[str]) -> str:
    r"""Options in words, a line each after its letter.

    >>> listing(["Say nothing", "Leave"])
    'A. Say nothing\nB. Leave'
    """
    return "\n".join(f"{letter}. {words}" for letter, words in zip(ascii_uppercase, options, strict=False))


def place_of(scores: Sequence[float], temperature: float, uniform: float) -> int:
    """The place of the best score (log-probabilities) at temperature 0, of a drawn one above it."""
    best = max(scores)
    if temperature == 0:
        return scores.index(best)
    shares = list(accumulate(exp((score - best) / temperature) for score in scores))
    return next(place for place, share in enumerate(shares) if uniform * shares[-1] < share)
