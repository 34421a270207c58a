"""Who decides the plan: the fitted policy, or the model choosing among lettered options."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from folkmoot.agents.conditioning import Condition, Fit
from folkmoot.agents.conditioning.compose import system_text
from folkmoot.agents.conditioning.history import item_text
from folkmoot.agents.conditioning.scene import clock
from folkmoot.agents.lettered import Ballot, Chooser, listing
from folkmoot.agents.options import DETAILS, Choice, choice, fewer, talk
from folkmoot.agents.plan import Plan
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.prompts import template
from folkmoot.agents.recalling import Recaller
from folkmoot.sim.discussion import DiscussionView, ThreadInfo
from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import HistoryThread, Persona
from folkmoot.sim.protocols import Activation, Message

RECENT = 8
"""Recently active threads that the model chooses among."""


class Seen(NamedTuple):
    """What an agent notices first: the comment that woke it, and threads that were active lately.

    Attributes:
        persona: who looks.
        memory: earlier comments of its own, where the conditioning method shows any.
    """

    cause: TextEvent | None = None
    recent: Sequence[ThreadInfo] = ()
    persona: Persona | None = None
    memory: Sequence[HistoryThread] = ()


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
    """Shows the model who it is, the discussions and lettered options; its probabilities of the letters decide.

    At temperature 0 the most probable letter is taken, above it one is drawn. A `target` activation is told what to
    answer and asks nothing; where not even the shortest prompt fits the window the policy plans, noted.

    Args:
        policy: plans where the model can't.
        condition: says who the person is.
        fit: the window.
        temperature: divides the log-probabilities.
        recaller: chooses earlier comments, where the conditioning method shows any.
    """

    looks_at = RECENT

    def __init__(
        self,
        policy: PlanPolicy,
        condition: Condition,
        fit: Fit,
        temperature: float = 0.0,
        recaller: Recaller | None = None,
    ) -> None:
        self._policy = policy
        self._condition = condition
        self._chooser = Chooser(fit, temperature)
        self._recaller = recaller

    async def plan(self, activation: Activation, view: DiscussionView, seen: Seen) -> Plan:
        """Ask, and take or draw the choice."""
        if activation.trigger == "target":
            return self._policy.plan(activation, view)
        prompts = _Prompts(activation, view, seen, self._who(seen), self._items(activation, seen))
        chosen = await self._chooser.choose(activation, len(DETAILS), prompts.ballot, "plan_scores", "plan.choice")
        if chosen is None:
            return self._policy.plan(activation, view)
        return prompts.choice(chosen.step).options[chosen.place].plan

    def _who(self, seen: Seen) -> str:
        return "" if seen.persona is None else self._condition.persona_block(seen.persona)

    def _items(self, activation: Activation, seen: Seen) -> list[str]:
        if self._recaller is None or not seen.memory:
            return []
        title = seen.recent[0].title if seen.recent else ""
        return [item_text(item) for item in self._recaller(seen.memory, activation, title, seen.cause)]


class _Prompts:
    """The prompts of one choice, from all that there is to show to the least."""

    def __init__(
        self, activation: Activation, view: DiscussionView, seen: Seen, who: str, items: Sequence[str]
    ) -> None:
        self._view, self._items = view, items
        self._now = clock(activation.now)
        self._system = Message("system", system_text(activation.agent, view.language, who))
        self._whole = choice(activation, view, seen.cause, seen.recent)

    def choice(self, step: int) -> Choice:
        """The options of a step."""
        return fewer(self._whole, DETAILS[step].threads)

    def ballot(self, step: int) -> Ballot:
        """The prompt of a step."""
        asked = self.choice(step)
        block = listing(option.words for option in asked.options)
        shown = talk(self._view, asked, DETAILS[step]) or "(none)"
        parts = [template("plan").render(now=self._now, talk=shown, block=block)]
        if kept := self._items[len(self._items) * step // (len(DETAILS) - 1) :]:
            parts.insert(0, template("history").render(block="\n\n".join(kept)))
        return Ballot((self._system, Message("user", "\n\n".join(parts))), len(asked.options))
