"""X's archive: lists behind a line of script, cut posts made whole, retweets as reposts, earlier versions counted."""

import tracemalloc

import pytest
from tests.environments.timelines.conftest import limits, tweet

from folkmoot.environments.corpora.timelines.collect import CUT, EDITED, LIKES, LONG, NO_NOTE, OTHER, READ
from folkmoot.environments.corpora.timelines.stream import BEHIND
from folkmoot.environments.corpora.timelines.threads import Conversations
from folkmoot.environments.corpora.timelines.torn import BESIDE_CUT, LIKES_UNREAD
from folkmoot.environments.corpora.timelines.x_archive import NOTES, PROTECTED, XArchive
from folkmoot.sim.errors import CorpusError


def read(path, **changes):
    """The one timeline of an archive."""
    [timeline] = XArchive(path, limits(**changes)).timelines()
    return timeline


def test_behind_a_line_of_script(ytd, tmp_path):
    """A file is read with the assignment that it begins with, and without it."""
    path = ytd(tweet(1, "Tea &amp; cake"))
    assert [post.text for post in read(path).posts] == ["Tea & cake"]
    path.write_text(path.read_text().partition("=")[2], encoding="utf-8")
    assert len(read(path).posts) == 1
    assert len(read(tmp_path).posts) == 1


def test_what_stands_behind_the_list(ytd):
    """A second list, or anything else behind the first, is counted; an end of a statement is none."""
    path = ytd(tweet(1, "one"))
    text = path.read_text(encoding="utf-8")
    for more, behind in ((";\n", 0), ("\n[1]", 3)):
        path.write_text(text + more, encoding="utf-8")
        timeline = read(path)
        assert (len(timeline.posts), timeline.losses[BEHIND]) == (1, behind)


def test_everything_of_a_post(ytd):
    """Links are written out, addresses of own images go, captions, hashtags, mentions and language are read."""
    media = [
        {
            "type": "photo",
            "url": "https://t.co/m",
            "ext_alt_text": "A cup",
            "media_url_https": "https://pbs.twimg.example/media/Gb_1.jpg",
            "expanded_url": "https://twitter.com/ada/status/1/photo/1",
        },
        {"type": "video", "url": "https://t.co/m"},
    ]
    entities = {
        "hashtags": [{"text": "Tea"}],
        "urls": [{"url": "https://t.co/a", "expanded_url": "https://a.example/x"}],
        "user_mentions": [{"screen_name": "bo", "name": "Bo B"}],
    }
    text = "@bo see https://t.co/a #Tea https://t.co/m"
    post = tweet(
        1, text, entities=entities, extended_entities={"media": media}, lang="pt",
        in_reply_to_status_id_str="7", in_reply_to_screen_name="bo",
    )  # fmt: skip
    timeline = read(ytd(post))
    [post] = timeline.posts
    assert timeline.user == "ada"
    assert post.text == "@bo see https://a.example/x #Tea"
    assert (post.form, post.of, post.to) == ("reply", "7", "bo")
    assert (post.hashtags, post.mentions, post.captions) == (("Tea",), ("bo",), ("A cup", ""))
    assert post.media == ("tweets_media/1-Gb_1.jpg", "")
    assert (post.links, post.language) == (("https://a.example/x",), "pt")


def test_reposts_and_quotes(ytd):
    """A retweet is a repost without words; a link to a post makes a quote."""
    link = {"url": "https://t.co/q", "expanded_url": "https://x.com/cleo/status/8"}
    path = ytd(
        tweet(1, "RT @bo: what bo said", "Thu May 01 10:00:00 +0000 2025"),
        tweet(2, "Look https://t.co/q", "Thu May 01 11:00:00 +0000 2025", entities={"urls": [link]}),
    )
    repost, quote = read(path).posts
    assert (repost.form, repost.text, repost.to) == ("repost", "", "bo")
    assert (quote.form, quote.of, quote.to) == ("quote", "8", "cleo")


def test_own_threads(ytd):
    """An answer to an own post is one, whatever the user was called then; texts of no text cost nothing else."""
    answer = tweet(2, "and cake", in_reply_to_status_id_str="1", in_reply_to_screen_name="ada_before")
    ytd({"account": {"username": "ada"}}, name="account.js", part="account.part0")
    odd = tweet(3, "None of it", entities={"urls": [{"url": None, "expanded_url": "https://a.example"}]})
    timeline = read(ytd(tweet(1, "tea"), answer, odd, tweet(4, None), 7))
    assert [(post.of, post.to) for post in timeline.posts] == [("", ""), ("1", "ada"), ("", "")]
    assert timeline.posts[2].text == "None of it"
    assert timeline.losses[OTHER] == 2


