"""Real archives: every public post is read and the rest counted, by an independent count; nobody is quoted."""

import json
from collections import Counter

import pytest
from tests.environments.timelines.conftest import PUBLIC

from folkmoot.environments.corpora.timelines.collect import EDITED, NO_NOTE, READ, UNLISTED
from folkmoot.environments.corpora.timelines.mastodon import Mastodon
from folkmoot.environments.corpora.timelines.x_archive import NOTES, XArchive

pytestmark = pytest.mark.shared

NOW = 1_800_000_000_000
FIGURES = {"dealingwith": (1511, 1495, 16), "quicoto": (830, 790, 40)}
"""Archive -> entries, public posts, unlisted posts."""


def everything():
    """No post is too old or too many."""
    from folkmoot.environments.corpora.timelines.limits import Limits

    return Limits(posts=100_000, years=100, until=NOW)


@pytest.mark.parametrize("name", FIGURES)
def test_mastodon(shared, name):
    """Every entry whose `to` names the Public collection is a post; forms, images, tags and edits are as many."""
    path = shared / "timelines" / "mastodon" / f"{name}.outbox.json"
    items = json.loads(path.read_bytes())["orderedItems"]
    public = [item for item in items if PUBLIC in item["to"]]
    notes = [item["object"] for item in public if item["type"] == "Create"]
    [timeline] = Mastodon(path, everything()).timelines()
    entries, read, unlisted = FIGURES[name]
    assert (len(items), len(public), timeline.losses[READ], len(timeline.posts)) == (entries, read, read, read)
    assert timeline.losses[UNLISTED] == unlisted == len(items) - len(public)
    forms = Counter(post.form for post in timeline.posts)
    assert forms["repost"] == sum(item["type"] == "Announce" for item in public)
    assert forms["reply"] == sum(bool(note["inReplyTo"]) for note in notes)
    assert sum(len(p.captions) for p in timeline.posts) == sum(len(note["attachment"]) for note in notes)
    assert sum(bool(c) for p in timeline.posts for c in p.captions) == sum(
        bool(media.get("name")) for note in notes for media in note["attachment"]
    )
    assert sum(bool(p.warning) for p in timeline.posts) == sum(bool(note["summary"]) for note in notes)
    assert sum(p.edited for p in timeline.posts) == sum("updated" in note for note in notes)
    assert sum(bool(p.poll) for p in timeline.posts) == sum(note["type"] == "Question" for note in notes)
    assert sum(len(p.hashtags) for p in timeline.posts) == sum(
        len({tag["name"] for tag in note["tag"] if tag["type"] == "Hashtag"}) for note in notes
    )
    assert all("<p>" not in post.text and "<a " not in post.text and "<br" not in post.text for post in timeline.posts)


def test_x(shared):
    """Every post is read but for earlier versions of edited ones; cut posts are made whole."""
    folder = shared / "timelines" / "x-archive" / "alrocar"
    raw = (folder / "tweets.js").read_text(encoding="utf-8")
    tweets = [item["tweet"] for item in json.loads(raw[raw.index("[") :])]
    notes = (folder / "note-tweet.js").read_text(encoding="utf-8")
    longs = json.loads(notes[notes.index("[") :])
    [timeline] = XArchive(folder / "tweets.js", everything()).timelines()
    losses = timeline.losses
    earlier = sum(
        versions[-1] != tweet["id_str"] and len(versions) > 1
        for tweet in tweets
        if (
            versions := (tweet["edit_info"].get("initial") or tweet["edit_info"]["edit"]["editControlInitial"])[
                "editTweetIds"
            ]
        )
    )
    assert (len(tweets), losses[EDITED], losses[READ], len(timeline.posts)) == (1223, earlier, 1218, 1218)
    assert earlier + losses[READ] == len(tweets)
    assert losses[NOTES] + losses[NO_NOTE] <= len(longs) == 41
    forms = Counter(post.form for post in timeline.posts)
    assert forms["repost"] == sum(tweet["full_text"].startswith("RT @") for tweet in tweets) == 12
    kept = {post.id for post in timeline.posts}
    own = [t for t in tweets if t["id_str"] in kept and not t["full_text"].startswith("RT @")]
    assert forms["reply"] == sum("in_reply_to_screen_name" in t or "in_reply_to_status_id_str" in t for t in own)
    assert sum(len(p.captions) for p in timeline.posts) == sum(
        len(t.get("extended_entities", {}).get("media", [])) for t in own
    )
    shortened = sum("t.co/" in post.text for post in timeline.posts)
    assert shortened <= 1 < sum("t.co/" in tweet["full_text"] for tweet in tweets)
