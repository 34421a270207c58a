"""The empirical act policy: what people do at a look at the feed, to which post of the page, to whom.

Its parameters are fitted from recorded timelines (`fitting.py`) and frozen in the manifest. A draw is a function of
the activation, of the view and of what the person has decided before.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Self

from folkmoot.agents.feed.decisions import Decisions
from folkmoot.agents.feed.plan import ACTS, TEXTS, TO_USERS, Act, FeedPlan
from folkmoot.agents.feed.taste import LATELY, Taste, topics
from folkmoot.agents.policy import TRIGGERS
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.feed import FeedView, PostCreated, Shown
from folkmoot.sim.protocols import Activation

DEFAULT_ACTS: dict[str, dict[str, float]] = {
    "exogenous": {
        "post": 0.22,
        "reply": 0.14,
        "repost": 0.08,
        "quote": 0.03,
        "like": 0.25,
        "follow": 0.02,
        "unfollow": 0.003,
        "mute": 0.002,
        "scroll": 0.255,
    },
    "reply": {"reply": 0.6, "like": 0.4},
    "mention": {"reply": 0.6, "like": 0.3, "repost": 0.05, "quote": 0.05},
    "watch": {"reply": 0.15, "like": 0.4, "repost": 0.1, "quote": 0.05, "scroll": 0.3},
}
"""Shares of the acts by what woke the person, where a corpus doesn't tell them."""

MANY = 20
DEFAULTS: dict[str, Any] = {
    "acts": DEFAULT_ACTS,
    "rank": [round(1 / (rank + 2) / sum(1 / (r + 2) for r in range(MANY)), 6) for rank in range(MANY)],
    "homophily": 3.0,
}
REPOSTS = 50
"""Own posts that are looked through for what was passed on already."""
TOLERANCE = 1e-3
"""Shares of six digits add up to 1 as closely as this."""


class FeedPolicy:
    """Acts drawn from fitted shares.

    Args:
        parameters: `acts`, trigger -> act -> share; `rank`, shares of the places on the home page of what is reacted
            to; `homophily`, how many times likelier a post about the person's interests is chosen than another.
            Missing ones are `DEFAULTS`; `n`, the counts of a fit, and `unobserved`, the acts that the corpus doesn't
            tell, are kept as they are.

    Attributes:
        places: shares of the places on the page, by rank; the last one counts for all ranks beyond.
        homophily: a factor above 0.

    Raises:
        ConfigError: an unknown parameter, trigger or act, or shares that don't add up.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        given["acts"] = {**DEFAULT_ACTS, **given.get("acts", {})}
        self._parameters = {**DEFAULTS, **given}
        _check(self._parameters)
        self._acts = {trigger: _cumulated(shares) for trigger, shares in self._parameters["acts"].items()}
        self.places: list[float] = list(self._parameters["rank"])
        self.homophily = float(self._parameters["homophily"])

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """The policy that `parameters()` of another described."""
        return cls(parameters)

    def parameters(self) -> dict[str, Any]:
        """JSON-able parameters, rounded to six digits where fitted."""
        acts = {trigger: dict(shares) for trigger, shares in self._parameters["acts"].items()}
        return {**self._parameters, "acts": acts}

    @property
    def leaves_posts(self) -> float:
        """Share of the unprompted looks that leave a post, reply, repost or quote."""
        shares = self._parameters["acts"]["exogenous"]
        return float(sum(shares.get(act, 0.0) for act in TEXTS))

    def with_scrolling(self, given: Mapping[str, float]) -> "FeedPolicy":
        """The same with other probabilities of scrolling past, by trigger."""
        acts = self.parameters()["acts"]
        for trigger, silent in given.items():
            acts[trigger] = _rescaled(acts[trigger], silent)
        return FeedPolicy({**self._parameters, "acts": acts})

    def plan(
        self, activation: Activation, view: FeedView, taste: Taste, decisions: Decisions | None = None
    ) -> FeedPlan:
        """Decide; a look that nobody called for begins with the home page.

        Args:
            activation: names the draws.
            view: what there is to do.
            taste: the person's interests.
            decisions: what people have decided before; the plan is noted there.
        """
        known = Decisions() if decisions is None else decisions
        cause = view.event(activation.causes[-1]) if activation.causes else None
        if cause is not None and activation.trigger != "exogenous":
            return known.note(view.agent, self._prompted(activation, view, cause, known))
        return known.note(view.agent, self._unprompted(activation, view, taste, known))

    def _unprompted(self, activation: Activation, view: FeedView, taste: Taste, known: Decisions) -> FeedPlan:
        home = view.home()
        act = self._draw(activation, "exogenous")
        if act in {"post", "scroll"}:
            return FeedPlan(act)
        lately = topics(view.own(LATELY))
        chosen = choose(self, activation, possible(act, view, home, known), taste, lately, against=act in _AGAINST)
        if chosen is None:
            return FeedPlan("scroll", reason=f"nothing on the page to {act}")
        return FeedPlan(act, user=chosen.post.actor) if act in TO_USERS else FeedPlan(act, chosen.post.seq)

    def _prompted(self, activation: Activation, view: FeedView, cause: PostCreated, known: Decisions) -> FeedPlan:
        act = self._draw(activation, activation.trigger)
        if act == "scroll":
            return FeedPlan(act)
        may = _may(act, view)
        if known.include(view.agent, act, cause) or (may is not None and not may(cause)):
            return FeedPlan("scroll", reason=f"{act}: done already")
        return FeedPlan(act, user=cause.actor) if act in TO_USERS else FeedPlan(act, cause.seq)

    def _draw(self, activation: Activation, trigger: str) -> Act:
        acts, sums = self._acts[trigger if trigger in self._acts else "exogenous"]
        return acts[min(bisect_left(sums, activation.uniform("plan.act") * sums[-1]), len(acts) - 1)]


_AGAINST = ("unfollow", "mute")


def possible(act: Act, view: FeedView, home: Sequence[Shown], known: Decisions) -> Sequence[Shown]:
    """The posts of the page that this act can be done to, and that it isn't decided on for already."""
    may = _may(act, view)
    return known.left(view.agent, act, home if may is None else [item for item in home if may(item.post)])


