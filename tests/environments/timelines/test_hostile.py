"""Whatever stands in an archive: an entry gives a post or is counted, and nothing but the declared error is raised."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.environments.timelines.conftest import announce, create, limits, tweet

from folkmoot.environments.corpora.sources.halves import HALVES
from folkmoot.environments.corpora.timelines.bluesky import Bluesky
from folkmoot.environments.corpora.timelines.collect import ASIDE, READ
from folkmoot.environments.corpora.timelines.mastodon import Mastodon
from folkmoot.environments.corpora.timelines.tables import Table
from folkmoot.environments.corpora.timelines.x_archive import XArchive
from folkmoot.sim.errors import CorpusError

ODD = (
    "https://[bad", "@ada/1", "/@", "https://x.example/@", "https://x.example/users/", "\ud800", "a\udfffb", "\\ud800",
    "\0", "at://", "at:///x", "did:", "x" * 5000, "2025-13-01", "never", "Public", "as:Public", "<p>\ud83d", "&#xD800;",
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.just(10**3000) | st.text(max_size=8)
    | st.sampled_from(ODD)
)  # fmt: skip
KEYS = st.sampled_from(("id", "href", "name", "x"))
WILD = (
    LEAVES
    | st.lists(LEAVES, max_size=2)
    | st.dictionaries(KEYS, LEAVES, max_size=2)
    | st.sampled_from(([[[]]], [{"id": ["x"]}], {"id": {"id": 7}}, {"name": [{"x": None}]}))
)
"""Anything that JSON can hold, and what archives were seen to break at."""

DID = "did:plc:ada"
NEAR = {"uri": "at://did:plc:bo/app.bsky.feed.post/9", "cid": "x"}
TAGS = [
    {"type": "Mention", "href": "https://moot.example/users/bo", "name": "@bo"},
    {"type": "Hashtag", "href": "https://moot.example/tags/tea", "name": "#Tea"},
]
MEDIA = [{"type": "Document", "mediaType": "image/png", "name": "A cup", "url": "/media_attachments/a.png"}]
NOTE = create(
    2, "<p>Tea <a href='https://moot.example/users/bo'>@bo</a></p>", tag=TAGS, attachment=MEDIA, summary="tea",
    inReplyTo="https://moot.example/users/bo/statuses/9", quoteUrl="https://moot.example/@bo/8", oneOf=[{"name": "yes"}],
)  # fmt: skip
PICTURE = {"url": "https://t.co/m", "ext_alt_text": "A cup", "expanded_url": "https://x.com/ada/status/2/photo/1",
           "media_url_https": "https://pbs.example/m.jpg", "source_status_id_str": "8"}  # fmt: skip
TWEET = tweet(
    2, "Tea https://t.co/a https://t.co/m", extended_entities={"media": [PICTURE]}, user={"screen_name": "ada"},
    entities={"urls": [{"url": "https://t.co/a", "expanded_url": "https://x.com/bo/status/7"}],
              "hashtags": [{"text": "Tea"}], "user_mentions": [{"screen_name": "bo"}]},
    in_reply_to_status_id_str="7", in_reply_to_screen_name="bo",
)  # fmt: skip
RECORD = {
    "uri": f"at://{DID}/app.bsky.feed.post/2",
    "value": {
        "$type": "app.bsky.feed.post",
        "text": "Tea for @bo",
        "createdAt": "2025-05-01T10:00:00Z",
        "langs": ["en"],
        "tags": ["tea"],
        "reply": {"root": NEAR, "parent": NEAR},
        "labels": {"values": [{"val": "tea"}]},
        "facets": [
            {
                "index": {"byteStart": 8, "byteEnd": 11},
                "features": [{"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:bo"}],
            }
        ],
        "embed": {
            "$type": "app.bsky.embed.recordWithMedia",
            "record": {"record": NEAR},
            "media": {"$type": "app.bsky.embed.images", "images": [{"alt": "A cup", "image": {"ref": {"$link": "b"}}}]},
        },
    },
}
ROW = {
    "user": "ada", "id": "2", "time": "2025-05-01T10:00:00Z", "text": "Tea @bo #tea", "form": "reply", "of": "1",
    "to": "bo", "language": "en", "warning": "tea", "captions": ["A cup"], "media": ["a.png"], "hashtags": ["tea"],
    "links": [], "mentions": ["bo"], "poll": ["yes"], "visibility": "public",
}  # fmt: skip


def places(value, path=()):
    """The path of every value within a value, its own first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def with_new(value, path, new):
    """A copy in which something else stands at a path."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_new(copy[path[0]], path[1:], new)
    return copy


@st.composite
def spoilt(draw, *wholes):
    """A whole entry in which up to three values are anything else."""
    entry = draw(st.sampled_from(wholes))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(entry))))
        entry = with_new(entry, path, draw(WILD))
    return entry


def accounted(timelines, entries):
    """Every entry is a post or counted by its reason, and every text can be written down."""
    kept = sum(len(each.posts) for each in timelines)
    dropped = sum(
        count
        for each in timelines
        for reason, count in each.losses.items()
        if reason != READ and reason not in ASIDE and "(kept" not in reason
    )
    assert kept + dropped == entries
    str(timelines).encode()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder for the files of all examples."""
    return tmp_path_factory.mktemp("hostile")


