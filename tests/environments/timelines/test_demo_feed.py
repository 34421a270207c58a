"""The demo feed: whole, clean, and its gold profiles follow from its signals."""

from collections import Counter

import msgspec
import pytest

from folkmoot.environments.corpora.demo_feed import demo_feed_languages, demo_signals, load_demo_feed
from folkmoot.environments.corpora.demo_feed.records import FOLDER, instant, read_files
from folkmoot.environments.corpora.splits import SplitSettings, split
from folkmoot.metrics.profile.scores import Evidence, Span, bucket, score
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.persona import DOMAINS


@pytest.fixture(scope="module")
def files():
    """The files as they stand."""
    return read_files("en")


@pytest.fixture(scope="module")
def corpus():
    """The corpus as runs get it."""
    return load_demo_feed("en")


def test_size(corpus):
    """24 people with 20 to 40 posts each, over eight months, in every form a post can have."""
    posts = [event for event in corpus.events if isinstance(event, PostCreated)]
    counts = Counter(event.actor for event in posts)
    assert len(counts) == len(corpus.personas) == 24
    assert set(counts) == set(corpus.personas)
    assert 20 <= min(counts.values()) <= max(counts.values()) <= 40
    assert {event.form for event in posts} == {"post", "reply", "repost", "quote"}
    days = (max(event.time for event in posts) - min(event.time for event in posts)) / 86_400_000
    assert 230 <= days <= 250


def test_events_stand_in_order(corpus):
    """Seqs count from 0, times never go back, and what an event points to came before it."""
    assert [event.seq for event in corpus.events] == list(range(len(corpus.events)))
    times = [event.time for event in corpus.events]
    assert times == sorted(times)
    assert all(event.origin == "recorded" for event in corpus.events)
    for event in corpus.events:
        for name in ("parent", "of", "post"):
            if (seq := getattr(event, name, None)) is not None:
                assert seq < event.seq
                assert isinstance(corpus.events[seq], PostCreated)


def test_forms(corpus):
    """A reply stands in its parent's conversation, a repost has no words, everything else has some."""
    for event in corpus.utterances():
        assert bool(event.text) == (event.form != "repost")
        if event.form == "reply":
            assert event.thread == corpus.events[event.parent].thread
        assert (event.of is not None) == (event.form in {"repost", "quote"})
        assert (event.parent is not None) == (event.form == "reply")


def test_graph_and_likes(corpus):
    """Nobody follows themself, follows twice, likes twice or likes a repost; the graph names known people alone."""
    follows = [(e.actor, e.user) for e in corpus.events if isinstance(e, Followed)]
    likes = [(e.actor, e.post) for e in corpus.events if isinstance(e, Reacted)]
    assert len(set(follows)) == len(follows) > 200
    assert len(set(likes)) == len(likes) > 1000
    assert all(one != other and {one, other} <= set(corpus.personas) for one, other in follows)
    assert all(corpus.events[post].form != "repost" and corpus.events[post].actor != actor for actor, post in likes)


def test_account_filters(corpus):
    """Everybody passes the account filters of SocialPersona: followers, ratio, images, domains."""
    follows = [(e.actor, e.user) for e in corpus.events if isinstance(e, Followed)]
    followers, followees = Counter(b for _, b in follows), Counter(a for a, _ in follows)
    for user, persona in corpus.personas.items():
        posts = [e for e in corpus.utterances() if e.actor == user and e.form != "repost"]
        assert followers[user] >= 5
        assert 0.5 <= followers[user] / followees[user] <= 2
        assert sum(bool(post.captions) for post in posts) / len(posts) >= 0.3
        assert len({*persona.interests.stable, *persona.interests.recent}) >= 3


def test_no_name_is_left(files, corpus):
    """User names stand in no event and no persona; who is mentioned is known by pseudonym."""
    written = msgspec.json.encode(corpus.events).decode() + "".join(
        p.model_dump_json() for p in corpus.personas.values()
    )
    assert not [user.name for user in files.users if user.name in written]
    mentions = [name for event in corpus.utterances() for name in event.mentions]
    assert mentions
    assert set(mentions) <= set(corpus.personas)