def test_renamed_accounts(ytd, tmp_path):
    """Users of X may be called otherwise by now: an answer stands under the post whose id it names."""
    ytd({"account": {"username": "ada"}}, name="account.js", part="account.part0")
    ada = read(ytd(tweet(1, "tea")))
    later = "Thu May 01 11:00:00 +0000 2025"
    answer = tweet(2, "so", later, in_reply_to_status_id_str="1", in_reply_to_screen_name="ada_before")
    ytd({"account": {"username": "bo"}}, name="account.js", part="account.part0")
    conversations = Conversations([ada, read(ytd(answer))])
    assert [[post.author for post in thread] for thread in conversations.threads()] == [["ada", "bo"]]


def test_long_posts(ytd):
    """A post of over 280 characters gets its whole text by time and beginning; a text without its post is counted."""
    whole = "A very long post about tea, " + "and more tea " * 40
    ytd(
        {"noteTweet": {"createdAt": "2025-05-01T10:00:01.000Z", "core": {"text": whole}}},
        {"noteTweet": {"createdAt": "2025-05-03T10:00:00.000Z", "core": {"text": "of nobody"}}},
        name="note-tweet.js",
        part="note_tweet.part0",
    )
    timeline = read(ytd(tweet(1, whole[:270] + "…")))
    assert [post.text for post in timeline.posts] == [whole.strip()]
    assert (timeline.losses[NOTES], timeline.losses[NO_NOTE]) == (1, 1)


def test_edits(ytd):
    """Of the versions of an edited post the last one is read, as edited; the others are counted."""
    info = {"initial": {"editTweetIds": ["1", "2"]}}
    later = {"edit": {"initialTweetId": "1", "editControlInitial": {"editTweetIds": ["1", "2"]}}}
    timeline = read(ytd(tweet(2, "tea", edit_info=later), tweet(1, "tee", edit_info=info)))
    assert [(post.text, post.edited) for post in timeline.posts] == [("tea", True)]
    assert (timeline.losses[EDITED], timeline.losses[READ]) == (1, 1)


def test_a_protected_account(ytd):
    """Posts of an account that is protected are for its followers alone; once it is open again they are public."""
    path = ytd(tweet(1, "tea"))
    events = [
        {"protectedHistory": {"protectedAt": "2025-01-02T00:00:00.000Z", "action": "Protect"}},
        {"protectedHistory": {"protectedAt": "2025-01-03T00:00:00.000Z", "action": "Unprotect"}},
    ]
    ytd(*events[:1], name="protected-history.js", part="protected_history.part0")
    timeline = read(path)
    assert (timeline.posts, timeline.losses[PROTECTED]) == ((), 1)
    ytd(*events, name="protected-history.js", part="protected_history.part0")
    assert len(read(path).posts) == 1


def test_what_lies_beside(ytd):
    """Name, description and counts are read from the files beside; further parts of the posts too."""
    path = ytd(tweet(1, "tea"))
    ytd(tweet(2, "cake"), name="tweets-part1.js", part="tweets.part1")
    ytd({"account": {"username": "ada"}}, name="account.js", part="account.part0")
    ytd({"profile": {"description": {"bio": "I brew"}}}, name="profile.js", part="profile.part0")
    ytd(
        {"following": {"accountId": "7"}},
        {"following": {"accountId": "8"}},
        name="following.js",
        part="following.part0",
    )
    ytd({"follower": {"accountId": "7"}}, name="follower.js", part="follower.part0")
    ytd({"like": {"tweetId": "7"}}, {"like": {"tweetId": "8"}}, name="like.js", part="like.part0")
    timeline = read(path)
    assert (timeline.user, timeline.about, timeline.followers, timeline.followees) == ("ada", "I brew", 1, 2)
    assert sorted(post.text for post in timeline.posts) == ["cake", "tea"]
    assert timeline.losses[LIKES] == 2  # they have no date


def test_further_parts(ytd):
    """Every file of an archive may have further parts: they are read, counted and named with the first."""
    path = ytd(tweet(1, "tea"))
    for part, (name, field) in enumerate((("like", "like"), ("follower", "follower"), ("following", "following"))):
        ytd({field: {"accountId": "7"}}, name=f"{name}.js")
        ytd(*[{field: {"accountId": "8"}}] * (part + 1), name=f"{name}-part1.js")
    timeline = read(path)
    assert (timeline.losses[LIKES], timeline.followers, timeline.followees) == (2, 3, 4)
    assert [file.name for file in XArchive(path, limits()).files] == [
        "tweets.js", "following.js", "following-part1.js", "follower.js", "follower-part1.js", "like.js", "like-part1.js",
    ]  # fmt: skip


def test_likes_that_cannot_be_read(ytd):
    """A file of likes that breaks off, is empty or of another kind costs its likes alone, and is counted."""
    path = ytd(tweet(1, "tea"))
    torn = ytd({"like": {"tweetId": "7"}}, {"like": {"tweetId": "8"}}, name="like.js")
    torn.write_bytes(torn.read_bytes()[:-10])
    torn.with_name("like-part1.js").write_bytes(b"")
    torn.with_name("like-part2.js").write_text("{}")
    ytd({"like": {"tweetId": "9"}}, name="like-part3.js")
    timeline = read(path)
    assert (len(timeline.posts), timeline.losses[LIKES], timeline.losses[LIKES_UNREAD]) == (1, 2, 3)