def test_mastodon(place):
    """An outbox with a whole post and a spoilt one."""

    @settings(deadline=None)
    @given(spoilt(NOTE, announce(3, "https://moot.example/users/bo/statuses/9")))
    def holds(entry):
        path = place / "outbox.json"
        path.write_text(json.dumps({"orderedItems": [create(1, "tea"), entry]}), encoding="utf-8")
        accounted(list(Mastodon(path, limits()).timelines()), 2)

    holds()


def test_x(place):
    """An X archive with a whole post and a spoilt one, and a spoilt file beside."""

    @settings(deadline=None)
    @given(spoilt(TWEET), spoilt({"noteTweet": {"createdAt": "2025-05-01T10:00:00Z", "core": {"text": "Tea"}}}))
    def holds(entry, note):
        path = place / "tweets.js"
        path.write_text(json.dumps([tweet(1, "tea"), entry]), encoding="utf-8")
        path.with_name("note-tweet.js").write_text(json.dumps([note]), encoding="utf-8")
        accounted(list(XArchive(path, limits()).timelines()), 2)

    holds()


def test_bluesky(place):
    """Records with a whole one and a spoilt one."""
    whole = {"uri": f"at://{DID}/1", "value": {**RECORD["value"]}}

    @settings(deadline=None)
    @given(spoilt(RECORD))
    def holds(entry):
        path = place / "records.json"
        path.write_text(json.dumps([whole, entry]), encoding="utf-8")
        accounted(list(Bluesky(path, limits()).timelines()), 2)

    holds()


def test_tables(place):
    """JSON lines with a whole row and a spoilt one."""

    @settings(deadline=None)
    @given(spoilt(ROW))
    def holds(row):
        path = place / "posts.jsonl"
        path.write_text(f"{json.dumps({**ROW, 'id': '1'})}\n{json.dumps(row)}\n", encoding="utf-8")
        accounted(list(Table(path, limits()).timelines()), 2)

    holds()


def test_users(place):
    """A table of users of which anything may be wrong."""

    @settings(deadline=None)
    @given(spoilt({"user": "ada", "about": "I brew", "followers": 1, "followees": 2}))
    def holds(row):
        posts, users = place / "posts.jsonl", place / "users.jsonl"
        posts.write_text(json.dumps(ROW), encoding="utf-8")
        users.write_text(f"{json.dumps({'user': 'bo'})}\n{json.dumps(row)}\n", encoding="utf-8")
        [timeline] = Table(posts, limits(), users).timelines()
        assert all(n is None or 0 <= n < 2**63 for n in (timeline.followers, timeline.followees))
        assert len(timeline.posts) == 1

    holds()


def test_halves_of_characters(outbox):
    """Half a character becomes the sign for one and is counted; a whole pair and a written-out escape stay."""
    path = outbox(create(1, "a\ud83db \\ud800 \U0001f375"))
    [timeline] = Mastodon(path, limits()).timelines()
    assert timeline.posts[0].text == "a\ufffdb \\ud800 \U0001f375"
    assert timeline.losses[HALVES] == 2  # in `content` and in `contentMap`
    raw = path.read_bytes().replace(b"\\ud83d", b"\xed\xa0\xbd", 1)
    path.write_bytes(raw)
    [timeline] = Mastodon(path, limits()).timelines()
    assert timeline.losses[HALVES] == 2


@pytest.mark.parametrize("reader", [Mastodon, XArchive, Bluesky])
def test_any_json(place, reader):
    """A file of any JSON is read, or refused with the declared error."""

    @settings(deadline=None, max_examples=50)
    @given(WILD)
    def holds(value):
        path = place / "any.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        with suppress(CorpusError):
            list(reader(path, limits()).timelines())

    holds()
