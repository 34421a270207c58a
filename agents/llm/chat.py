"""Chat messages <-> token ids of the embedded model.

What a message says is never read as control tokens: only the frame around it is.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from folkmoot.sim.protocols import Message

START, END = "<|im_start|>", "<|im_end|>"
DEFAULT_SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""What the model's own chat template puts where a conversation has no system message."""

KEPT_COUNTS = 8192


class ChatTokenizer:
    """The tokenizer and the chat template of SmolLM2.

    Args:
        path: tokenizer.json.
    """

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.encode_special_tokens = True  # a control token inside a message is plain text
        self.start = self._control(START)
        self.end = self._control(END)
        self._newline = self.plain("\n")
        self._size = lru_cache(maxsize=KEPT_COUNTS)(lambda text: len(self.plain(text)))

    def _control(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        assert number is not None
        return number

    def plain(self, text: str) -> list[int]:
        """Ids of a text, without any control token."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Ids of a conversation up to where the assistant's answer begins."""
        ids: list[int] = []
        for role, content in _with_system(messages):
            ids += [self.start, *self.plain(f"{role}\n{content}"), self.end, *self._newline]
        return [*ids, self.start, *self.plain("assistant\n")]

    def count(self, messages: Sequence[Message]) -> int:
        """Length of `prompt(messages)`; the counts of recent messages are kept."""
        frames = sum(self._size(f"{role}\n{content}") + 3 for role, content in _with_system(messages))
        return frames + 1 + self._size("assistant\n")

    def text(self, ids: Sequence[int]) -> str:
        """The text of generated ids; control tokens are left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))


def _with_system(messages: Sequence[Message]) -> Sequence[Message]:
    if messages and messages[0].role == "system":
        return messages
    return [Message("system", DEFAULT_SYSTEM), *messages]
