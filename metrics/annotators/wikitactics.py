"""WikiTactics (De Kock et al. 2022) as a partial oracle of the acts: disputes on English talk pages.

Its labels tell how one disputes and coordinates, not what one does; five of the ten acts can be told from them, and
only what they were given for is judged (`scope`), since an unlabelled question may well be there:

| its label | act | why |
|---|---|---|
| Asking questions | ASK | asks for information or a view |
| Providing clarification | INFORM | gives information, or corrects an understanding |
| Counterargument, Refutation, Refuting the central point (5 to 7) | NEGATIVE | disagrees with another editor |
| Name calling, Ad hominem (0, 1), Policing the discussion (3) | NEGATIVE | complains about another editor |
| Conceding / recanting | POSITIVE | agrees at last |
| Suggesting a compromise | REQUEST | suggests what to do |

Not mapped: Coordinating edits (a request, a commitment or a report: it doesn't say which), Contextualisation (often a
heading alone), stating or repeating one's stance (level 4: may open a dispute as well as answer), derailing and
bailing out, Other. NEGATIVE and POSITIVE are judged wherever a mapped label speaks for one of them; ASK, INFORM and
REQUEST where their own label stands, and as absent beside another coordination label that is mapped.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from folkmoot.metrics.annotators.base import ACTS, in_order
from folkmoot.metrics.annotators.sets import Example
from folkmoot.sim.errors import AnnotationError

COORDINATION = {
    "asking questions": "ASK",
    "providing clarification": "INFORM",
    "conceding / recanting": "POSITIVE",
    "suggesting a compromise": "REQUEST",
}
"""Coordination label, in lower case -> act."""

DISAGREEING = (0, 1, 3, 5, 6, 7)
"""Levels of rebuttal that are NEGATIVE."""


class _Said(msgspec.Struct, frozen=True):
    text: str
    rebuttal_labels: tuple[str, ...] = ()
    coordination_labels: tuple[str, ...] = ()


class _Dispute(msgspec.Struct, frozen=True):
    conv_id: str
    utterances: tuple[_Said, ...]


def read_wikitactics(path: Path) -> list[Example]:
    """The set as released (a JSON list of disputes); an utterance without a mapped label has an empty scope.

    Raises:
        AnnotationError: no such file, or another form.
    """
    try:
        disputes = msgspec.json.decode(path.read_bytes(), type=list[_Dispute])
    except (OSError, msgspec.MsgspecError) as error:
        raise AnnotationError(f"wikitactics {path}: {error}; wanted the released JSON list of disputes") from error
    return [example for dispute in disputes for example in _examples(dispute)]


def _examples(dispute: _Dispute) -> list[Example]:
    texts = [said.text for said in dispute.utterances]
    return [
        Example(
            said.text, "en", context=tuple(texts[:place]), thread=dispute.conv_id,
            acts=mapped(said.rebuttal_labels, said.coordination_labels)[0],
            scope=mapped(said.rebuttal_labels, said.coordination_labels)[1],
        )
        for place, said in enumerate(dispute.utterances)
    ]  # fmt: skip


def mapped(rebuttal: Sequence[str], coordination: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(acts, scope) of an utterance's labels.

    >>> mapped(["DH5: Counterargument"], ["Asking questions"])
    (('ASK', 'NEGATIVE'), ('REQUEST', 'INFORM', 'ASK', 'POSITIVE', 'NEGATIVE'))
    >>> mapped(["DH4: Stating your stance"], ["Coordinating edits"])
    ((), ())
    """
    acts = [COORDINATION[name.lower()] for name in coordination if name.lower() in COORDINATION]
    negative = ["NEGATIVE"] if any(_level(name) in DISAGREEING for name in rebuttal) else []
    scope = ["ASK", "INFORM", "REQUEST"] if {"ASK", "INFORM", "REQUEST"}.intersection(acts) else []
    if negative or "POSITIVE" in acts:
        scope += ["POSITIVE", "NEGATIVE"]
    return in_order([*acts, *negative], ACTS), in_order(scope, ACTS)


def _level(label: str) -> int | None:
    found = re.match(r"DH(-?\d+):", label)
    return int(found[1]) if found else None
