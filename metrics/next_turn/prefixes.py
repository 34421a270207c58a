"""How much of the prompts' beginnings a backend that keeps keys and values can find again.

Prompts are cut into blocks of 64 characters (a cache keeps blocks of some 16 tokens); a block is shared where it and
all before it stand at the beginning of an earlier prompt. Shares are by characters, weighted by the prompts' tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

BLOCK = 64

Order = tuple[str | int, ...]


class Prompt(NamedTuple):
    """One call's prompt: its place in the queue, its place in time, hashes of its beginnings, its tokens."""

    queue: Order
    time: Order
    blocks: tuple[bytes, ...]
    tokens: int


def blocks(text: str) -> tuple[bytes, ...]:
    """Hashes of the first block, the first two, the first three, ...; an unfinished last block counts for none."""
    whole = blake2b(digest_size=8)
    found = []
    for start in range(0, len(text) - BLOCK + 1, BLOCK):
        whole.update(text[start : start + BLOCK].encode("utf-8", "surrogatepass"))
        found.append(whole.copy().digest())
    return tuple(found)


@dataclass(slots=True)
class Prefixes:
    """The prompts of a cell.

    >>> found = Prefixes()
    >>> for n, text in enumerate(["a" * 128, "b" * 64, "a" * 64 + "c" * 64]):
    ...     found.add(Prompt((text,), (n,), blocks(text), 10))
    >>> found.shared(found.queued), found.shared(found.in_time), found.kept(found.in_time)
    (0.16666666666666666, 0.0, 0.16666666666666666)
    """

    prompts: list[Prompt] = field(default_factory=list)

    def add(self, prompt: Prompt) -> None:
        """Take a prompt."""
        self.prompts.append(prompt)

    @property
    def tokens(self) -> int:
        """Prompt tokens in all."""
        return sum(prompt.tokens for prompt in self.prompts)

    @property
    def queued(self) -> list[Prompt]:
        """In the order in which the calls are queued."""
        return sorted(self.prompts, key=lambda prompt: prompt.queue)

    @property
    def in_time(self) -> list[Prompt]:
        """In the order of the recorded comments."""
        return sorted(self.prompts, key=lambda prompt: prompt.time)

    def shared(self, order: Sequence[Prompt]) -> float:
        """Share of prompt tokens that the prompt just before had too, 0 to 1; NaN without prompts."""
        found: list[float] = []
        last: tuple[bytes, ...] = ()
        for prompt in order:
            found.append(_alike(prompt, set(last)))
            last = prompt.blocks
        return self._weighted(order, found)

    def kept(self, order: Sequence[Prompt]) -> float:
        """Share of prompt tokens that any earlier prompt had too: what a cache without bounds would find."""
        seen: set[bytes] = set()
        found: list[float] = []
        for prompt in order:
            found.append(_alike(prompt, seen))
            seen.update(prompt.blocks)
        return self._weighted(order, found)

    def _weighted(self, order: Sequence[Prompt], shares: Iterable[float]) -> float:
        total = self.tokens
        if not total:
            return float("nan")
        return sum(prompt.tokens * share for prompt, share in zip(order, shares, strict=True)) / total


def _alike(prompt: Prompt, known: set[bytes]) -> float:
    """Share of a prompt's blocks that are known, from its beginning on."""
    count = 0
    for block in prompt.blocks:
        if block not in known:
            break
        count += 1
    return count / len(prompt.blocks) if prompt.blocks else 0.0