def _may(act: Act, view: FeedView) -> Callable[[PostCreated], bool] | None:
    """Whether the viewer can do this to a post, as far as the view tells; None: to any."""
    if act == "like":
        return lambda post: not view.liked(post.seq)
    if act == "repost":
        done = {post.of for post in view.own(REPOSTS) if post.wordless}
        return lambda post: post.seq not in done
    if act in {"follow", "unfollow"}:
        followees, wanted = set(view.followees()), act == "unfollow"
        return lambda post: (post.actor in followees) == wanted
    return None


def choose(
    policy: FeedPolicy,
    activation: Activation,
    items: Sequence[Shown],
    taste: Taste,
    lately: Sequence[str],
    *,
    against: bool = False,
) -> Shown | None:
    """One of the posts, by place and interest; None of none."""
    if not items:
        return None
    near, far = (1.0, policy.homophily) if against else (policy.homophily, 1.0)
    meets, places, last = taste.meets, policy.places, len(policy.places) - 1
    weights = [places[min(item.rank, last)] * (near if meets(item.post, lately) else far) for item in items]
    sums = list(accumulate(weights))
    if sums[-1] <= 0:
        return items[0]
    return items[min(bisect_left(sums, activation.uniform("plan.rank") * sums[-1]), len(items) - 1)]


def _cumulated(shares: Mapping[str, float]) -> tuple[tuple[Act, ...], list[float]]:
    """Acts of a share above 0, in their fixed order, and the cumulated shares."""
    acts: tuple[Act, ...] = tuple(act for act in ACTS if shares.get(act, 0.0) > 0)
    return acts, list(accumulate(shares[act] for act in acts))


def _rescaled(shares: Mapping[str, float], silent: float) -> dict[str, float]:
    """The shares with this one for scrolling past, the others in the same proportion."""
    others = {act: share for act, share in shares.items() if act != "scroll"}
    total = sum(others.values())
    if not 0 <= silent <= 1 or (total == 0 and silent < 1):
        raise ConfigError(f"agents.abstain: {silent} isn't a probability between 0 and 1 that leaves room for acts")
    scaled = {act: round(share / total * (1 - silent), 6) for act, share in others.items()} if total else {}
    return {**scaled, "scroll": round(silent, 6)}


def _check(parameters: Mapping[str, Any]) -> None:
    known = {*DEFAULTS, "n", "unobserved"}
    _known("parameter", parameters, known)
    _known("trigger", parameters["acts"], TRIGGERS)
    for trigger, shares in parameters["acts"].items():
        _known("act", shares, ACTS)
        _add_up(f"acts.{trigger}", list(shares.values()))
    _add_up("rank", parameters["rank"])
    if parameters["homophily"] <= 0:
        raise ConfigError(f"act policy: homophily={parameters['homophily']}; a factor above 0 is needed")


def _known(noun: str, given: Iterable[str], known: Iterable[str]) -> None:
    if unknown := sorted(set(given) - set(known)):
        raise ConfigError(f"act policy: unknown {noun} {unknown[0]!r}; known: {', '.join(sorted(known))}")


def _add_up(name: str, shares: Sequence[float]) -> None:
    if not shares or min(shares) < 0 or abs(sum(shares) - 1) > TOLERANCE:
        raise ConfigError(f"act policy: {name}={shares} aren't shares of 1; give numbers >= 0 that add up to 1")
