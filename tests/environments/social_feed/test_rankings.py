"""Rankings against an oracle that looks at all posts: the same posts in the same order, ties by id."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.social_feed.rankings import order
from folkmoot.sim.errors import RuleError
from folkmoot.sim.feed import Publish
from folkmoot.sim.rng import stream

HOUR = 3_600_000
KINDS = ("chronological", "popular", "interest", "engagement", "random")
STEP = HOUR // 4


class Oracle:
    """All posts and acts in plain lists; each page is found by looking at everything."""

    def __init__(self, follows):
        self.posts, self.likes, self.mutes, self.follows, self.acts = [], [], set(), list(follows), []

    def take(self, event):
        """Another committed event."""
        kind = type(event).__name__
        if kind == "PostCreated":
            self.posts.append(event)
            for target in (event.parent, event.of):
                if target is not None:
                    self.acts.append((event.actor, target))
        elif kind == "Reacted":
            self.likes.append((event.actor, event.post))
            self.acts.append((event.actor, event.post))
        elif kind == "Followed":
            self.follows.append((event.actor, event.user))
        elif kind == "Unfollowed":
            self.follows.remove((event.actor, event.user))
        elif kind == "Muted":
            self.mutes.add((event.actor, event.user))

    def named(self, seq):
        """A post by its id."""
        return next(post for post in self.posts if post.seq == seq)

    def shown(self, entry):
        """The post that an entry shows."""
        return self.named(entry.of) if entry.form == "repost" else entry

    def candidates(self, user, most):
        """(entry, post, followed), newest entry first."""
        hidden = {name for who, name in self.mutes if who == user} | {user}
        network = {name for who, name in self.follows if who == user} - hidden
        newest = sorted((p for p in self.posts if p.actor in network), key=lambda p: -p.seq)[:most]
        pool, taken = [], set()
        for entry in newest:
            post = self.shown(entry)
            if post.actor not in hidden and post.seq not in taken:
                taken.add(post.seq)
                pool.append((entry, post, True))
        latest = sorted(self.posts, key=lambda p: -p.seq)[:most] + [self.named(seq) for _, seq in self.acts[-most:]]
        strangers = (post for post in {p.seq: p for p in latest}.values() if post.actor not in network | hidden)
        pool += [(post, post, False) for post in strangers if post.form != "repost" and post.seq not in taken]
        return sorted(pool, key=lambda item: -item[0].seq)

    def score(self, kind, user, now, item, draw):
        """The formulas of the rankings, post by post."""
        entry, post, _ = item
        likes = sum(seq == post.seq for _, seq in self.likes)
        forms = [p.form for p in self.posts if post.seq in (p.of, p.parent)]
        age = max(0, now - entry.time) / HOUR
        weight = likes + forms.count("reply") + 2 * forms.count("repost") + 2 * forms.count("quote")
        if kind == "chronological":
            return entry.time
        if kind == "popular":
            return math.log2(1 + weight) - age / 6
        if kind == "engagement":
            mine = [seq for who, seq in self.acts if who == user][-50:]
            affinity = sum(self.named(seq).actor == post.actor for seq in mine)
            return math.log2(1 + weight) + math.log2(1 + affinity) - age / 12
        if kind == "interest":
            return round(self.similarity(user, post), 4)
        return draw

    def similarity(self, user, post):
        """Cosine of post and profile, or of the user's own posts."""
        profile = {"ada": "mill and ramen", "ben": "owl"}.get(user)
        texts = (
            [profile] if profile else [p.text for p in sorted(self.posts, key=lambda p: -p.seq) if p.actor == user][:10]
        )
        mean = sum((self.encoder.encode([text])[0] for text in texts), np.zeros(5, np.float32))
        vector = self.encoder.encode([post.text])[0]
        norm = np.linalg.norm(mean) * np.linalg.norm(vector)
        return float(mean @ vector / norm) if norm else 0.0

    def page(self, kind, user, now, version, rules):
        """(post, by, followed) in order."""
        pool = self.candidates(user, rules.candidates)
        share = rules.out_of_network
        pool = [i for i in pool if (share > 0 or i[2]) and (share < 1 or not i[2])]
        draws = stream(7, "town", "home", user, version, now).random(len(pool))
        scored = [(self.score(kind, user, now, i, d), i) for i, d in zip(pool, draws, strict=True)]
        ranked = [i for _, i in sorted(scored, key=lambda pair: (-round(pair[0], 6), -pair[1][1].seq))]
        outer = [i for i in ranked if not i[2]]
        inner = [i for i in ranked if i[2]]
        n_out = min(len(outer), round(rules.page_size * share))
        n_in = min(len(inner), rules.page_size - n_out)
        n_out = min(len(outer), rules.page_size - n_in) if share else 0
        kept = {i[1].seq for i in inner[:n_in] + outer[:n_out]}
        return [(p.seq, e.actor if e.form == "repost" else "", f) for e, p, f in ranked if p.seq in kept]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_pages_are_those_of_the_oracle(kind, make, actions, encoder, data):
    """After any acts, everybody's page is what looking at all posts gives, also on a view that has grown old."""
    size, most = data.draw(st.integers(1, 8)), data.draw(st.sampled_from([1, 2, 3, 50]))
    share = data.draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    rules = {"ranking": {"kind": kind}, "page_size": size, "candidates": most, "out_of_network": share}
    feed, oracle = (
        make(seed=7, **rules),
        Oracle((("ada", "ben"), ("ada", "cleo"), ("ben", "cleo"), ("cleo", "ada"), ("dara", "ada"))),
    )
    oracle.encoder = encoder()
    views = []
    for seq, action in enumerate(data.draw(actions)):
        (event,) = feed.apply(action, STEP * seq, seq)
        oracle.take(event)
        user, now = ("ada", "ben", "dara", "eve", "new", "nobody")[seq % 6], STEP * seq
        view = feed.view(user, now)
        views.append((view, oracle.page(kind, user, now, view.version, feed.rules)))
    for view, page in views:
        assert [(item.post.seq, item.by, item.followed) for item in view.home()] == page
        assert [item.rank for item in view.home()] == list(range(len(page)))


