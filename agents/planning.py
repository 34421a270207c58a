"""Who decides the plan: the fitted policy, or the model choosing among numbered options."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.conditioning.scene import clock
from folkmoot.agents.plan import Plan
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.prompts import template
from folkmoot.sim.discussion import DiscussionView, ThreadInfo
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Activation, Message, Sampling
from folkmoot.sim.quoting import line, name

RECENT = 8
"""Recently active threads that the model chooses among."""
EXCERPT = 160
"""Characters shown of a comment that may be answered."""
_NUMBER = re.compile(r"\d{1,3}")


class Seen(NamedTuple):
    """What an agent notices first: the comment that woke it, and threads that were active lately."""

    cause: TextEvent | None = None
    recent: Sequence[ThreadInfo] = ()


class Planner(Protocol):
    """Decides what an agent does before it writes."""

    @property
    def looks_at(self) -> int:
        """How many of the most recently active threads it wants to see."""

    async def plan(self, activation: Activation, view: DiscussionView, seen: Seen) -> Plan:
        """The plan, from what the agent noticed."""


class PolicyPlanner:
    """Plans by the fitted policy, without a call; the policy reads the view as its draws tell it."""

    looks_at = 0

    def __init__(self, policy: PlanPolicy) -> None:
        self._policy = policy

    async def plan(self, activation: Activation, view: DiscussionView, seen: Seen) -> Plan:  # noqa: ARG002 -- see above
        """Draw the plan."""
        return self._policy.plan(activation, view)


class ModelPlanner:
    """Shows the model numbered options; an answer without a valid number leaves the plan to the policy, noted.

    A `target` activation is told what to answer and asks nothing.
    """

    looks_at = RECENT

    def __init__(self, policy: PlanPolicy) -> None:
        self._policy = policy
        self._sampling = Sampling(temperature=0.0, max_tokens=8)

    async def plan(self, activation: Activation, view: DiscussionView, seen: Seen) -> Plan:
        """Ask, and read the choice."""
        if activation.trigger == "target":
            return self._policy.plan(activation, view)
        choices = options(activation.agent, view, seen)
        answer = await activation.generate(_messages(activation, view, choices), self._sampling)
        choice = read_choice(answer.text, len(choices))
        if choice is None:
            activation.note(plan_unreadable=answer.text[:EXCERPT])
            return self._policy.plan(activation, view)
        return choices[choice][1]


def options(agent: str, view: DiscussionView, seen: Seen) -> list[tuple[str, Plan]]:
    """What may be done: answer what woke the agent, answer the newest comment of others, open a thread, be silent."""
    events = [seen.cause]
    for info in seen.recent:
        comments = view.comments(info.id)
        events.append(next((event for event in reversed(comments) if event.actor != agent), None))
    found: dict[int, tuple[str, Plan]] = {}
    for event in events:
        if event is None or event.actor == agent or view.thread(event.thread).archived:
            continue
        info = view.thread(event.thread)
        text = f"Answer {name(event.actor)} in “{line(info.title)}”: {line(event.text)[:EXCERPT]}"
        found.setdefault(event.seq, (text, Plan("reply", info.page, info.id, event.seq)))
    opening = [(f"Open a new thread about {line(page)}", Plan("open", page=page)) for page in view.pages[:1]]
    return [*found.values(), *opening, ("Say nothing", Plan("abstain", reason="chose to say nothing"))]


def read_choice(text: str, count: int) -> int | None:
    """Index of the first number in the text, if it names one of `count` options.

    >>> read_choice("Option 2.", 3), read_choice("9", 3), read_choice("none", 3)
    (1, None, None)
    """
    match = _NUMBER.search(text)
    number = int(match.group()) if match else 0
    return number - 1 if 1 <= number <= count else None


def _messages(activation: Activation, view: DiscussionView, choices: list[tuple[str, Plan]]) -> tuple[Message, Message]:
    system = template("system").render(author=name(activation.agent), language=language_name(view.language))
    listing = "\n".join(f"{number}. {text}" for number, (text, _) in enumerate(choices, 1))
    user = template("plan").render(now=clock(activation.now), block=listing)
    return Message("system", system), Message("user", user)
