"""From archives to a corpus and back: every post, who follows whom, and nobody's name."""

import io
import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.environments.timelines.conftest import announce, create, tweet

from folkmoot.environments.corpora.built import load_built
from folkmoot.environments.corpora.demo_feed import load_demo_feed
from folkmoot.environments.corpora.demo_feed.records import read_files
from folkmoot.environments.corpora.interests import with_interests
from folkmoot.environments.corpora.pipeline import instant
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.feed import BLOCKED
from folkmoot.environments.corpora.pipeline.instant import with_instant
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.sources.halves import HALVES
from folkmoot.environments.corpora.sources.timeline import named_archives
from folkmoot.environments.corpora.timelines.likes import EARLY, ELSEWHERE, OWN, TWICE
from folkmoot.environments.corpora.timelines.media import media_key
from folkmoot.sim.commands.corpus_build import build_corpus
from folkmoot.sim.commands.corpus_stats import stats
from folkmoot.sim.commands.corpus_summary import summary
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.persona import Interests

SALT = b"a salt for the tests of timelines"
ADA, BO = "https://moot.example/users/ada", "https://moot.example/users/bo"
LIKES = len(read_files("en").likes)
OPTIONS = {"until": "2025-06-01", "years": 50}


@pytest.fixture(autouse=True)
def salt(monkeypatch):
    """The salt of these tests."""
    monkeypatch.setenv("FOLKMOOT_SALT", SALT.decode())


@pytest.fixture
def community(outbox, ytd):
    """Ada and Bo of Mastodon and one of X: answers, a boost, names in words."""
    media = [{"mediaType": "image/png", "name": "Bo's cup, by bo@moot.example", "url": "/media_attachments/u7.png"}]
    tags = [{"type": "Mention", "href": BO, "name": "@bo@moot.example"}]
    mention = f'<p>Thanks <a href="{BO}" class="u-url mention">@<span>bo</span></a>! #Tea</p>'
    ada = outbox(
        create(1, "<p>Tea at four, wintergreen</p>", "2025-05-01T10:00:00Z", attachment=media),
        create(3, mention, "2025-05-01T12:00:00Z", tag=tags, inReplyTo=f"{BO}/statuses/2"),
        create(4, "alone", "2025-05-01T13:00:00Z", inReplyTo="https://far.example/users/cleo/statuses/9"),
        create(5, "secret", "2025-05-01T14:00:00Z", scope="followers"),
        name="ada.outbox.json",
    )
    bo = outbox(
        create(2, "I come, ada", "2025-05-01T11:00:00Z", user="bo", inReplyTo=f"{ADA}/statuses/1"),
        announce(6, f"{ADA}/statuses/1", "2025-05-01T15:00:00Z", user="bo"),
        name="bo.outbox.json",
    )
    ytd({"account": {"username": "wintergreen"}}, name="account.js", part="account.part0")
    other = ytd(tweet(7, "Tea is a drink", "Thu May 01 16:00:00 +0000 2025"))
    return f"mastodon:{ada},{bo},x:{other}"


def make(source, out, **options):
    """A corpus of a source, built."""
    return build(BuildSettings(source=source, out=out, options={**OPTIONS, **options}))


def test_a_feed_comes_back(community, tmp_path):
    """Posts come in order of time; answers and boosts name the posts that are there; the rest is counted."""
    make(community, tmp_path / "out")
    corpus = load_built(tmp_path / "out")
    posts = [event for event in corpus.events if isinstance(event, PostCreated)]
    seqs = [post.seq for post in posts]
    assert [post.form for post in posts] == ["post", "reply", "reply", "reply", "repost", "post"]
    assert [post.parent for post in posts] == [None, seqs[0], seqs[1], None, None, None]
    assert posts[4].of == seqs[0]
    assert len({post.thread for post in posts[:3]}) == 1
    assert len({post.thread for post in posts}) == 4
    assert [post.time for post in posts] == sorted(post.time for post in posts)
    assert corpus.remembering is False
    assert corpus.pages == {}
    assert {post.language for post in posts if post.text} == {"en"}


