"""Model text to an allowed action, or a named refusal."""

import re
from typing import NamedTuple

from folkmoot.agents.plan import Plan
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.protocols import Abstain, Action, Activation, Refuse

TITLE_WORDS = 8
TITLE_CHARS = 120
_TITLE = re.compile(r"\A\s*\W{0,3}TITLE\W{0,3}:[*_ \t]*([^\n]*)\n?", re.IGNORECASE)


class Draft(NamedTuple):
    """A text read as an action's parts.

    Attributes:
        title: heading of a new thread, "" for a reply.
        made_title: the model gave no heading; the first words stand for it.
    """

    text: str
    title: str = ""
    made_title: bool = False


def read(text: str, *, opens: bool) -> Draft:
    r"""Split a title line off where a thread is opened.

    >>> read("TITLE: Dates\nThe dates differ.", opens=True)
    Draft(text='The dates differ.', title='Dates', made_title=False)
    >>> read("The dates differ.", opens=True).title
    'The dates differ'
    """
    match = _TITLE.match(text)
    body = text[match.end() :].strip() if match else text.strip()
    if not opens:
        return Draft(body)
    title = heading(match.group(1)) if match else ""
    return Draft(body, title or first_words(body), made_title=not title)


_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"))
_MARKS = "=*_# "


def heading(text: str) -> str:
    """A heading on one line, without heading marks, wrapping quotes and emphasis, at most `TITLE_CHARS` long.

    >>> heading('== The "Old Mill" ==')
    'The "Old Mill"'
    """
    short = _unwrapped(" ".join(text.split()))[:TITLE_CHARS].rstrip()
    return _unwrapped(_closed(short))


def _unwrapped(text: str) -> str:
    """Without marks of headings and emphasis at the ends, and without quotes around the whole."""
    before = ""
    while text != before:
        before, text = text, text.strip(_MARKS)
        for left, right in _QUOTES:
            inner = text[1:-1]
            if len(text) > 1 and text[0] == left and text[-1] == right and not {left, right} & set(inner.strip("'")):
                text = inner
    return text


def _closed(text: str) -> str:
    """Without quotation marks that lack their counterpart: the text was cut, or the model forgot one."""
    for left, right in (("“", "”"), ("«", "»")):
        if text.count(left) != text.count(right) and "„" not in text:
            text = text.replace(left, "").replace(right, "")
    return text.replace('"', "") if text.count('"') % 2 else text


def first_words(text: str) -> str:
    """The first words of a text, as a heading."""
    return heading(" ".join(text.split()[:TITLE_WORDS]).rstrip(".,;:!?"))


def act(plan: Plan, draft: Draft, activation: Activation, version: int) -> Action:
    """The planned action with the written text."""
    agent, causes = activation.agent, activation.causes
    if plan.kind == "open":
        return OpenThread(
            agent=agent, based_on=version, causes=causes, page=plan.page, title=draft.title, text=draft.text
        )
    return Reply(
        agent=agent,
        based_on=version,
        causes=causes,
        page=plan.page,
        thread=plan.thread,
        parent=plan.parent,
        text=draft.text,
    )


def abstain(plan: Plan, activation: Activation, version: int) -> Abstain:
    """The decision to say nothing."""
    return Abstain(agent=activation.agent, based_on=version, causes=activation.causes, reason=plan.reason)


def refuse(plan: Plan, reason: str, text: str | None, activation: Activation, version: int) -> Refuse:
    """A recorded refusal of what was written, or of what couldn't be asked for."""
    return Refuse(
        agent=activation.agent,
        based_on=version,
        causes=activation.causes,
        action="OpenThread" if plan.kind == "open" else "Reply",
        reason=reason,
        thread=plan.thread or None,
        text=text,
    )
