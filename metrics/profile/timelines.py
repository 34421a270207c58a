"""Users with their timelines and known interests, sampled; what doesn't count is counted by reason."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.agents.interests.posts import Post
from folkmoot.environments.corpora.base import Corpus
from folkmoot.metrics.profile.counting import active
from folkmoot.metrics.profile.settings import ReadingSettings
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import Interests
from folkmoot.sim.rng import digest

YEAR = 365.25 * 86_400_000
"""Milliseconds."""

WORDLESS = "reposts: no words of their own"


@dataclass(frozen=True, slots=True)
class User:
    """One user: posts oldest first, and the gold profile."""

    community: str
    id: str
    language: str
    posts: tuple[Post, ...]
    gold: Interests


def timelines(corpus: Corpus, settings: ReadingSettings, losses: Counter[str]) -> dict[str, list[Post]]:
    """User -> own posts, oldest first: the latest `max_posts` of the last `years` of the user's timeline."""
    own: dict[str, list[PostCreated]] = {}
    for event in corpus.utterances():
        if not isinstance(event, PostCreated):
            continue
        if event.wordless:
            losses[WORDLESS] += 1
        else:
            own.setdefault(event.actor, []).append(event)
    return {user: latest(posts, settings, losses) for user, posts in own.items()}


def latest(events: Sequence[PostCreated], settings: ReadingSettings, losses: Counter[str]) -> list[Post]:
    """Those of one user's posts, at least one, that count; the others are counted."""
    begin = max(event.time for event in events) - settings.years * YEAR
    late = [event for event in events if event.time >= begin]
    losses["posts before the years that count"] += len(events) - len(late)
    losses["posts before the latest that count"] += max(0, len(late) - settings.max_posts)
    return as_posts(sorted(late, key=lambda event: (event.time, event.seq))[-settings.max_posts :])


def as_posts(events: Iterable[PostCreated]) -> list[Post]:
    """Events as posts, numbered from 1 in the order of their times."""
    ordered = sorted(events, key=lambda event: (event.time, event.seq))
    return [
        Post(number, event.time, event.text, tuple(event.hashtags), tuple(event.captions))
        for number, event in enumerate(ordered, 1)
    ]


def known_users(
    corpus: Corpus,
    posts: Mapping[str, Sequence[Post]],
    golds: Mapping[str, Interests | None],
    least: int,
    losses: Counter[str],
) -> list[User]:
    """Those whose gold profile has so many active domains, in the order of `posts`."""
    found = []
    for user, own in posts.items():
        gold = golds.get(user)
        if gold is None or not active(gold):
            losses["users without a gold profile"] += 1
        elif len(active(gold)) < least:
            losses[f"users with fewer than {least} active domains"] += 1
        else:
            found.append(User(corpus.name, user, corpus.language, tuple(own), gold))
    return found


def sampled(users: list[User], settings: ReadingSettings) -> list[User]:
    """`max_users` of them, in their own order; the same whatever the run's seed."""
    if settings.max_users is None or settings.max_users >= len(users):
        return users
    order = sorted(users, key=lambda user: digest(settings.sample_seed, "users", user.community, user.id))
    kept = {(user.community, user.id) for user in order[: settings.max_users]}
    return [user for user in users if (user.community, user.id) in kept]
