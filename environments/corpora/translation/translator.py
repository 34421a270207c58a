"""A language model translates what a post says; an answer that loses a name, a tag or an address isn't taken."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from folkmoot.environments.corpora.modelpass import pass_asker
from folkmoot.environments.corpora.records import CommentRecord
from folkmoot.environments.corpora.translation.prompt import as_json, translation_messages
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.asking import TOO_LONG, UnusableAnswer
from folkmoot.sim.protocols import LanguageModel, Message

THERE, WORDLESS, TRANSLATED = "in the language already", "without words", "translated"
NO_JSON = "the model's answer isn't the same object"
LOST = "the model lost a name, a tag or an address"

WORDS = ("warning", "captions", "poll")
"""Facts of a post that hold words, beside its text."""

_FIXED = re.compile(r"https?://[^\s\"'<>)]+|@[\w.:@-]*\w|#\w+|\b[0-9a-f]{10}\b")
"""What stays as it is; the last are pseudonyms, which stand where names stood."""


@dataclass(frozen=True, slots=True)
class Translation:
    """What became of a post: as it is now, and THERE, WORDLESS, TRANSLATED or why it stays as it was."""

    comment: CommentRecord
    reason: str
    repaired: bool = False


class Translator:
    """Translates posts.

    Args:
        model: in a pool with a cache every answer is kept.
        language: ISO 639-1 code to translate into.
        max_tokens: of an answer, beside twice the post's own.
        seed: names the calls' seeds.

    Raises:
        ConfigError: an unknown language.
    """

    def __init__(self, model: LanguageModel, language: str = "en", max_tokens: int = 200, seed: int = 0) -> None:
        self.language = language
        self._name = load_language(language).name
        self._asker = pass_asker(model, max_tokens, seed, "translation")

    async def translate(self, comment: CommentRecord, usual: str) -> Translation:
        """The post in the translator's language, or as it was; asked again once where the answer can't be used.

        Args:
            comment: with the facts of a timeline.
            usual: the language of posts that don't name one.

        Raises:
            ModelError: the call failed for good.
        """
        language = comment.facts.get("language") or usual
        said = _said(comment)
        if language == self.language or not said:
            return Translation(comment, THERE if language == self.language else WORDLESS)
        messages = translation_messages(said, self._name)
        own = self._asker.model.count_tokens([Message("user", as_json(said))])
        asker = replace(self._asker, max_tokens=self._asker.max_tokens + 2 * own)
        if not asker.fits(messages):
            return Translation(comment, TOO_LONG)
        reply = await asker.ask(messages, lambda answer: _read(answer.text, said), (comment.id,))
        if reply.value is None:
            return Translation(comment, reply.reason)
        return Translation(self._changed(comment, reply.value, language), TRANSLATED, reply.repaired)

    def _changed(self, comment: CommentRecord, new: Mapping[str, Any], language: str) -> CommentRecord:
        facts = {**comment.facts, "language": self.language, "translated_from": language}
        facts |= {key: value for key, value in new.items() if key != "text"}
        return replace(comment, text=new.get("text", comment.text), facts=facts)


def _said(comment: CommentRecord) -> dict[str, Any]:
    """What has words in it."""
    said = {"text": comment.text, **{key: comment.facts.get(key) for key in WORDS}}
    return {key: value for key, value in said.items() if (any(value) if isinstance(value, list) else value)}


def _read(answer: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """The answer's object, of the same shape as what was asked about."""
    start = answer.find("{")
    try:
        found = json.JSONDecoder().raw_decode(answer, max(start, 0))[0]
    except (ValueError, RecursionError) as error:
        raise UnusableAnswer(NO_JSON, f"it is not one JSON object ({type(error).__name__})") from error
    if not isinstance(found, dict) or set(found) != set(said):
        raise UnusableAnswer(NO_JSON, f"it has not the keys {', '.join(said)}")
    for key, value in said.items():
        if not _same_shape(found[key], value):
            raise UnusableAnswer(NO_JSON, f"{key} is not of the same kind and length")
        lost = sorted(set(_FIXED.findall(str(value))) - set(_FIXED.findall(str(found[key]))))
        if lost:
            raise UnusableAnswer(LOST, f"{key} lacks {lost[0]}")
    return found


def _same_shape(new: Any, old: Any) -> bool:
    if isinstance(old, list):
        whole = isinstance(new, list) and len(new) == len(old)
        return whole and all(
            isinstance(n, str) and bool(n.strip()) == bool(o.strip()) for n, o in zip(new, old, strict=True)
        )
    return isinstance(new, str) and bool(new.strip())
