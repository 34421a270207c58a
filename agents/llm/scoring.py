"""Label scoring in tokens: what local backends are asked for."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import LabelScores


class Scoring(NamedTuple):
    """A prompt and the tokens of its labels."""

    prompt: list[int]
    labels: list[list[int]]


class Group(NamedTuple):
    """Prompts that are scored together because they begin alike, and the tokens of the labels behind each."""

    prompts: list[list[int]]
    labels: list[list[int]]


def label_tokens(labels: Sequence[str], plain: Callable[[str], list[int]]) -> list[list[int]]:
    """Tokens of each label behind a chat's prompt; `plain` reads text without adding marks of its own.

    Raises:
        ModelError: an empty label.
    """
    tokens = [plain(label) for label in labels]
    if not all(tokens):
        raise ModelError(f"labels {list(labels)!r}: an empty label has no probability; name each label")
    return tokens


def shared_prefix(prompts: Sequence[list[int]]) -> int:
    """Number of tokens that all prompts begin with, such that each has one of its own behind them.

    >>> shared_prefix([[1, 2, 3], [1, 2, 4, 5]]), shared_prefix([[1, 2], [1, 2]])
    (2, 1)
    """
    length = min(len(prompt) for prompt in prompts) - 1
    first, last = min(prompts), max(prompts)  # all others lie between these two, so they share what these two do
    return next((k for k in range(length) if first[k] != last[k]), length)


async def joined(scores: Awaitable[Sequence[LabelScores]]) -> LabelScores:
    """The scores of several prompts as those of one call: their values one after the other."""
    parts = await scores
    width = len(parts[0].logprobs)
    return LabelScores(
        logprobs=tuple(value for part in parts for value in part.logprobs),
        censored=tuple(k * width + place for k, part in enumerate(parts) for place in part.censored),
        sampled=any(part.sampled for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        cost=sum(part.cost for part in parts),
    )


def parted(scores: LabelScores, width: int) -> list[LabelScores]:
    """The scores of each prompt again; tokens, latency and cost of the whole stand with the first."""
    starts = range(0, len(scores.logprobs), width)
    parts = [
        LabelScores(
            logprobs=scores.logprobs[start : start + width],
            censored=tuple(place - start for place in scores.censored if start <= place < start + width),
            sampled=scores.sampled,
        )
        for start in starts
    ]
    parts[0] = structs.replace(parts[0], prompt_tokens=scores.prompt_tokens, latency=scores.latency, cost=scores.cost)
    return parts