def test_torn_beside(ytd):
    """A file beside the posts that breaks off is refused, or kept up to there and counted; a torn count isn't known."""
    path = ytd(tweet(1, "tea"))
    torn = ytd({"follower": {"accountId": "7"}}, {"follower": {"accountId": "8"}}, name="follower.js")
    torn.write_bytes(torn.read_bytes()[:-10])
    with pytest.raises(CorpusError, match=r"follower\.js breaks off"):
        read(path)
    timeline = read(path, keep_damaged=True)
    assert (len(timeline.posts), timeline.followers, timeline.losses[BESIDE_CUT]) == (1, None, 1)


def test_torn_protection(ytd):
    """Where the last word on who may read the posts is torn off, they are never taken as public."""
    path = ytd(tweet(1, "tea"))
    event = {"protectedHistory": {"protectedAt": "2025-01-02T00:00:00.000Z", "action": "Unprotect"}}
    torn = ytd(event, event, name="protected-history.js")
    torn.write_bytes(torn.read_bytes()[:-20])
    for keep in (False, True):
        with pytest.raises(CorpusError, match="who may read the posts isn't known"):
            read(path, keep_damaged=keep)


def test_fields_of_any_kind(ytd):
    """Fields of a wrong kind cost what they say, never the archive; what is no post is counted."""
    odd = tweet(1, "tea", entities=[], extended_entities=7, edit_info="x", lang=None)
    timeline = read(ytd(odd, {"like": {}}, {"tweet": 5}, tweet(2, "x", "never")))
    assert [post.text for post in timeline.posts] == ["tea"]
    assert timeline.losses[OTHER] == 2
    assert timeline.losses["posts without a date that can be read"] == 1


def test_addresses_that_would_fill_the_memory(ytd):
    """A post that is too long with its addresses written out is dropped as such, without being built whole."""
    link = {"url": "http://a", "expanded_url": f"https://b.example/{'b' * 4_000}"}
    path = ytd(tweet(1, "http://a" * 12_500, entities={"urls": [link]}), tweet(2, "tea"))
    tracemalloc.start()
    timeline = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ([post.text for post in timeline.posts], timeline.losses[LONG]) == (["tea"], 1)
    assert peak < 5_000_000  # whole it would take 50


def test_too_long_a_long_form(ytd):
    """A long form that is over the bound is no post, whatever of it would go."""
    whole = "A very long post about tea, and " + "http://a" * 5_000
    link = {"shortUrl": "http://a", "expandedUrl": f"https://b.example/{'b' * 100}"}
    note = {"createdAt": "2025-05-01T10:00:00.000Z", "core": {"text": whole, "urls": [link]}}
    ytd({"noteTweet": note}, name="note-tweet.js", part="note_tweet.part0")
    timeline = read(ytd(tweet(1, whole[:270], extended_entities={"media": [{"url": "https://b.example/b"}]})))
    assert (timeline.posts, timeline.losses[LONG]) == ((), 1)


@pytest.mark.parametrize("short", ["http", "https://", "http:a", "ftp://a.example", "https://[bad", "tea"])
def test_what_is_no_address(ytd, short):
    """A word that leads nowhere isn't written out, wherever an entry says that it leads."""
    link = {"url": short, "expanded_url": "https://b.example"}
    [post] = read(ytd(tweet(1, f"{short} and tea", entities={"urls": [link]}))).posts
    assert post.text == f"{short} and tea"


def test_addresses_are_no_markup(ytd):
    """Entities of HTML are read in what was written, not in the address that is put in."""
    link = {"url": "https://t.co/a", "expanded_url": "https://a.example/?x=1&copy=2"}
    [post] = read(ytd(tweet(1, "Tea &amp;lt; cake https://t.co/a", entities={"urls": [link]}))).posts
    assert post.text == "Tea &lt; cake https://a.example/?x=1&copy=2"


def test_the_wrong_kind(outbox, tmp_path):
    """A file of another archive is told what it is; one of no bytes is named so."""
    with pytest.raises(CorpusError, match="outbox of Mastodon; read it with mastodon:"):
        read(outbox())
    path = tmp_path / "tweets.js"
    path.write_bytes(b"")
    with pytest.raises(CorpusError, match=r"tweets\.js is empty"):
        read(path)


def test_truncated(ytd):
    """A file that breaks off is refused; asked to keep what is there, it is read up to the break, and that is counted."""
    path = ytd(tweet(1, "a"), tweet(2, "b" * 500))
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(CorpusError, match="breaks off"):
        read(path)
    timeline = read(path, keep_damaged=True)
    assert ([post.text for post in timeline.posts], timeline.losses[CUT]) == (["a"], 1)
