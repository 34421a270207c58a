"""What prompts are fitted to: a model's window and its token counts, kept beside the log.

A prompt's shape rests on how many tokens the model's tokenizer saw, so a re-run needs the same counts. They are
recorded, and a replay reads them: it needs neither the model nor its tokenizer nor its weights.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from folkmoot.sim.call_records import prompt_hash
from folkmoot.sim.errors import ReplayMismatch
from folkmoot.sim.lines import records
from folkmoot.sim.log import Appender, repair_tail
from folkmoot.sim.protocols import Message

Count = Callable[[Sequence[Message]], int]


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """One line of tokens.jsonl: a prompt's hash and its length in tokens."""

    prompt: str
    tokens: int


class RecordedWindow:
    """A window whose counts are taken from the record, or made and recorded.

    Args:
        path: tokens.jsonl of the run.
        window: context window in tokens.
        count: counts what isn't recorded; None is a replay: the record must hold all, and isn't written to.

    Raises:
        LogError: a line of the file isn't a count.
    """

    def __init__(self, path: Path, window: int, count: Count | None) -> None:
        self.window = window
        self._path, self._count = path, count
        if count is not None:
            repair_tail(path)
        self._known = {known.prompt: known.tokens for known in records(path, Counted, "a token count")}
        self._out: Appender | None = None

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Prompt tokens of these messages.

        Raises:
            ReplayMismatch: a replay asks for a prompt that the run never counted.
        """
        key = prompt_hash(messages, None)
        known = self._known.get(key)
        return self._counted(key, messages) if known is None else known

    def _counted(self, key: str, messages: Sequence[Message]) -> int:
        if self._count is None:
            raise ReplayMismatch(
                f"{self._path} holds no token count of prompt {key}: prompts, config or corpus have changed since, "
                "or the file was cut; `folkmoot resume` counts again with the model"
            )
        tokens = self._known[key] = self._count(messages)
        if self._out is None:
            self._out = Appender(self._path)
        self._out.write(msgspec.json.encode(Counted(prompt=key, tokens=tokens)) + b"\n")
        return tokens

    def close(self) -> None:
        """Sync and close the file; may be called twice."""
        if self._out is not None:
            self._out.close()
