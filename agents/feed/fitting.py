"""Fitting the act policy from recorded timelines: what people did, to which post of the page they had before them.

Nobody recorded what people saw. The page is taken to be the newest posts of those whom they followed at that moment
(of everybody else, where they followed nobody or reacted to somebody whom they didn't follow).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from folkmoot.agents.feed.plan import ACTS, TEXTS
from folkmoot.agents.feed.policy import DEFAULTS, FeedPolicy
from folkmoot.agents.feed.taste import Taste
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.events import Event
from folkmoot.sim.feed import Followed, Muted, PostCreated, Reacted, Unfollowed

RANKS = 50
"""Places of the page; reactions to what stands further down are counted as `beyond`."""
LOOK_BACK = 2_000
"""Posts of all that are gone through for a page."""
LEAST = 10
"""Reactions on pages of both kinds below which homophily stays at its default."""
BOUNDS = (0.2, 10.0)
DIGITS = 6


class _Tally:
    """One pass over the events, in order of time."""

    def __init__(self, tastes: Mapping[str, Taste]) -> None:
        self.acts: dict[str, Counter[str]] = defaultdict(Counter)
        self.ranks: Counter[int] = Counter()
        self.beyond = self.mixed = 0
        self.met = [0.0, 0.0]  # posts of a person's interests that were reacted to: observed, expected
        self.unmet = [0.0, 0.0]
        self._tastes = tastes
        self._posts: dict[int, PostCreated] = {}
        self._order: list[PostCreated] = []
        self._follows: dict[str, set[str]] = defaultdict(set)
        self._calls: dict[str, dict[int, str]] = defaultdict(dict)

    def add(self, event: Event) -> None:
        """Count an event."""
        match event:
            case PostCreated():
                self._react(event, event.form, event.of if event.parent is None else event.parent)
                self._call(event)
                self._posts[event.seq] = event
                self._order.append(event)
            case Reacted():
                self._react(event, "like", event.post)
            case Followed():
                self._relate(event, "follow", event.user)
            case Unfollowed():
                self._relate(event, "unfollow", event.user)
            case Muted():
                self._relate(event, "mute", event.user)

    def _relate(self, event: Event, act: str, user: str) -> None:
        """What was so before anybody posted is how things stood, not what somebody did."""
        if act == "follow":
            self._follows[event.actor].add(user)
        elif act == "unfollow":
            self._follows[event.actor].discard(user)
        if self._order:
            self.acts["exogenous"][act] += 1

    def _react(self, event: Event, act: str, target: int | None) -> None:
        called = self._calls[event.actor].pop(target, None) if target is not None else None
        self.acts[called or "exogenous"][act] += 1
        post = self._post(target)
        if called is None and post is not None and post.actor != event.actor:
            self._place(event.actor, post)

    def _call(self, post: PostCreated) -> None:
        """Whom a post calls on: the author answered, the author quoted, users mentioned; as on a running feed."""
        called = dict.fromkeys(post.mentions, "mention")
        if post.form == "quote" and (quoted := self._post(post.of)) is not None:
            called[quoted.actor] = "mention"
        if (answered := self._post(post.parent)) is not None:
            called[answered.actor] = "reply"
        for name, trigger in called.items():
            if name != post.actor:
                self._calls[name][post.seq] = trigger

    def _post(self, seq: int | None) -> PostCreated | None:
        return None if seq is None else self._posts.get(seq)

    def _place(self, user: str, post: PostCreated) -> None:
        page = list(islice(self._page(user, post), RANKS))
        rank = next((place for place, shown in enumerate(page) if shown is post), None)
        if rank is None:
            self.beyond += 1
            return
        self.ranks[rank] += 1
        if user in self._tastes:
            self._compare(self._tastes[user], page, post)

    def _page(self, user: str, post: PostCreated) -> Iterator[PostCreated]:
        followed = self._follows.get(user, set())
        everybody = post.actor not in followed
        for earlier in islice(reversed(self._order), LOOK_BACK):
            if earlier.actor != user and (everybody or earlier.actor in followed):
                yield earlier

    def _compare(self, taste: Taste, page: list[PostCreated], chosen: PostCreated) -> None:
        """Posts about a person's interests against the others, on pages that hold both."""
        matches = sum(taste.meets(post) for post in page)
        if not 0 < matches < len(page):
            return
        self.mixed += 1
        share = matches / len(page)
        self.met[1] += share
        self.unmet[1] += 1 - share
        side = self.met if taste.meets(chosen) else self.unmet
        side[0] += 1


def fit(events: Iterable[Event], tastes: Mapping[str, Taste] | None = None) -> FeedPolicy:
    """The act policy of recorded events, in any order.

    Args:
        events: posts, reactions and follows of one community; their `seq`s are those that they refer to each other by.
        tastes: user -> interests, for homophily.

    Raises:
        CorpusError: no posts.
    """
    tally = _Tally(tastes or {})
    for event in sorted(events, key=lambda event: (event.time, event.seq)):
        tally.add(event)
    return FeedPolicy(_parameters(tally))


def _parameters(tally: _Tally) -> dict[str, Any]:
    total = Counter({act: sum(counts[act] for counts in tally.acts.values()) for act in ACTS})
    if not any(total[act] for act in TEXTS):
        raise CorpusError("the act policy was fitted on 0 posts, at least 1 is needed; use a corpus with timelines")
    unobserved = tuple(act for act in ACTS if act not in TEXTS and not total[act])
    counted = {act: total[act] for act in ACTS if total[act]}
    return {
        "acts": {trigger: _shares(tally.acts[trigger], trigger, unobserved) for trigger in DEFAULTS["acts"]},
        "rank": _ranks(tally.ranks),
        "homophily": _homophily(tally),
        "unobserved": list(unobserved),
        "n": {"acts": counted, "ranked": tally.ranks.total(), "beyond": tally.beyond, "mixed_pages": tally.mixed},
    }


def _shares(counts: Counter[str], trigger: str, unobserved: Iterable[str]) -> dict[str, float]:
    """Observed acts in proportion to their counts; acts that the corpus doesn't tell keep their default shares."""
    usual: Mapping[str, float] = DEFAULTS["acts"][trigger]
    if not counts.total():
        return dict(usual)
    kept = {act: usual[act] for act in unobserved if act in usual}
    left = 1 - sum(kept.values())
    found = {act: round(left * counts[act] / counts.total(), DIGITS) for act in ACTS if counts[act]}
    return {act: share for act in ACTS if (share := found.get(act, kept.get(act, 0.0))) > 0}


def _ranks(counts: Counter[int]) -> list[float]:
    """Shares of the places, each with a half counted more, so that no place is out of reach."""
    if not counts:
        return list(DEFAULTS["rank"])
    most = max(counts) + 1
    total = counts.total() + most / 2
    return [round((counts[rank] + 0.5) / total, DIGITS) for rank in range(most)]


def _homophily(tally: _Tally) -> float:
    if tally.mixed < LEAST:
        return float(DEFAULTS["homophily"])
    met, unmet = ((observed + 0.5) / (expected + 0.5) for observed, expected in (tally.met, tally.unmet))
    return round(min(max(met / unmet, BOUNDS[0]), BOUNDS[1]), DIGITS)
