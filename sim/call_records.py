"""The record of model calls, calls.jsonl: one line a try of a call, keyed by (agent, activation, call, attempt)."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from folkmoot.sim.errors import LogError
from folkmoot.sim.protocols import Answer, LabelScores, Message

Key = tuple[str, int, int]
"""(agent, activation, call)."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One try of one call, as the pool reports it: an answer, scores, or an error."""

    number: int
    answer: Answer | None = None
    scores: LabelScores | None = None
    error: str | None = None
    latency: float = 0.0


class CallRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of calls.jsonl.

    Attributes:
        prompt: hash of messages, labels and sampling.
        final: a failure that a re-run repeats (`on_failure=abstain`).
        messages: the prompt itself, where the run records prompts.
    """

    agent: str
    activation: int
    call: int
    attempt: int
    prompt: str
    seed: int
    answer: Answer | None = None
    scores: LabelScores | None = None
    error: str | None = None
    final: bool = False
    latency: float = 0.0
    messages: tuple[Message, ...] | None = None


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a re-run needs of a record; the prompts, by far the most of a file, aren't kept in memory."""

    agent: str
    activation: int
    call: int
    prompt: str
    answer: Answer | None = None
    scores: LabelScores | None = None
    error: str | None = None
    final: bool = False


encode = msgspec.json.Encoder().encode
_Line = TypeVar("_Line")


def prompt_hash(messages: Sequence[Message], extra: object) -> str:
    """16 hex digits over the messages and what else shapes the answer (sampling, labels)."""
    return blake2b(encode((messages, extra)), digest_size=8).hexdigest()


def read_calls(path: Path) -> list[CallRecord]:
    """All records of a file, in the order written.

    Raises:
        LogError: a line isn't a record.
    """
    return list(_lines(path, CallRecord))


def _lines(path: Path, kind: type[_Line]) -> Iterator[_Line]:
    if not path.exists():
        return
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                try:
                    yield decode(line)
                except msgspec.MsgspecError as error:
                    raise LogError(f"{path}: line {number} isn't a call record ({error})") from error


def read_known(path: Path) -> dict[Key, Known]:
    """What a re-run takes from the record; a failure that isn't final is tried again."""
    usable = (r for r in _lines(path, Known) if r.error is None or r.final)
    return {(r.agent, r.activation, r.call): r for r in usable}
