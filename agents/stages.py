"""The five stages of a model-driven agent, as plain functions of the state; `graph.py` strings them together.

What differs between kinds of places (what is noticed, recalled and planned, how it is put before the model, what it
becomes) stands in a subclass of `Tools`: `talk.py` for Talk pages, `feed/tools.py` for feeds.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from folkmoot.agents.actions import Draft
from folkmoot.agents.checks import Checks
from folkmoot.agents.conditioning import Fit, Prompt
from folkmoot.agents.prompts import template
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation, Answer, Message, Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(ABC):
    """What all agents of a population share: the bounds on what is written, and how one acts in their kind of place."""

    checks: Checks
    fit: Fit
    sampling: Sampling

    @abstractmethod
    def observe(self, turn: "Turn") -> Any:
        """What the agent notices first."""

    @abstractmethod
    def recall(self, turn: "Turn") -> Any:
        """What it remembers."""

    @abstractmethod
    async def plan(self, turn: "Turn", seen: Any, memory: Any) -> Any:
        """What it decides to do, a NamedTuple."""

    @abstractmethod
    def done(self, turn: "Turn", plan: Any) -> Action | None:
        """The action of a plan that needs no words; None where some have to be written."""

    @abstractmethod
    async def compose(self, turn: "Turn", plan: Any, memory: Any) -> Prompt:
        """The prompt for the plan's words."""

    @abstractmethod
    def draft(self, plan: Any, text: str) -> Draft:
        """The checked text in parts."""

    @abstractmethod
    def act(self, turn: "Turn", plan: Any, draft: Draft) -> Action:
        """The action of the plan with its words."""

    @abstractmethod
    def refuse(self, turn: "Turn", plan: Any, reason: str, text: str | None) -> Action:
        """The recorded refusal of what was written, or of what couldn't be asked for."""


class Turn(NamedTuple):
    """One activation of one agent; `view` is of the kind of place that its tools are for."""

    activation: Activation
    view: Any
    persona: Persona
    tools: Tools


class State(TypedDict, total=False):
    """What the stages hand on.

    Attributes:
        seen: of `Tools.observe`; `memory` of `Tools.recall`, `plan` of `Tools.plan`.
        refused: why the first text couldn't be used; set once, it asks `write` for the repair.
        action: set by the stage that ends the turn.
    """

    turn: Turn
    seen: Any
    memory: Any
    plan: Any
    prompt: Prompt
    answer: Answer
    refused: str
    action: Action


def observe(state: State) -> State:
    """Notice what woke the agent, and what the planner wants to see."""
    turn = state["turn"]
    return {"seen": turn.tools.observe(turn)}


def remember(state: State) -> State:
    """Recall: gather what the prompt may show of the agent's past."""
    turn = state["turn"]
    return {"memory": turn.tools.recall(turn)}


async def plan(state: State) -> State:
    """Decide what to do; what needs no words ends the turn."""
    turn = state["turn"]
    chosen = await turn.tools.plan(turn, state["seen"], state["memory"])
    turn.activation.note(plan=chosen._asdict())
    action = turn.tools.done(turn, chosen)
    return {"plan": chosen} if action is None else {"plan": chosen, "action": action}


async def write(state: State) -> State:
    """Build the prompt and ask the model; a prompt over the window ends the turn, uncalled."""
    turn, chosen = state["turn"], state["plan"]
    activation, tools = turn.activation, turn.tools
    reason = state.get("refused", "")
    prompt = (
        repaired(state["prompt"], reason, tools.fit) if reason else await tools.compose(turn, chosen, state["memory"])
    )
    if not prompt.fits:
        activation.note(prompt=prompt.facts)
        why = f"{reason} (no room for a repair)" if reason else "prompt over window"
        return {"action": tools.refuse(turn, chosen, why, state["answer"].text if reason else None)}
    if prompt.facts and not reason:
        activation.note(prompt=prompt.facts)
    return {"prompt": prompt, "answer": await activation.generate(prompt.messages, tools.sampling)}


def check(state: State) -> State:
    """Mend and examine the text: an action, a reason for one repair, or a refusal."""
    turn, chosen, answer = state["turn"], state["plan"], state["answer"]
    activation, tools = turn.activation, turn.tools
    verdict = tools.checks.examine(answer.text, turn.view.language, cut=answer.finish == "length")
    draft = tools.draft(chosen, verdict.text)
    reason = verdict.reason or ("" if draft.text else "empty")
    noted = {"reason": reason, "mends": verdict.mends, "flags": verdict.flags, "made_title": draft.made_title}
    if found := {name: value for name, value in noted.items() if value}:
        activation.note(**{"repair" if state.get("refused") else "check": found})
    if not reason:
        return {"action": tools.act(turn, chosen, draft)}
    if tools.checks.config.repair and not state.get("refused"):
        return {"refused": reason}
    return {"action": tools.refuse(turn, chosen, reason, answer.text)}


def repaired(prompt: Prompt, reason: str, fit: Fit) -> Prompt:
    """The same prompt with the reason at its end."""
    *rest, last = prompt.messages
    mended = Message(last.role, f"{last.content}\n\n{template('repair').render(reason=reason)}")
    messages = (*rest, mended)
    return Prompt(messages, prompt.facts, fit.fits_repair(messages))
