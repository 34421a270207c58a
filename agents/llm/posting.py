"""What the scripted model writes on a feed: a sentence or two about an interest of the person in the prompt.

It reads the interests off the persona block as `conditioning/interests.py` writes it, and what others wrote about off
the conversation, so its posts show who they are by.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from folkmoot.agents.llm import cues
from folkmoot.agents.llm.phrases import ACTS, Bank, Phrase, safe_topic, slots
from folkmoot.sim.protocols import Message

LATE = 0.45
"""How often a post is about an interest of late, where there is one."""
TAGGED = 0.35
"""How often a post ends in a hashtag."""
TWO = 0.3
"""How often it has two sentences."""

POSTED: Mapping[str, float] = {"REPORT": 2.2, "INFORM": 1.2, "COMMIT": 1.4, "POSITIVE": 0.6, "NEGATIVE": 0.5}
ANSWERED: Mapping[str, float] = {"POSITIVE": 2.5, "ASK": 1.6, "NEGATIVE": 1.2, "REPORT": 0.6, "COMMIT": 0.5}
"""Factors on the weights of a person's acts, in a post and in an answer."""

_LINE = re.compile(r"^> ([a-z ]{4,30}): (.+)$", re.MULTILINE)
_BEFORE = "What interests you"
_LATELY = "lately "


class Told(NamedTuple):
    """Interests that a prompt tells, lasting and of late."""

    stable: tuple[str, ...]
    recent: tuple[str, ...]


def told(system: str) -> Told:
    r"""The interests of the persona block.

    >>> told("What interests you, by domain:\n> food drink: ramen, tea; lately fermentation\n> pets: lately cats")
    Told(stable=('ramen', 'tea'), recent=('fermentation', 'cats'))
    """
    stable: list[str] = []
    recent: list[str] = []
    for _, tags in _LINE.findall(system.partition(_BEFORE)[2]):
        for part in tags.split("; "):
            late = part.startswith(_LATELY)
            (recent if late else stable).extend(part.removeprefix(_LATELY).split(", "))
    return Told(tuple(filter(None, map(safe_topic, stable))), tuple(filter(None, map(safe_topic, recent))))


Draw = Callable[[], float]


def post(messages: Sequence[Message], words: Bank, draw: Draw, *, answers: bool) -> str:
    """A post, or an answer to the last post of the prompt's conversation."""
    system = messages[0].content if len(messages) > 1 else ""
    topic = _topic(told(system), words, draw, (_said(cues.scene(messages)) if answers else ""))
    weights = cues.persona(system).weights
    factors = ANSWERED if answers else POSTED
    sums = list(accumulate(weights[act] * factors.get(act, 1.0) for act in ACTS))
    chosen: list[Phrase] = []
    for _ in range(1 + (draw() < TWO)):
        act = _at(ACTS, sums, draw())
        fit = [phrase for phrase in words.feed[act] if phrase not in chosen]
        chosen.append(fit[int(draw() * len(fit))])
    text = " ".join(words.fill(phrase.text, topic) for phrase in chosen)
    return text + (_hashtag(topic) if draw() < TAGGED and any("{topic}" in p.text for p in chosen) else "")


def _topic(interests: Told, words: Bank, draw: Draw, said: str) -> str:
    """What was spoken of, or an interest."""
    late = bool(interests.recent) and (not interests.stable or draw() < LATE)
    tags = interests.recent if late else interests.stable
    if said:
        return said
    return tags[int(draw() * len(tags))] if tags else words.fallback_topic


def _said(scene: str) -> str:
    """What the last quoted line speaks of, by its quotation marks; "" where it has none."""
    quoted = [line for line in scene.splitlines() if line.startswith("> ")]
    found = slots(quoted[-1]) if quoted else []
    return safe_topic(found[-1]) if found else ""


def _hashtag(topic: str) -> str:
    return " #" + "".join(word[:1].upper() + word[1:] for word in re.findall(r"[^\W_]+", topic))


def _at(group: Sequence[str], sums: Sequence[float], share: float) -> str:
    return next(one for one, top in zip(group, sums, strict=True) if share * sums[-1] <= top)
