"""A corpus of a feed in three parts, cut at an instant: what people remember, what a run starts from, the reference.

A conversation may cross the instant, so posts are cut, not threads.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.leakage import text_key
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.corpora.splits import LEAST_USERS, Split, SplitSettings, split
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.feed import Followed, PostCreated, Reacted, Unfollowed
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

DAY = 86_400_000
"""Milliseconds."""
TIMELINE = "timeline"
"""The one thread of a person's history: all posts of theirs."""
LEAST_POSTS = 3
"""Posts that a corpus needs to be cut in three."""


@dataclass(frozen=True, slots=True)
class FeedSplit(Split):
    """Parts of a feed; `before` is the instant.

    Attributes:
        opened: seqs of the posts that enter a run before it starts: those of the last days, and what they answer or
            pass on, whatever its age.
        repeated: seqs of posts after the instant whose text stands before it: in no part.
    """

    opened: frozenset[int] = frozenset()
    repeated: frozenset[int] = frozenset()

    @property
    def instant(self) -> int:
        """Where the corpus is cut, milliseconds."""
        assert self.before is not None  # given by `split_feed`
        return self.before

    def opening_events(self, corpus: Corpus) -> list[TextEvent]:
        """The posts that a run starts from."""
        return [event for event in corpus.utterances() if event.seq in self.opened]

    def first_events(self, corpus: Corpus) -> list[Event]:
        """The same with the likes that they had by then, in order of time."""
        kept = [event for event in self.past(corpus) if _about(event) in self.opened]
        return sorted(kept, key=lambda event: (event.time, event.seq))

    def reference_events(self, corpus: Corpus) -> list[TextEvent]:
        """The posts of the reference, in order of time."""
        after = (e for e in corpus.utterances() if e.time >= self.instant and e.seq not in self.repeated)
        return sorted(after, key=lambda event: (event.time, event.seq))

    def history_events(self, corpus: Corpus) -> list[TextEvent]:
        """All posts before the instant, those of the openings too: people remember what they posted lately."""
        return [event for event in corpus.utterances() if event.time < self.instant]

    def past(self, corpus: Corpus) -> list[Event]:
        """All that happened before the instant: what rates and the act policy are fitted from."""
        return [event for event in corpus.events if event.time < self.instant]

    def follows(self, corpus: Corpus) -> list[tuple[str, str]]:
        """Who followed whom at the instant, in order of following."""
        edges: dict[tuple[str, str], None] = {}
        for event in sorted(self.past(corpus), key=lambda event: (event.time, event.seq)):
            if isinstance(event, Followed):
                edges[event.actor, event.user] = None
            elif isinstance(event, Unfollowed):
                edges.pop((event.actor, event.user), None)
        return list(edges)


def _about(event: Event) -> int | None:
    """The post that an event is, or that a like is to."""
    if isinstance(event, Reacted):
        return event.post
    return event.seq if isinstance(event, TextEvent) else None


def is_feed(corpus: Corpus) -> bool:
    """Whether the corpus holds posts of a feed, not comments of Talk pages."""
    return isinstance(next(corpus.utterances(), None), PostCreated)


def parted(corpus: Corpus, settings: SplitSettings | None = None) -> Split:
    """The split of a corpus, of whatever kind.

    Raises:
        CorpusError, ConfigError: it can't be cut so.
    """
    return split_feed(corpus, settings) if is_feed(corpus) else split(corpus, settings)


def split_feed(corpus: Corpus, settings: SplitSettings | None = None) -> FeedSplit:
    """Cut a feed at the instant before which `fraction` of its posts lie.

    People are those with `min_history` posts before it; they keep profile and interests that the corpus tells of them,
    and remember their own posts.

    Raises:
        ConfigError: a split by thread or by user.
        CorpusError: too few posts or people.
    """
    settings = settings or SplitSettings()
    if settings.by != "time":
        raise ConfigError(f"population.by={settings.by}: a feed is split by time; use population=by_time")
    posts = sorted(corpus.utterances(), key=lambda event: (event.time, event.seq))
    if len(posts) < LEAST_POSTS:
        raise CorpusError(f"{corpus.name}: {len(posts)} posts, at least {LEAST_POSTS} are needed to split a feed")
    place = min(max(round(len(posts) * settings.fraction), 2), len(posts) - 1)
    instant = posts[place].time
    before, after = ([e for e in posts if (e.time < instant) == early] for early in (True, False))
    if not before:
        raise CorpusError(f"{corpus.name}: all posts are of one instant ({instant} ms); nothing to split")
    losses: Counter[str] = Counter()
    said = {key for event in before if (key := text_key(event.text)) is not None}
    repeated = frozenset(event.seq for event in after if text_key(event.text) in said)
    losses["posts of the reference whose text stands before the instant of the split"] = len(repeated)
    personas = _personas(corpus, before, instant, settings.min_history, losses)
    opened = _opened(before, instant - round(settings.opening_days * DAY))
    facts: dict[str, Any] = {
        "before": instant,
        "history_posts": len(before),
        "opening_posts": len(opened),
        "reference_comments": len(after) - len(repeated),
        "losses": dict(+losses),
    }
    return FeedSplit((), (), (), personas, instant, 1, +losses, facts, opened, repeated)


def _opened(before: Sequence[TextEvent], since: int) -> frozenset[int]:
    """Posts from then on, with all that they answer or pass on."""
    posts = {event.seq: event for event in before}
    open_ends = [event.seq for event in before if event.time >= since]
    found: set[int] = set()
    while open_ends:
        seq = open_ends.pop()
        if seq in posts and seq not in found:
            found.add(seq)
            pointers = (posts[seq].parent, getattr(posts[seq], "of", None))
            open_ends += [seq for seq in pointers if seq is not None]
    return frozenset(found)


def _personas(
    corpus: Corpus, before: Sequence[TextEvent], instant: int, least: int, losses: Counter[str]
) -> Mapping[str, Persona]:
    """By pseudonym, those who posted most first."""
    own: dict[str, list[TextEvent]] = defaultdict(list)
    for event in before:
        if event.actor != UNATTRIBUTED:
            own[event.actor].append(event)
    known = {user: posts for user, posts in own.items() if len(posts) >= least}
    losses[f"users without {least} posts before the instant of the split"] = len({*own, *corpus.personas} - set(known))
    if len(known) < LEAST_USERS:
        raise CorpusError(
            f"{corpus.name}: {len(known)} users with at least {least} posts before the instant of the split, at least "
            f"{LEAST_USERS} are needed; lower population.min_history or raise population.fraction"
        )
    days = max((instant - before[0].time) / DAY, 1.0)
    ranked = sorted(known, key=lambda user: (-len(known[user]), user))
    return {user: _persona(corpus, user, known[user], days) for user in ranked}


def _persona(corpus: Corpus, user: str, posts: Sequence[TextEvent], days: float) -> Persona:
    """What the corpus tells of the user, with own posts as history and posts a day as rate."""
    told = corpus.personas.get(user) or Persona(id=user, language=corpus.language)
    comments = tuple(HistoryComment(time=post.time, text=post.text) for post in posts if post.text)
    history = (HistoryThread(thread=TIMELINE, title=TIMELINE, comments=comments),) if comments else ()
    return told.model_copy(update={"history": history, "rate_per_day": round(len(posts) / days, 6)})