def test_ties_go_to_the_newest_post():
    """Equal scores, and scores that differ by less than the quantum, are in falling order of ids."""
    assert order(np.array([1.0, 1.0 + 1e-9, 2.0, 1.0]), np.array([4, 1, 2, 3])).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize("scores", [[1.0], [1.0, math.nan], [1.0, math.inf], [1.0, 1e13]])
def test_a_ranking_that_gives_no_order_is_an_error(scores):
    """A missing, infinite or too large score is named, not sorted somehow."""
    with pytest.raises(RuleError, match="give each one score"):
        order(np.array(scores), np.array([1, 2]))


def test_texts_are_embedded_once(make):
    """One batch for the new texts of a page; nothing on the second look."""
    feed = make(ranking={"kind": "interest"})
    for seq, text in enumerate(["mill", "owl", "mill"]):
        feed.apply(Publish(agent="ben", based_on=seq, text=text), 0, seq)
    encoder = feed._place.vectors._encoder
    assert [item.post.seq for item in feed.view("ada", 0).home()] == [2, 0, 1]
    feed.view("ada", 0).home()
    assert encoder.batches == [["mill", "owl"], ["mill and ramen"]]


def test_random_pages_differ_by_seed_and_visit(make):
    """The draw is named by seed, viewer, version and time: the same visit has the same page, others have others."""
    orders = set()
    for seed in (0, 1):
        feed = make(seed=seed, ranking={"kind": "random"})
        for seq in range(20):
            feed.apply(Publish(agent="ben", based_on=seq, text="mill"), 0, seq)
        for user, now in (("ada", 0), ("ada", 1), ("eve", 0)):
            pages = {tuple(item.post.seq for item in feed.view(user, now).home()) for _ in range(2)}
            assert len(pages) == 1
            orders |= pages
    assert len(orders) == 6
