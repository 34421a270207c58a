"""The five stages of a model-driven agent, as plain functions of the state; `graph.py` strings them together."""

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from folkmoot.agents import actions
from folkmoot.agents.checks import Checks
from folkmoot.agents.conditioning import Condition, Fit, Prompt, Scene
from folkmoot.agents.conditioning.acts import Acts, ActSource
from folkmoot.agents.conditioning.scene import Recalled, shown
from folkmoot.agents.memory import memories
from folkmoot.agents.plan import Plan
from folkmoot.agents.planning import Planner, Seen
from folkmoot.agents.prompts import template
from folkmoot.agents.recalling import Recaller
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.persona import HistoryThread, Persona
from folkmoot.sim.protocols import Action, Activation, Answer, Message, Sampling


@dataclass(frozen=True, slots=True)
class Tools:
    """What all agents of a population share.

    Attributes:
        remember: own comments of the simulation join the recall.
        recaller: chooses earlier comments, where the conditioning method shows any.
        acts: draws what a comment is to do, where the conditioning method says it.
    """

    condition: Condition
    planner: Planner
    checks: Checks
    fit: Fit
    sampling: Sampling
    remember: bool = False
    recaller: Recaller | None = None
    acts: ActSource | None = None


class Turn(NamedTuple):
    """One activation of one agent."""

    activation: Activation
    view: DiscussionView
    persona: Persona
    tools: Tools


class State(TypedDict, total=False):
    """What the stages hand on.

    Attributes:
        refused: why the first text couldn't be used; set once, it asks `write` for the repair.
        action: set by the stage that ends the turn.
    """

    turn: Turn
    seen: Seen
    memory: tuple[HistoryThread, ...]
    plan: Plan
    acts: Acts
    prompt: Prompt
    answer: Answer
    refused: str
    action: Action


def observe(state: State) -> State:
    """Notice what woke the agent and, where the planner wants them, the threads that were active lately."""
    turn = state["turn"]
    causes, most = turn.activation.causes, turn.tools.planner.looks_at
    cause = turn.view.event(causes[-1]) if causes else None
    return {"seen": Seen(cause, tuple(turn.view.recent(most)) if most else ())}


def remember(state: State) -> State:
    """Recall: gather the agent's earlier comments, where the conditioning method shows any."""
    turn = state["turn"]
    if turn.tools.recaller is None:
        return {"memory": ()}
    return {"memory": tuple(memories(turn.persona, turn.view, remember=turn.tools.remember))}


async def plan(state: State) -> State:
    """Decide what to answer; silence ends the turn."""
    turn = state["turn"]
    seen = state["seen"]._replace(persona=turn.persona, memory=state["memory"])
    chosen = await turn.tools.planner.plan(turn.activation, turn.view, seen)
    turn.activation.note(plan=chosen._asdict())
    if chosen.kind == "abstain":
        return {"plan": chosen, "action": actions.abstain(chosen, turn.activation, turn.view.version)}
    return {"plan": chosen, "acts": await _acts(turn, chosen)}


async def _acts(turn: Turn, chosen: Plan) -> Acts:
    """What the comment is to do, where the conditioning method says it; an opening answers nobody and is free."""
    answered = turn.view.event(chosen.parent) if chosen.kind == "reply" else None
    if turn.tools.acts is None or answered is None:
        return ()
    acts = await turn.tools.acts.draw(turn.activation, turn.persona, answered)
    turn.activation.note(acts=list(acts))
    return acts


async def write(state: State) -> State:
    """Build the prompt and ask the model; a prompt over the window ends the turn, uncalled."""
    turn, chosen = state["turn"], state["plan"]
    activation, tools = turn.activation, turn.tools
    reason = state.get("refused", "")
    prompt = (
        repaired(state["prompt"], reason, tools.fit)
        if reason
        else compose(turn, chosen, state["memory"], state["acts"])
    )
    if not prompt.fits:
        activation.note(prompt=prompt.facts)
        why = f"{reason} (no room for a repair)" if reason else "prompt over window"
        text = state["answer"].text if reason else None
        return {"action": actions.refuse(chosen, why, text, activation, turn.view.version)}
    if prompt.facts and not reason:
        activation.note(prompt=prompt.facts)
    return {"prompt": prompt, "answer": await activation.generate(prompt.messages, tools.sampling)}


def check(state: State) -> State:
    """Mend and examine the text: an action, a reason for one repair, or a refusal."""
    turn, chosen, answer = state["turn"], state["plan"], state["answer"]
    activation, tools = turn.activation, turn.tools
    verdict = tools.checks.examine(answer.text, turn.view.language, cut=answer.finish == "length")
    draft = actions.read(verdict.text, opens=chosen.kind == "open")
    reason = verdict.reason or ("" if draft.text else "empty")
    noted = {"reason": reason, "mends": verdict.mends, "flags": verdict.flags, "made_title": draft.made_title}
    if found := {name: value for name, value in noted.items() if value}:
        activation.note(**{"repair" if state.get("refused") else "check": found})
    if not reason:
        return {"action": actions.act(chosen, draft, activation, turn.view.version)}
    if tools.checks.config.repair and not state.get("refused"):
        return {"refused": reason}
    return {"action": actions.refuse(chosen, reason, answer.text, activation, turn.view.version)}


def compose(turn: Turn, chosen: Plan, memory: tuple[HistoryThread, ...], acts: Acts = ()) -> Prompt:
    """The prompt of the planned action."""
    shown = scene(turn, chosen, acts=acts)
    if memory and turn.tools.recaller is not None:
        answered = turn.view.event(chosen.parent) if chosen.kind == "reply" else None
        recalled = turn.tools.recaller(memory, turn.activation, shown.title or shown.page, answered)
        shown = shown._replace(recalled=recalled)
    return turn.tools.condition.messages(turn.persona, shown, turn.tools.fit)


def scene(turn: Turn, chosen: Plan, recalled: tuple[Recalled, ...] = (), acts: Acts = ()) -> Scene:
    """What the author sees when writing the planned action."""
    view = turn.view
    replies = chosen.kind == "reply"
    events = view.comments(chosen.thread) if replies else ()
    return Scene(
        author=turn.persona.id,
        language=view.language,
        now=turn.activation.now,
        page=chosen.page,
        article=view.article(chosen.page, chosen.thread),
        title=view.thread(chosen.thread).title if replies else "",
        comments=shown(events),
        answered=next((i for i, event in enumerate(events) if event.seq == chosen.parent), None),
        recalled=recalled,
        acts=acts,
    )


def repaired(prompt: Prompt, reason: str, fit: Fit) -> Prompt:
    """The same prompt with the reason at its end."""
    *rest, last = prompt.messages
    mended = Message(last.role, f"{last.content}\n\n{template('repair').render(reason=reason)}")
    messages = (*rest, mended)
    return Prompt(messages, prompt.facts, fit.fits_repair(messages))
