"""The users of a feed whose profiles are known: timelines and gold interests, sampled; the others counted by reason."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from folkmoot.agents.interests.posts import Post
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.social_feed.events import PostCreated
from folkmoot.metrics.profile.counting import active
from folkmoot.metrics.profile.gold import read_gold
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.experiments.profile_settings import InterestTask
from folkmoot.sim.persona import Interests
from folkmoot.sim.rng import digest

YEAR = 365.25 * 86_400_000
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class User:
    """One user: posts oldest first, and the gold profile."""

    community: str
    id: str
    language: str
    posts: tuple[Post, ...]
    gold: Interests


@dataclass(slots=True)
class Users:
    """The users that are asked about, and why others aren't."""

    users: list[User]
    losses: Counter[str] = field(default_factory=Counter)


def find_users(corpora: Sequence[Corpus], config: InterestTask) -> Users:
    """Users with posts and a gold profile of enough active domains.

    Raises:
        CorpusError: there is none; the message counts why.
    """
    gold = read_gold(Path(config.gold).expanduser()) if config.gold else {}
    found = Users([])
    for corpus in corpora:
        for user, posts in timelines(corpus, config, found.losses).items():
            persona = corpus.personas.get(user)
            given = None if persona is None else persona.interests
            known = gold.get(user) if config.gold else given
            if reason := _unfit(known, config.min_domains):
                found.losses[reason] += 1
            elif known is not None:
                found.users.append(User(corpus.name, user, corpus.language, tuple(posts), known))
    found.users = _sampled(found.users, config)
    if not found.users:
        why = "; ".join(f"{count} {reason}" for reason, count in found.losses.items()) or "no posts"
        raise CorpusError(
            f"{', '.join(corpus.name for corpus in corpora)}: 0 users with posts and a gold profile, at least 1 is "
            f"needed ({why}); give a feed's corpus, experiment.gold=FILE, or a lower experiment.min_domains"
        )
    return found


def timelines(corpus: Corpus, config: InterestTask, losses: Counter[str]) -> dict[str, list[Post]]:
    """User -> own posts, oldest first: the latest `max_posts` of the last `years` of the user's timeline."""
    own: dict[str, list[PostCreated]] = {}
    for event in corpus.utterances():
        if not isinstance(event, PostCreated):
            continue
        if event.form == "repost":
            losses["reposts: no words of their own"] += 1
        else:
            own.setdefault(event.actor, []).append(event)
    return {user: _posts(posts, config, losses) for user, posts in own.items()}


def as_posts(events: Iterable[PostCreated]) -> list[Post]:
    """Events as posts, numbered from 1 in the order of their times."""
    ordered = sorted(events, key=lambda event: (event.time, event.seq))
    return [
        Post(number, event.time, event.text, tuple(event.hashtags), tuple(event.captions))
        for number, event in enumerate(ordered, 1)
    ]


def _posts(events: Sequence[PostCreated], config: InterestTask, losses: Counter[str]) -> list[Post]:
    begin = max(event.time for event in events) - config.years * YEAR
    late = [event for event in events if event.time >= begin]
    losses["posts before the years that count"] += len(events) - len(late)
    losses["posts before the latest that count"] += max(0, len(late) - config.max_posts)
    return as_posts(sorted(late, key=lambda event: (event.time, event.seq))[-config.max_posts :])


def _unfit(gold: Interests | None, least: int) -> str:
    if gold is None or not active(gold):
        return "users without a gold profile"
    return "" if len(active(gold)) >= least else f"users with fewer than {least} active domains"


def _sampled(users: list[User], config: InterestTask) -> list[User]:
    if config.max_users is None or config.max_users >= len(users):
        return users
    order = sorted(users, key=lambda user: digest(config.sample_seed, "users", user.community, user.id))
    kept = {(user.community, user.id) for user in order[: config.max_users]}
    return [user for user in users if (user.community, user.id) in kept]
