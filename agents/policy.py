"""The empirical plan policy: whether to speak, in which thread, to which comment.

Its parameters are fitted from recorded threads and frozen in the manifest. A draw is a function of the
activation alone; an activation reads the most recent threads and one of them, never all.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Self

from folkmoot.agents.fitting import fit_parameters
from folkmoot.agents.plan import Plan
from folkmoot.sim.discussion import DiscussionView, ThreadInfo
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Activation

TRIGGERS = ("exogenous", "reply", "mention", "watch")
DEFAULTS: dict[str, Any] = {
    "open": 0.1,
    "thread": [0.5, 0.25, 0.125, 0.125],
    "comment": [0.7, 0.2, 0.1],
    "self": 0.0,
    "cause": 1.0,
    "abstain": {},
}


class PlanPolicy:
    """Plans drawn from fitted shares.

    Args:
        parameters: `open`, the probability that an exogenous activation opens a thread; `thread`, shares of
            the recency ranks of the thread answered (0: the most recently active); `comment`, shares of the
            distances of the comment answered from the newest; `self`, the probability that a drawn comment
            of one's own is answered; `cause`, the probability that a reply or mention is itself what is
            answered; `abstain`, trigger -> probability of saying nothing (0 where not given). Missing ones
            are `DEFAULTS`; `n`, the counts of a fit, is kept as it is.

    Raises:
        ConfigError: an unknown parameter, a probability outside [0, 1], or shares that don't add up.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self._parameters = {**DEFAULTS, **(parameters or {})}
        _check(self._parameters)
        self._open: float = self._parameters["open"]
        self._self: float = self._parameters["self"]
        self._cause: float = self._parameters["cause"]
        self._abstain: dict[str, float] = dict(self._parameters["abstain"])
        self._thread = list(accumulate(self._parameters["thread"]))
        self._comment = list(accumulate(self._parameters["comment"]))

    @classmethod
    def fit(cls, events: Iterable[TextEvent], abstain: Mapping[str, float] | None = None) -> Self:
        """Fit from recorded comments; probabilities of abstaining given here replace the fitted ones.

        Raises:
            CorpusError: no events.
        """
        parameters = fit_parameters(events)
        return cls({**parameters, "abstain": {**parameters["abstain"], **(abstain or {})}})

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """The policy that `parameters()` of another described."""
        return cls(parameters)

    def parameters(self) -> dict[str, Any]:
        """JSON-able parameters, rounded to six digits where fitted."""
        return {**self._parameters, "abstain": dict(self._abstain)}

    def plan(self, activation: Activation, view: DiscussionView) -> Plan:
        """Decide. A `target` activation is told what to answer; everything else is drawn."""
        trigger = activation.trigger
        if trigger == "target":
            return answer(view, activation.causes[-1])
        silent = self._abstain.get(trigger, 0.0)
        if silent > 0 and activation.uniform("plan.abstain") < silent:
            return Plan("abstain", reason="nothing to add")
        if trigger == "exogenous":
            return self._unprompted(activation, view)
        return self._prompted(activation, view)

    def _unprompted(self, activation: Activation, view: DiscussionView) -> Plan:
        recent = view.recent(len(self._thread))
        if view.pages and (not recent or activation.uniform("plan.open") < self._open):
            pages = view.pages
            return Plan("open", page=pages[int(activation.uniform("plan.page") * len(pages))])
        if not recent:
            return Plan("abstain", reason="no thread to answer")
        rank = _draw(self._thread, len(recent), activation.uniform("plan.thread"))
        return self._in_thread(activation, view, recent[rank])

    def _prompted(self, activation: Activation, view: DiscussionView) -> Plan:
        cause = view.event(activation.causes[-1]) if activation.causes else None
        if cause is None:
            return self._unprompted(activation, view)
        info = view.thread(cause.thread)
        if info.archived:
            return Plan("abstain", reason="the thread is archived")
        direct = activation.trigger != "watch" and activation.uniform("plan.cause") < self._cause
        if direct and cause.actor != activation.agent:
            return Plan("reply", info.page, info.id, cause.seq)
        return self._in_thread(activation, view, info)

    def _in_thread(self, activation: Activation, view: DiscussionView, info: ThreadInfo) -> Plan:
        """Draw the comment; one's own is passed over for the nearest of someone else, unless `self` says so."""
        comments = view.comments(info.id)
        distance = _draw(self._comment, len(comments), activation.uniform("plan.comment"))
        index = len(comments) - 1 - distance
        if comments[index].actor == activation.agent and not self._to_oneself(activation):
            index = _nearest_other(comments, index, activation.agent)
        if index < 0:
            return Plan("abstain", reason="only own comments to answer")
        return Plan("reply", info.page, info.id, comments[index].seq)

    def _to_oneself(self, activation: Activation) -> bool:
        return self._self > 0 and activation.uniform("plan.self") < self._self


def answer(view: DiscussionView, seq: int) -> Plan:
    """The plan to answer this comment.

    Raises:
        ConfigError: the comment isn't in this version of the environment.
    """
    event = view.event(seq)
    if event is None:
        raise ConfigError(f"a target activation names comment {seq}, which the view at version {view.version} lacks")
    return Plan("reply", view.thread(event.thread).page, event.thread, seq)


def _draw(cumulative: Sequence[float], size: int, uniform: float) -> int:
    """An index below `size`, by the shares restricted to it; the last where no share lies below `size`."""
    last = min(size, len(cumulative)) - 1
    return min(last, bisect_left(cumulative, uniform * cumulative[last])) if cumulative[last] > 0 else last


def _nearest_other(comments: Sequence[TextEvent], index: int, agent: str) -> int:
    """The nearest comment by someone else, the older one first; -1 if there is none."""
    for step in range(1, len(comments)):
        for place in (index - step, index + step):
            if 0 <= place < len(comments) and comments[place].actor != agent:
                return place
    return -1


def _check(parameters: Mapping[str, Any]) -> None:
    known = {*DEFAULTS, "n"}
    if unknown := sorted(set(parameters) - known):
        raise ConfigError(f"plan policy: unknown parameter {unknown[0]!r}; known: {', '.join(sorted(known))}")
    if unknown := sorted(set(parameters["abstain"]) - set(TRIGGERS)):
        raise ConfigError(f"plan policy: unknown trigger {unknown[0]!r} in abstain; known: {', '.join(TRIGGERS)}")
    single = {name: parameters[name] for name in ("open", "self", "cause")}
    for name, value in {**single, **parameters["abstain"]}.items():
        if not 0 <= value <= 1:
            raise ConfigError(f"plan policy: {name}={value} is outside [0, 1]; give a probability")
    for name in ("thread", "comment"):
        shares = parameters[name]
        if not shares or min(shares) < 0 or abs(sum(shares) - 1) > 1e-3:  # noqa: PLR2004 -- 20 shares of six digits
            raise ConfigError(f"plan policy: {name}={shares} aren't shares of 1; give numbers >= 0 that add up to 1")
