"""Chat messages <-> token ids by a transformers tokenizer and its chat template."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from folkmoot.agents.llm.chat import KEPT_COUNTS
from folkmoot.sim.errors import ModelMissing
from folkmoot.sim.protocols import Message


class HubChat:
    """The tokenizer of a hub name or a local folder; the same methods as `ChatTokenizer`.

    Args:
        source: hub name or folder.

    Raises:
        ModelMissing: the tokenizer has no chat template.
    """

    def __init__(self, source: str) -> None:
        from transformers import AutoTokenizer

        self._tokenizer: Any = AutoTokenizer.from_pretrained(source)
        if not self._tokenizer.chat_template:
            raise ModelMissing(f"{source}: the tokenizer has no chat template; name an instruct or chat model")
        self.ends = {int(self._tokenizer.eos_token_id)}
        self._count = lru_cache(maxsize=KEPT_COUNTS)(lambda messages: len(self.prompt(messages)))

    def plain(self, text: str) -> list[int]:
        """Ids of a text, without any control token."""
        return [int(i) for i in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Ids of a conversation up to where the assistant's answer begins."""
        chat = [{"role": role, "content": content} for role, content in messages]
        text = self._tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        return self.plain(text)

    def count(self, messages: Sequence[Message]) -> int:
        """Length of `prompt(messages)`; the counts of recent conversations are kept."""
        return int(self._count(tuple(messages)))

    def text(self, ids: Sequence[int]) -> str:
        """The text of generated ids; control tokens are left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))