def test_names_become_pseudonyms(community, tmp_path):
    """Nobody's name stands in the store: authors, mentions, words, captions; who is named is known by pseudonym."""
    store = make(community, tmp_path / "out")
    corpus = load_built(tmp_path / "out")
    first, answer, thanks, *_ = (event for event in corpus.events if isinstance(event, PostCreated))
    ada, bo = pseudonym("ada@moot.example", SALT), pseudonym("bo@moot.example", SALT)
    assert (first.actor, answer.actor) == (ada, bo)
    assert thanks.mentions == (bo,)
    assert thanks.text == f"Thanks @{bo}! #Tea"
    assert pseudonym("wintergreen", SALT) in first.text
    assert bo in first.captions[0]
    written = json.dumps([str(event) for event in corpus.events]) + store.manifest.encode().decode()
    written += "".join(str(row["facts"]) for row in store.rows("comments"))
    assert media_key("media_attachments/u7.png", SALT) in written
    for name in ("moot.example", "wintergreen", "outbox", "u7", str(tmp_path)):
        assert name not in written


def test_counts(community, tmp_path):
    """What came in is what was kept and what was dropped by reason; the summary and the statistics tell it."""
    store = make(community, tmp_path / "out")
    counts = store.manifest.stage("feed").counts
    assert (counts["posts"].given, counts["posts"].kept, counts["posts"].dropped) == (
        7,
        6,
        {"posts for followers alone": 1},
    )
    assert (counts["accounts"].given, counts["accounts"].kept) == (3, 3)
    told = "\n".join(summary(store))
    assert "6 of 7 posts kept" in told
    assert "environment=social_feed" in told
    assert not re.search(r"\b(page|thread|comment|article)s?\b", told)
    table = stats(tmp_path / "out")
    assert "posts for followers alone" in table
    assert not re.search(r"comment|article|trait|sample", table, re.IGNORECASE)


def test_follows(community, tmp_path):
    """Edges of a table join two users of the corpus; the others are counted."""
    table = tmp_path / "edges.csv"
    table.write_text(
        "follower,followed\nada@moot.example,bo@moot.example\nbo@moot.example,bo@moot.example\nwintergreen,nobody\n"
    )
    store = make(community, tmp_path / "out", follows=str(table))
    corpus = load_built(tmp_path / "out")
    [edge] = (event for event in corpus.events if isinstance(event, Followed))
    assert (edge.actor, edge.user) == (pseudonym("ada@moot.example", SALT), pseudonym("bo@moot.example", SALT))
    assert edge.seq == 0
    assert store.manifest.stage("feed").counts["follows"].dropped == {
        "users who follow themselves": 1,
        "edges of users who aren't in the corpus": 1,
    }


BLUE = "at://did:plc:{}/app.bsky.feed.{}/{}"


def blue(user, kind, number, minute, **fields):
    """A record of Bluesky."""
    value = {"$type": f"app.bsky.feed.{kind}", "createdAt": f"2025-05-01T10:{minute:02}:00Z", **fields}
    return {"uri": BLUE.format(user, kind, number), "value": value}


def test_likes(tmp_path):
    """A like of a post of the corpus is a reaction at its time; others are counted; a blocked user's are nowhere."""
    ada, bo = BLUE.format("ada", "post", 1), BLUE.format("bo", "post", 2)
    records = [
        blue("ada", "post", 1, 1, text="tea"),
        blue("bo", "post", 2, 3, text="cake"),
        blue("cleo", "post", 3, 4, text="pie"),
        *(blue("bo", "like", number, 2, subject={"uri": ada}) for number in (4, 5)),
        blue("bo", "like", 6, 5, subject={"uri": bo}),
        blue("bo", "like", 7, 5, subject={"uri": BLUE.format("dan", "post", 9)}),
        blue("ada", "like", 8, 1, subject={"uri": bo}),
        blue("cleo", "like", 9, 5, subject={"uri": ada}),
    ]
    path, blocked = tmp_path / "records.json", tmp_path / "blocked.txt"
    path.write_text(json.dumps(records))
    blocked.write_text("did:plc:cleo\n")
    settings = BuildSettings(
        source=f"bluesky:{path}", out=tmp_path / "out", lang="en", options=OPTIONS, blocklist=blocked
    )
    counts = build(settings).manifest.stage("feed").counts["likes"]
    assert (counts.kept, counts.dropped) == (1, {**dict.fromkeys((ELSEWHERE, OWN, TWICE, EARLY), 1), BLOCKED: 1})
    first, like, second = load_built(tmp_path / "out").events
    assert isinstance(like, Reacted)
    assert (like.actor, like.post, like.time) == (second.actor, first.seq, first.time + 60_000)
    assert [first.seq, like.seq, second.seq] == [0, 1, 2]


