"""What a prompt asks the scripted model for: a comment, a thread, a title, a choice, labels, an object of JSON."""

import re
from typing import Literal, NamedTuple

from folkmoot.agents.llm.phrases import ACTS, intent

Kind = Literal[
    "comment",
    "thread",
    "title",
    "choice",
    "labels",
    "profile",
    "traits",
    "revision",
    "interests",
    "signs",
    "selection",
    "signals",
    "calibration",
    "same",
    "verdict",
    "response",
    "post",
    "answer",
]

TAIL = 600
"""The instruction stands in the last characters of the last message; what is above it is quoted talk."""

_OPTION = re.compile(r"^\s*[\[(]?(\d{1,3}|[A-Z])[.)\]:]\s", re.MULTILINE)
_CHOOSE = re.compile(
    r"\b(?:choose|pick|select)\b.{0,60}\b(?:number|option|letter|one|comment|thread)\b"
    r"|\b(?:answer|reply|respond)\b.{0,40}\b(?:number|letter|option)\b",
    re.IGNORECASE | re.DOTALL,
)
_CHOICE_WORDS = ("number", "option", "letter", "hoose", "pick", "elect")
"""A cheap look before the patterns."""

_TITLE_ONLY = re.compile(r"\b(?:give|write|suggest|propose)\b.{0,30}\btitle\b", re.IGNORECASE | re.DOTALL)
OBJECTS: dict[str, Kind] = {
    "relevant_page, profile, gender": "profile",
    "tone_management, consensus_orientation": "traits",
    '"thread": [': "revision",
    '{"pets": {"stable": [': "interests",
    '{"pets": ["interest (': "signs",
    '{"pets": [3, 17]}': "selection",
    '{"signals": [{': "signals",
    '{"changes": [{': "calibration",
    '{"same": [[': "same",
    '{"coverage": ': "verdict",
}
"""The keys that a prompt asks a JSON object for, as it lists them -> the task."""

_POSTED = re.compile(
    r"^It is .* UTC\. (?:Write the next post of|(Write the reply of|.* passes on post)) ", re.MULTILINE
)
"""How a feed's prompts ask for words: for a post, or for an answer to one or words above one."""

_LABELS = re.compile(r"\blabels?\b|\bdialog(?:ue)? acts?\b", re.IGNORECASE)


class Task(NamedTuple):
    """What is asked for; `options` holds the numbers or letters of a choice."""

    kind: Kind
    options: tuple[str, ...] = ()


def read(text: str) -> Task:
    r"""The task of a prompt's last message.

    >>> read("1. reply\n2. stay silent\nAnswer with the number only.")
    Task(kind='choice', options=('1', '2'))
    >>> read("Open a thread. First line: TITLE: ...").kind, read("Write the next comment.").kind
    ('thread', 'comment')
    """
    tail = text[-TAIL:]
    if "JSON" in tail and (kind := next((kind for keys, kind in OBJECTS.items() if keys in tail), None)):
        return Task(kind)
    if (plain := _plain(tail)) is not None:
        return Task(plain)
    if (
        ("label" in tail or "act" in tail)
        and _LABELS.search(tail)
        and sum(act in text.upper() for act in ACTS) > len(ACTS) // 2
    ):
        return Task("labels")
    if any(word in tail for word in _CHOICE_WORDS) and _CHOOSE.search(tail) and len(options := _options(text)) > 1:
        return Task("choice", options)
    return Task("title" if "title" in tail and _TITLE_ONLY.search(tail) else "comment")


def _plain(tail: str) -> Kind | None:
    """Tasks that one line of the prompt gives away."""
    if "\nThe person asks:\n" in tail:
        return "response"
    if posted := _POSTED.search(tail):
        return "answer" if posted[1] else "post"
    return "thread" if "TITLE:" in tail else None


def _options(text: str) -> tuple[str, ...]:
    """The numbers or letters of a list that counts on from its first entry; others are part of quoted text."""
    found = _OPTION.findall(text)
    run: list[str] = []
    for mark in found:
        if not run or mark == _after(run[-1]):
            run.append(mark)
    return tuple(run)


def _after(mark: str) -> str:
    return str(int(mark) + 1) if mark.isdigit() else chr(ord(mark) + 1)


def name_labels(text: str, language: str, share: float) -> str:
    """Dialog acts, comma-separated: those of the last line that the phrase bank knows, else one drawn act."""
    for line in reversed(text.splitlines()):
        if known := intent(line, language):
            return ", ".join(known[0])
    return ACTS[int(share * len(ACTS))]
