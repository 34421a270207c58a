"""Answers that are no comment: by kind, by a rule that the report states.

| kind | rule |
|---|---|
| empty | no letter or digit |
| prompt | text of the prompt: its frame, or at least half of the answer's runs of 8 words stand in the prompt |
| AI talk | someone says of oneself to be a machine |
| refusal | the answer declines to write within its first 40 characters |
| signature | a signature or a full timestamp in the text (one at the end is taken off and counted as mended) |
| wrong language | 20 characters or more that `py3langid` holds for another language, at least half sure |
| over-long | more words than `agents.checks.max_words` |
| discarded | nothing was asked: the prompt was over the window after every shortening |
| failed | the call failed past its retries |

The paper drops such cases silently. Here they are counted, and left out of every number on both sides.
"""

import re
from collections.abc import Callable

from folkmoot.agents.checks import LOOK, SHORT
from folkmoot.sim.quoting import MARK

KINDS = (
    "empty",
    "prompt",
    "AI talk",
    "refusal",
    "signature",
    "wrong language",
    "over-long",
    "discarded",
    "failed",
)
"""In the order in which they are looked for."""

RUN = 8
"""Words of a run that is looked for in the prompt."""
_COPIED = 0.5
_BEGINNING = 160
_OPENING = 40  # characters before it: "I'm sorry, but"

_REASONS = {
    "empty": "empty",
    "leaked delimiter": "prompt",
    "AI talk": "AI talk",
    "signature": "signature",
    "timestamp": "signature",
    "wrong language": "wrong language",
    "over-long": "over-long",
    "prompt over window": "discarded",
}
"""Reason of an agent's own check -> kind."""

_DO = {
    "en": r"(?:help|assist|fulfil|comply|generate|create|write|continue|participate|provide|engage|do (?:that|this))",
    "de": r"(?:helfen|nachkommen|erstellen|schreiben|verfassen|teilnehmen|erfüllen|generieren|unterstützen)",
    "es": r"(?:ayudar|cumplir|generar|crear|escribir|continuar|participar|proporcionar|hacer eso)",
    "fr": r"(?:aider|accéder|générer|créer|écrire|rédiger|continuer|participer|fournir|faire cela)",
    "it": r"(?:aiutar|soddisfare|generare|creare|scrivere|continuare|partecipare|fornire|farlo)",
}
_NOT_ABLE = r"can(?:'|\u2019)t|cannot|won(?:'|\u2019)t|unable to|not able to"
_DECLINES = re.compile(
    "|".join(
        (
            rf"\bI(?:'m|\u2019m| am)? ?(?:{_NOT_ABLE})(?: \w+){{0,2}} {_DO['en']}",
            rf"\bich kann(?: \w+){{0,6}} nicht(?: \w+){{0,4}} {_DO['de']}",
            rf"\bno (?:me es posible|puedo)(?: \w+){{0,2}} {_DO['es']}",
            rf"\bje ne (?:peux|puis)(?: pas)?(?: \w+){{0,3}} (?:vous )?{_DO['fr']}",
            rf"\bnon (?:posso|mi è possibile)(?: \w+){{0,2}} {_DO['it']}",
        )
    ),
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+")


def kind_of_reason(reason: str) -> str:
    """The kind of an answer that an agent's own check refused.

    >>> kind_of_reason("timestamp"), kind_of_reason("empty (no room for a repair)")
    ('signature', 'empty')
    """
    return _REASONS.get(reason.split(" (", maxsplit=1)[0], "over-long" if "characters" in reason else "failed")


def declines(text: str) -> bool:
    """The text begins by declining to write.

    >>> declines("I'm sorry, but I can't help with that."), declines("I can't find that source, sorry.")
    (True, False)
    """
    found = _DECLINES.search(text[:_BEGINNING])
    return found is not None and found.start() <= _OPENING


def words_of(text: str) -> str:
    """The words of a text without case and punctuation, between spaces: what `copies` looks in.

    >>> words_of("Yes: it's so.")
    ' yes it s so '
    """
    return f" {' '.join(_WORDS.findall(text.lower()))} "


def copies(text: str, prompt: str) -> bool:
    """At least half of the text's runs of `RUN` words stand in the prompt, whose words these are.

    >>> copies("a b c d e f g h", words_of("so: a b c d e f g h!")), copies("a b", words_of("a b"))
    (True, False)
    """
    words = _WORDS.findall(text.lower())
    runs = [f" {' '.join(words[at : at + RUN])} " for at in range(len(words) - RUN + 1)]
    return bool(runs) and sum(run in prompt for run in runs) >= _COPIED * len(runs)


def plain(prompt: str) -> str:
    """A prompt's text without the marks of its quoted lines."""
    return "\n".join(line.removeprefix(MARK) for line in prompt.splitlines())


def judge(text: str, language: str, prompt: str, guess: Callable[[str], str | None]) -> str:
    """The kind of an answer that passed the agent's own check; "" for a comment.

    Args:
        text: the answer.
        language: ISO 639-1 code of the community.
        prompt: `words_of` the prompt; empty where prompts weren't kept.
        guess: text -> ISO 639-1 code, or None where it can't tell.
    """
    if not any(map(str.isalnum, text)):
        return "empty"
    if copies(text, prompt):
        return "prompt"
    if declines(text):
        return "refusal"
    foreign = guess(text[:LOOK]) if len(text) >= SHORT else None
    return "wrong language" if foreign is not None and foreign != language else ""