def test_account_filters(community, tmp_path):
    """Asked for the paper's filters, accounts that fail one are left out with their posts, both counted."""
    store = make(community, tmp_path / "out", accounts="paper")
    counts = store.manifest.stage("feed").counts
    assert (counts["accounts"].kept, sum(counts["accounts"].dropped.values())) == (1, 2)
    assert counts["posts"].dropped["posts of accounts that are left out"] == 3
    assert len(load_built(tmp_path / "out").personas) == 1


def test_removal_list(community, tmp_path):
    """Who is on the removal list is nowhere: posts, accounts, edges."""
    blocked, table = tmp_path / "blocked.txt", tmp_path / "edges.csv"
    blocked.write_text("bo@moot.example\n")
    table.write_text("follower,followed\nada@moot.example,bo@moot.example\n")
    settings = BuildSettings(
        source=community, out=tmp_path / "out", blocklist=blocked, options={**OPTIONS, "follows": str(table)}
    )
    store = build(settings)
    bo = pseudonym("bo@moot.example", SALT)
    corpus = load_built(tmp_path / "out")
    assert all(bo not in {event.actor, getattr(event, "user", "")} for event in corpus.events)
    assert all(row["id"] != bo for row in store.rows("accounts"))


def test_the_same_again(community, tmp_path):
    """Two builds give one digest; the same call on a complete corpus does nothing."""
    settings = [BuildSettings(source=community, out=tmp_path / n, name="moot", options=OPTIONS) for n in ("one", "two")]
    digests = {build(each).manifest.digest for each in settings}
    assert len(digests) == 1
    assert build(settings[0]).manifest.digest in digests


def test_now_is_kept(community, tmp_path, monkeypatch):
    """What a build calls now is in its manifest, and the same call later goes on with it; nothing is from the future."""
    settings = BuildSettings(source=community, out=tmp_path / "out")
    until = build(settings).manifest.settings["option until"]
    assert abs(datetime.fromisoformat(until) - datetime.now(UTC)) < timedelta(minutes=5)
    assert with_instant(settings).options["until"] == until
    monkeypatch.setattr(instant, "datetime", None)  # the clock isn't asked again
    again = build(settings).manifest
    assert again.settings["option until"] == until
    given = settings.model_copy(update={"options": {"until": "2025-06-01"}})
    with pytest.raises(CorpusError, match="option until"):
        build(given)


def test_words_of_a_feed(community, tmp_path):
    """What a build says while it goes and when it is done is said in the words of a feed."""
    out = io.StringIO()
    told = build_corpus({"source": community, "out": tmp_path / "out", "options": OPTIONS}, out)
    assert "4 conversations" in out.getvalue()
    assert not re.search(r"\b(page|thread|comment|article)s?\b", out.getvalue() + told)


def test_hostile_texts(tmp_path):
    """Texts that can't be stored as they are end no build: halves of characters, zeros, marks of other writing."""
    odd = "tea \ud800 \0 \u202e \x1b[31m https://[bad @ada/1"
    tweets = [tweet(1, odd), tweet(2, "cake", in_reply_to_screen_name=odd, lang=odd)]
    (tmp_path / "tweets.js").write_text(json.dumps(tweets))
    (tmp_path / "profile.js").write_text(json.dumps([{"profile": {"description": {"bio": odd}}}]))
    (tmp_path / "account.js").write_text(json.dumps([{"account": {"username": odd}}]))
    store = make(f"x:{tmp_path}", tmp_path / "out")
    assert len(load_built(tmp_path / "out").events) == 2
    assert store.manifest.stage("feed").notes[HALVES] == 5


def test_one_user(outbox, tmp_path):
    """Of one user no run is made: what can be done instead is said."""
    *_, users, _, after = summary(make(f"mastodon:{outbox(create(1, 'tea'))}", tmp_path / "out"))
    assert users == "  1 user"
    assert "at least 2 users" in after
    assert "folkmoot run" not in after


def unnamed(tmp_path, text):
    """A table of two users that names no language."""
    path = tmp_path / "posts.jsonl"
    lines = (json.dumps({"user": user, "time": "2025-05-01", "text": text}) + "\n" for user in "ab")
    path.write_text("".join(lines), encoding="utf-8")
    return f"jsonl:{path}"


def test_language_of_words(tmp_path):
    """A table that names no language is in that of its words."""
    store = make(unnamed(tmp_path, "A cup of tea in the afternoon is the b"), tmp_path / "out")
    assert store.manifest.language == "en"


