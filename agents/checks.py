"""The checks of a written comment: mends that take away what is not the comment, and reasons to refuse.

Reasons: `empty`, `leaked delimiter`, `AI talk`, `signature`, `timestamp`, `over-long`, `wrong language`.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from pydantic import Field

from folkmoot.agents import patterns
from folkmoot.sim.persona import Frozen
from folkmoot.sim.quoting import MARK

SHORT = 20
"""Texts of fewer characters are too short to tell their language."""
LOOK = 200
"""Characters that the language is told from."""


class ChecksConfig(Frozen):
    """How strict the checks are.

    Attributes:
        max_words: longest comment, in words (the paper drops turns over 1,000).
        language: `flag` notes a comment in the wrong language, `refuse` refuses it, `off` doesn't look.
        repair: ask the model once more, with the reason, before refusing.
    """

    max_words: int = Field(default=1000, ge=1)
    language: Literal["off", "flag", "refuse"] = "flag"
    repair: bool = True


class Verdict(NamedTuple):
    """What the checks say.

    Attributes:
        text: the mended text.
        reason: why it can't be used, "" if it can.
        mends: what was mended.
        flags: what was noticed and let pass.
    """

    text: str
    reason: str = ""
    mends: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


Mend = Callable[[str], str]

MENDS: tuple[tuple[str, Mend], ...] = (
    ("quoted lines", patterns.without_quoting),
    ("talk of others", patterns.own_words),
    ("preface", patterns.without_preface),
    ("quotes", patterns.without_quotes),
    ("signature", patterns.without_signature),
)
"""Name and function of each mend, in the order applied."""


def mend(text: str, *, cut: bool = False) -> tuple[str, tuple[str, ...]]:
    """The mended text and the names of the mends that changed it.

    Args:
        text: what the model wrote.
        cut: the model ran out of tokens; then an unfinished last sentence is dropped.
    """
    mends = (*MENDS, ("unfinished sentence", patterns.whole_sentences)) if cut else MENDS
    done: list[str] = []
    text = text.strip()
    for name, function in mends:
        mended = function(text)
        if mended != text:
            done.append(name)
            text = mended
    return text, tuple(done)


class Checks:
    """All checks, in a fixed order; the first that fails names the reason.

    Args:
        config: how strict.
        guess: text -> ISO 639-1 code, or None where it can't tell; never called for short texts.
    """

    def __init__(self, config: ChecksConfig, guess: Callable[[str], str | None] | None = None) -> None:
        self.config = config
        self._guess = None if config.language == "off" else guess

    def examine(self, text: str, language: str, *, cut: bool = False) -> Verdict:
        """Mend the text and say whether it can be used."""
        text, mends = mend(text, cut=cut)
        reason = self._reason(text)
        if reason or not self._foreign(text, language):
            return Verdict(text, reason, mends)
        if self.config.language == "refuse":
            return Verdict(text, "wrong language", mends)
        return Verdict(text, "", mends, ("wrong language",))

    def _reason(self, text: str) -> str:
        if not any(map(str.isalnum, text)):
            return "empty"
        if text.startswith(MARK) or f"\n{MARK}" in text or "<|" in text or patterns.has_header(text):
            return "leaked delimiter"
        if patterns.talks_of_ai(text):
            return "AI talk"
        if patterns.has_signature(text):
            return "signature"
        if patterns.has_timestamp(text):
            return "timestamp"
        return "over-long" if len(text.split()) > self.config.max_words else ""

    def _foreign(self, text: str, language: str) -> bool:
        if self._guess is None or len(text) < SHORT:
            return False
        guess = self._guess(text[:LOOK])
        return guess is not None and guess != language
