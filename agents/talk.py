"""How one acts on a Talk page: what the stages of the graph ask for there."""

from dataclasses import dataclass

from folkmoot.agents import actions
from folkmoot.agents.actions import Draft
from folkmoot.agents.conditioning import Condition, Prompt, Scene
from folkmoot.agents.conditioning.acts import Acts, ActSource
from folkmoot.agents.conditioning.scene import shown
from folkmoot.agents.memory import memories
from folkmoot.agents.plan import Plan
from folkmoot.agents.planning import Planner, Seen
from folkmoot.agents.recalling import Recaller
from folkmoot.agents.stages import Tools, Turn
from folkmoot.sim.persona import HistoryThread
from folkmoot.sim.protocols import Action

Memory = tuple[HistoryThread, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkTools(Tools):
    """What all agents of a community of Talk pages share.

    Attributes:
        remember: own comments of the simulation join the recall.
        recaller: chooses earlier comments, where the conditioning method shows any.
        acts: draws what a comment is to do, where the conditioning method says it.
    """

    condition: Condition
    planner: Planner
    remember: bool = False
    recaller: Recaller | None = None
    acts: ActSource | None = None

    def observe(self, turn: Turn) -> Seen:
        """What woke the agent and, where the planner wants them, the threads that were active lately."""
        causes, most = turn.activation.causes, self.planner.looks_at
        cause = turn.view.event(causes[-1]) if causes else None
        return Seen(cause, tuple(turn.view.recent(most)) if most else ())

    def recall(self, turn: Turn) -> Memory:
        """The agent's earlier comments, where the conditioning method shows any."""
        if self.recaller is None:
            return ()
        return tuple(memories(turn.persona, turn.view, remember=self.remember))

    async def plan(self, turn: Turn, seen: Seen, memory: Memory) -> Plan:
        """What to answer, or to say nothing."""
        noticed = seen._replace(persona=turn.persona, memory=memory)
        return await self.planner.plan(turn.activation, turn.view, noticed)

    def done(self, turn: Turn, plan: Plan) -> Action | None:
        """Silence needs no words."""
        return actions.abstain(plan, turn.activation, turn.view.version) if plan.kind == "abstain" else None

    async def compose(self, turn: Turn, plan: Plan, memory: Memory) -> Prompt:
        """The prompt of the planned comment."""
        shown = scene(turn, plan, await self._acts(turn, plan))
        if memory and self.recaller is not None:
            answered = turn.view.event(plan.parent) if plan.kind == "reply" else None
            recalled = self.recaller(memory, turn.activation, shown.title or shown.page, answered)
            shown = shown._replace(recalled=recalled)
        return self.condition.messages(turn.persona, shown, self.fit)

    async def _acts(self, turn: Turn, plan: Plan) -> Acts:
        """What the comment is to do, where the conditioning method says it; an opening answers nobody and is free."""
        answered = turn.view.event(plan.parent) if plan.kind == "reply" else None
        if self.acts is None or answered is None:
            return ()
        acts = await self.acts.draw(turn.activation, turn.persona, answered)
        turn.activation.note(acts=list(acts))
        return acts

    def draft(self, plan: Plan, text: str) -> Draft:
        """Title and text of an opening, text of a reply."""
        return actions.read(text, opens=plan.kind == "open")

    def act(self, turn: Turn, plan: Plan, draft: Draft) -> Action:
        """The reply or the new thread."""
        return actions.act(plan, draft, turn.activation, turn.view.version)

    def refuse(self, turn: Turn, plan: Plan, reason: str, text: str | None) -> Action:
        """A recorded refusal."""
        return actions.refuse(plan, reason, text, turn.activation, turn.view.version)


def scene(turn: Turn, chosen: Plan, acts: Acts = ()) -> Scene:
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
        acts=acts,
    )