def test_words_that_tell_no_language(tmp_path):
    """Where neither table nor words tell a language, --lang is asked for."""
    with pytest.raises(CorpusError, match="--lang"):
        make(unnamed(tmp_path, "tea"), tmp_path / "out")


def test_latest_posts(community, tmp_path):
    """`posts` bounds each user's timeline; what is older is counted."""
    store = make(community, tmp_path / "out", posts=1)
    posts = store.manifest.stage("feed").counts["posts"]
    assert posts.kept == 3
    assert posts.dropped["posts older than the latest that count"] == 3


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"postz": "1"}, "did you mean 'posts'"),
        ({"unlisted": "yes"}, "give drop or keep"),
        ({"accounts": "some"}, "give all, or paper"),
        ({"posts": "0"}, "posts"),
        ({"until": "soon"}, "is no time"),
    ],
)
def test_options(community, tmp_path, options, says):
    """An option that isn't known or has no meaning is refused with what may be given."""
    with pytest.raises((ConfigError, CorpusError), match=says):
        make(community, tmp_path / "out", **options)


def test_no_public_posts(outbox, tmp_path):
    """Archives without a public post are refused with the reasons."""
    path = outbox(create(1, "a", scope="followers"), create(2, "b", scope="direct"))
    with pytest.raises(CorpusError, match="0 public posts in 1 archive of Mastodon.*posts for followers alone: 1"):
        make(f"mastodon:{path}", tmp_path / "out")


def test_paths(tmp_path):
    """Kinds hold for the archives behind them; an archive that isn't there is named."""
    assert named_archives("mastodon", "a,x:b,c") == [("mastodon", Path("a")), ("x", Path("b")), ("x", Path("c"))]
    odd = tmp_path / "a,b.json"
    odd.write_text("{}")
    assert named_archives("mastodon", str(odd)) == [("mastodon", odd)]
    with pytest.raises(CorpusError, match="no archive there"):
        make(f"mastodon:{tmp_path}/none.json", tmp_path / "out")


def test_folders(community, tmp_path):
    """A folder is the archive that is unpacked in it, or all that lie there, in files or folders; else it says what is wanted."""
    several = f"mastodon:{tmp_path},x:{tmp_path}"
    (tmp_path / "bo").mkdir()
    (tmp_path / "bo.outbox.json").rename(tmp_path / "bo" / "outbox.json")
    assert make(several, tmp_path / "out").manifest.source.name == "2 archives of Mastodon, 1 archive of X"
    assert len(load_built(tmp_path / "out").personas) == 3
    (tmp_path / "none").mkdir()
    for kind, says in (("mastodon", "no outbox.json"), ("x", "no tweets.js"), ("bluesky", "no NAME.car")):
        with pytest.raises(CorpusError, match=says):
            make(f"{kind}:{tmp_path / 'none'}", tmp_path / "no")


def test_archives_join_the_demo_feed(community, tmp_path):
    """Real people and those of the demo feed make one community; the demo's interests, follows and likes come along."""
    make(f"{community},demo_feed:en", tmp_path / "out", until="2026-01-01")
    joined, demo = load_built(tmp_path / "out"), load_demo_feed("en")
    assert len(joined.personas) == 3 + len(demo.personas)
    assert sum(isinstance(event, Followed) for event in joined.events) == sum(
        isinstance(e, Followed) for e in demo.events
    )
    assert [sum(isinstance(e, Reacted) for e in each.events) for each in (joined, demo)] == [LIKES, LIKES]
    told = sorted(str(p.interests) for p in joined.personas.values() if p.interests.stable)
    assert told == sorted(str(p.interests) for p in demo.personas.values() if p.interests.stable)
    forms = Counter(e.form for e in joined.utterances()) - Counter(e.form for e in demo.utterances())
    assert forms == {"post": 2, "reply": 3, "repost": 1}


def test_interests_of_a_file(community, tmp_path):
    """Profiles that were read off posts become the personas' interests; who has none keeps theirs; the digest changes."""
    make(community, tmp_path / "out")
    corpus = load_built(tmp_path / "out")
    ada, other = sorted(corpus.personas)[:2]
    tea = Interests(stable={"food_drink": ("tea",)})
    changed = with_interests(corpus, {ada: tea, other: Interests(), "nobody": tea})
    assert changed.personas[ada].interests == tea
    assert changed.personas[other] == corpus.personas[other]
    assert set(changed.personas) == set(corpus.personas)
    assert changed.digest != corpus.digest
    assert with_interests(corpus, {}).digest == corpus.digest
