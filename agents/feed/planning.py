"""Who decides what is done at a look: the fitted policy, or the model by the probabilities of lettered options."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from folkmoot.agents.conditioning import Fit
from folkmoot.agents.conditioning.scene import clock
from folkmoot.agents.feed import showing
from folkmoot.agents.feed.compose import DETAILS, PAGE, system_text
from folkmoot.agents.feed.decisions import Decisions
from folkmoot.agents.feed.plan import TO_USERS, Act, FeedPlan
from folkmoot.agents.feed.policy import FeedPolicy, possible
from folkmoot.agents.feed.taste import Taste
from folkmoot.agents.lettered import LETTERED, Ballot, Chooser, listing
from folkmoot.agents.prompts import template
from folkmoot.sim.feed import FeedView, PostCreated, Shown
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Activation, Message
from folkmoot.sim.quoting import name

NOTICES = 3
"""Posts that answer or name the person, shown above the page."""

WORDS: dict[Act, tuple[str, str]] = {
    "post": ("Write a post of your own", ""),
    "reply": ("Reply to a post", "reply to a post"),
    "repost": ("Pass a post on as it is", "pass a post on as it is"),
    "quote": ("Pass a post on with words of your own", "pass a post on with words of your own"),
    "like": ("Like a post", "like a post"),
    "follow": ("Follow somebody", "follow somebody"),
    "unfollow": ("Stop following somebody", "stop following somebody"),
    "mute": ("Mute somebody, never to see their posts again", "mute somebody"),
    "scroll": ("Scroll past, do nothing", ""),
}
"""Act -> the option in words, and what is asked again where it needs a post or a person."""


class FeedPlanner(Protocol):
    """Decides what a person does before a word is written."""

    async def plan(self, activation: Activation, view: FeedView, persona: Persona) -> FeedPlan:
        """The plan."""


class FeedPolicyPlanner:
    """Plans by the fitted policy, without a call.

    Args:
        policy: draws the acts.
        tastes: user -> interests.
    """

    def __init__(self, policy: FeedPolicy, tastes: "Tastes") -> None:
        self._policy = policy
        self._tastes = tastes
        self.decisions = Decisions()

    async def plan(self, activation: Activation, view: FeedView, persona: Persona) -> FeedPlan:
        """Draw the plan."""
        return self._policy.plan(activation, view, self._tastes.of(persona), self.decisions)


class Tastes:
    """Each person's interests, made ready once."""

    def __init__(self) -> None:
        self._known: dict[str, Taste] = {}

    def of(self, persona: Persona) -> Taste:
        """The person's."""
        found = self._known.get(persona.id)
        if found is None:
            found = self._known[persona.id] = Taste(persona.interests)
        return found


class Ask(NamedTuple):
    """What the model chooses among.

    Attributes:
        shown: the page, with who answered or named the person.
        options: words of each, in the order shown.
    """

    shown: Sequence[Shown]
    notices: Sequence[PostCreated]
    question: str
    options: Sequence[str]


class FeedModelPlanner:
    """Shows the model who it is, notices, page and lettered acts, then, where the act needs one, posts or people.

    Its probabilities of the letters decide (`agents.lettered`). Where not even the shortest prompt fits the window the
    policy plans, noted.

    Args:
        policy: plans where the model can't.
        fit: the window.
        who: the finished persona block of a person.
        temperature: divides the log-probabilities.
        most: posts of the page that are shown, up to `LETTERED`: each is an option.
    """

    def __init__(self, policy: FeedPolicyPlanner, fit: Fit, who: "Who", temperature: float, most: int = PAGE) -> None:
        self._policy = policy
        self._chooser = Chooser(fit, temperature)
        self._who = who
        self._most = min(most, LETTERED)
        self._turns: dict[str, asyncio.Lock] = {}

    async def plan(self, activation: Activation, view: FeedView, persona: Persona) -> FeedPlan:
        """Ask once for the act, and once more for the post or the person.

        Who looks again before an earlier choice has been answered is asked after it: one knows what one has decided.
        """
        async with self._turns.setdefault(persona.id, asyncio.Lock()):
            plan = await self._chosen(activation, view, persona)
            return (
                await self._policy.plan(activation, view, persona)
                if plan is None
                else self._policy.decisions.note(persona.id, plan)
            )

    async def _chosen(self, activation: Activation, view: FeedView, persona: Persona) -> FeedPlan | None:
        known = self._policy.decisions
        home = self._page(activation, view)
        system = Message("system", system_text(persona.id, view.language, self._who.block(persona)))
        notices = view.notices(NOTICES)
        acts = [act for act in WORDS if act in {"post", "scroll"} or possible(act, view, home, known)]
        acts = [acts[place] for place in activation.rng("plan.order").permutation(len(acts)).tolist()]
        words = [WORDS[act][0] for act in acts]
        chosen = await self._choice(activation, system, Ask(home, notices, "", words), "plan_scores")
        if chosen is None:
            return None
        act = acts[chosen]
        if act in {"post", "scroll"}:
            return FeedPlan(act)
        items = possible(act, view, home, known)
        listed = [f"Post {1 + home.index(item)} by {name(item.post.actor)}" for item in items]
        which = await self._choice(activation, system, Ask(home, (), WORDS[act][1], listed), "which_scores")
        item = items[0 if which is None else which]
        return FeedPlan(act, user=item.post.actor) if act in TO_USERS else FeedPlan(act, item.post.seq)

    def _page(self, activation: Activation, view: FeedView) -> list[Shown]:
        """What woke the person first, then the top of the page."""
        home = list(view.home()[: self._most])
        cause = view.event(activation.causes[-1]) if activation.causes else None
        if cause is None or any(item.post.seq == cause.seq for item in home) or not cause.text:
            return home
        woke = Shown(cause, 0, "", cause.actor in view.followees(), view.standing(cause.seq))
        return [woke, *home[: self._most - 1]]

    async def _choice(self, activation: Activation, system: Message, ask: Ask, noted: str) -> int | None:
        if len(ask.options) == 1:
            return 0
        block, now = listing(ask.options), clock(activation.now)

        def at(step: int) -> Ballot:
            return Ballot((system, Message("user", _question(ask, step, now, block))), len(ask.options))

        chosen = await self._chooser.choose(activation, len(DETAILS), at, noted, noted)
        return None if chosen is None else chosen.place


class Who(Protocol):
    """Says who a person is."""

    def block(self, persona: Persona) -> str:
        """The finished persona block, "" for none."""


def _question(ask: Ask, step: int, now: str, block: str) -> str:
    """The page with less and less of each post: which post is meant has to stay clear, so none is left out."""
    characters = DETAILS[step].characters
    parts = []
    if ask.notices and step < len(DETAILS) - 1:
        parts.append(template("feed_notices").render(block=showing.bare(ask.notices, characters)))
    parts.append(template("feed_home").render(block=showing.page(ask.shown, characters) or "(nothing)"))
    which = {"act": ask.question} if ask.question else {}
    parts.append(template("feed_which" if which else "feed_act").render(now=now, block=block, **which))
    return "\n\n".join(parts)
