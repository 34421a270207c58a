"""How one acts on a feed: what the stages of the graph ask for there."""

from dataclasses import dataclass, field

from folkmoot.agents.actions import Draft
from folkmoot.agents.conditioning import Condition, Prompt, Recalled
from folkmoot.agents.feed import plan as plans
from folkmoot.agents.feed.compose import PAGE, compose, gather
from folkmoot.agents.feed.plan import WRITTEN, FeedPlan
from folkmoot.agents.feed.planning import FeedPlanner
from folkmoot.agents.recalling import Recaller
from folkmoot.agents.stages import Tools, Turn
from folkmoot.sim.persona import HistoryThread, Persona
from folkmoot.sim.protocols import Action

Memory = tuple[HistoryThread, ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Persona blocks by the condition in use, each made once.

    Attributes:
        condition: says who a person is.
        made: user -> block.
    """

    condition: Condition
    made: dict[str, str] = field(default_factory=dict)

    def block(self, persona: Persona) -> str:
        """The finished block, "" for none.

        Raises:
            ConfigError: the persona lacks what the condition shows.
        """
        found = self.made.get(persona.id)
        if found is None:
            self.condition.check(persona)
            found = self.made[persona.id] = self.condition.persona_block(persona)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedTools(Tools):
    """What all agents of a feed share.

    Attributes:
        who: persona blocks.
        planner: decides what is done.
        recaller: chooses earlier posts, where the conditioning method shows any.
        page: posts of the home page that are shown.
    """

    who: Blocks
    planner: FeedPlanner
    recaller: Recaller | None = None
    page: int = PAGE

    def observe(self, turn: Turn) -> None:
        """Nothing yet: the planner looks at the page when it wants to, and looking is being exposed."""

    def recall(self, turn: Turn) -> Memory:
        """The person's earlier posts, where the conditioning method shows any; those of late are always at hand."""
        return () if self.recaller is None else turn.persona.history

    async def plan(self, turn: Turn, seen: None, memory: Memory) -> FeedPlan:  # noqa: ARG002 -- a plan needs neither
        """What to do."""
        return await self.planner.plan(turn.activation, turn.view, turn.persona)

    def done(self, turn: Turn, plan: FeedPlan) -> Action | None:
        """A like, a repost, a follow and the like, and scrolling past."""
        return None if plan.kind in WRITTEN else plans.action(plan, turn.activation, turn.view.version)

    async def compose(self, turn: Turn, plan: FeedPlan, memory: Memory) -> Prompt:
        """The prompt for the words of a post, a reply or a quote."""
        recalled: tuple[Recalled, ...] = ()
        if memory and self.recaller is not None:
            answered = turn.view.event(plan.post) if plan.post >= 0 else None
            recalled = self.recaller(memory, turn.activation, "", answered)
        shown = gather(turn.view, plan, self.page, recalled)
        persona = turn.persona
        block = self.who.block(persona)
        return compose(persona.id, turn.view.language, turn.activation.now, block, plan, shown, self.fit)

    def draft(self, plan: FeedPlan, text: str) -> Draft:  # noqa: ARG002 -- every post has one part
        """The text alone."""
        return Draft(text.strip())

    def act(self, turn: Turn, plan: FeedPlan, draft: Draft) -> Action:
        """The post, the reply or the quote."""
        return plans.action(plan, turn.activation, turn.view.version, draft.text)

    def refuse(self, turn: Turn, plan: FeedPlan, reason: str, text: str | None) -> Action:
        """A recorded refusal."""
        return plans.refuse(plan, reason, text, turn.activation, turn.view.version)