def evidence(files, user, tag):
    """Evidence of a tag as the gold pipeline has it: near-duplicates share their weight and their month."""
    posts = [post for post in files.posts if post.user == user]
    sizes = Counter(post.near for post in posts if post.near)
    first = {post.id: instant(post.time) for post in posts}
    return [
        Evidence(instant(post.time), signal.confidence, 1 / sizes.get(post.near, 1), first.get(post.near))
        for post in posts
        for signal in post.signals
        if signal.tag == tag
    ]


def span_of(files, user):
    """First and last instant of a user's own posts."""
    times = [instant(post.time) for post in files.posts if post.user == user and post.form != "repost"]
    return Span(min(times), max(times))


def test_gold_follows_from_the_signals(files):
    """Every interest stands in the bucket that its scores give, those in no bucket too."""
    for user in files.users:
        span = span_of(files, user.name)
        for tag, domain in user.tags.items():
            found = bucket(score(evidence(files, user.name, tag), span))
            wanted = [
                name
                for name, profile in (("stable", user.stable), ("recent", user.recent))
                if tag in profile.get(domain, ())
            ]
            assert wanted == ([found] if found else []), (user.name, tag)


def test_cases_are_there(files):
    """Planted: single-month bursts, a support of one, duplicates that would make an interest stable, and each domain."""
    recent = [(u.name, tag) for u in files.users for tags in u.recent.values() for tag in tags]
    scores = [score(evidence(files, user, tag), span_of(files, user)) for user, tag in recent]
    assert any(found.support >= 3 and found.months == 1 for found in scores)
    assert any(found.support < 3 and found.months == 2 for found in scores)
    assert any(found.recent_support == 1 for found in scores)
    inflated = [
        item._replace(weight=1.0, counted=None) for item in evidence(files, "ravi_k", "fantasy cricket leagues")
    ]
    assert bucket(score(inflated, span_of(files, "ravi_k"))) == "stable"
    for profile in ("stable", "recent"):
        assert {domain for user in files.users for domain in getattr(user, profile)} == set(DOMAINS)
    assert {signal.modality for signal in demo_signals()} == {"text", "image", "both"}


def test_signals_belong_to_posts(corpus):
    """Each signal names a post that exists, of an author whose tags hold it."""
    posts = {event.source_id: event for event in corpus.utterances()}
    signals = demo_signals()
    assert len(signals) > 600
    assert {signal.post for signal in signals} <= set(posts)
    assert all(posts[s.near].actor == posts[s.post].actor for s in signals if s.near)


def test_texts_are_varied(corpus):
    """Apart from the planted repetitions no text comes twice, and no five words open more than two posts."""
    repeated = {post.id for post in read_files("en").posts if post.near}
    texts = [event.text for event in corpus.utterances() if event.text and event.source_id not in repeated]
    assert len(set(texts)) == len(texts)
    openings = Counter(" ".join(text.split()[:5]) for text in texts if len(text.split()) > 5)
    assert max(openings.values()) <= 2


def test_split_gives_histories(corpus):
    """A split by time gives the personas their histories and keeps their interests."""
    parts = split(corpus, SplitSettings())
    assert len(parts.personas) >= 20
    for user, persona in parts.personas.items():
        assert persona.history
        assert persona.interests == corpus.personas[user].interests


def test_digest_is_of_the_content(corpus):
    """Two loads give one digest; it is 32 hex digits."""
    assert load_demo_feed("en").digest == corpus.digest
    assert len(corpus.digest) == 32


def test_unknown_language():
    """A language without a demo feed is refused with those that there are."""
    assert demo_feed_languages() == ("en",)
    with pytest.raises(CorpusError, match="no demo feed in 'xx'"):
        load_demo_feed("xx")


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("posts.jsonl", '"of": "n', '"of": "z', "isn't an earlier post"),
        ("likes.jsonl", '"post": "n', '"post": "z', "neither a user nor an earlier post"),
        ("users.json", '"about"', '"abuot"', "can't be read"),
    ],
)
def test_damaged_files(tmp_path, file, old, new, says):
    """A file that is damaged is named, never half read."""
    home = tmp_path / "en"
    home.mkdir()
    for path in (FOLDER / "en").iterdir():
        text = path.read_text(encoding="utf-8")
        home.joinpath(path.name).write_text(text.replace(old, new, 1) if path.name == file else text, encoding="utf-8")
    with pytest.raises(CorpusError, match=says):
        load_demo_feed("en", tmp_path)
