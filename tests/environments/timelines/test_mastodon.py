"""Mastodon's outbox: public posts as their author published them; the others counted by whom they were for."""

import json

import pytest
from tests.environments.timelines.conftest import announce, create, limits

from folkmoot.environments.corpora.timelines.collect import CUT, LIKES, LONG, NAMELESS, OTHER, READ, UNLISTED
from folkmoot.environments.corpora.timelines.mastodon import DIRECT, FOLLOWERS, ODD, Mastodon
from folkmoot.environments.corpora.timelines.torn import BESIDE_CUT, LIKES_UNREAD
from folkmoot.sim.errors import CorpusError


def read(path, **changes):
    """The one timeline of an outbox."""
    [timeline] = Mastodon(path, limits(**changes)).timelines()
    return timeline


def test_scopes(outbox):
    """Public posts are read; unlisted ones, those for followers and those for some people are counted apart."""
    path = outbox(
        *(create(n, f"<p>{s}</p>", scope=s) for n, s in enumerate(("public", "unlisted", "followers", "direct")))
    )
    timeline = read(path)
    assert [post.text for post in timeline.posts] == ["public"]
    assert [timeline.losses[reason] for reason in (READ, UNLISTED, FOLLOWERS, DIRECT)] == [1, 1, 1, 1]
    assert timeline.user == "ada@moot.example"


def test_unlisted_on_request(outbox):
    """Unlisted posts are read if asked for, those for followers never."""
    path = outbox(create(1, "a", scope="unlisted"), create(2, "b", scope="followers"))
    assert [post.text for post in read(path, unlisted=True).posts] == ["a"]


def test_everything_of_a_post(outbox):
    """Warning, hashtags, links, captions, mentions, emoji, language, edit and answer are read as the format has them."""
    content = (
        '<p><span class="h-card"><a href="https://far.example/@cleo" class="u-url mention">@<span>cleo</span></a></span> '
        'new <a href="https://a.example/x">a.example/x</a> :blob: '
        '<a href="https://moot.example/tags/Tea" class="mention hashtag">#<span>Tea</span></a></p>'
    )
    tags = [
        {"type": "Mention", "href": "https://far.example/users/cleo", "name": "@cleo@far.example"},
        {"type": "Mention", "href": "https://moot.example/users/bo", "name": "@bo"},
        {"type": "Hashtag", "href": "https://moot.example/tags/tea", "name": "#Tea"},
        {"type": "Emoji", "name": ":blob:"},
    ]
    media = [
        {
            "type": "Document",
            "mediaType": "image/png",
            "name": "A  cup\nof tea",
            "url": "/bucket/media_attachments/files/1/original/a.png",
        },
        {"type": "Document", "mediaType": "video/mp4", "name": None},
        {"type": "Document", "mediaType": "audio/ogg", "name": "A song"},
    ]
    note = create(
        1,
        content,
        summary="tea",
        tag=tags,
        attachment=media,
        inReplyTo="https://far.example/users/cleo/statuses/9",
        updated="2025-05-02T10:00:00Z",
        contentMap={"pt-BR": content},
    )
    [post] = read(outbox(note)).posts
    assert post.text == "@cleo@far.example new a.example/x :blob: #Tea"
    assert (post.form, post.of, post.to) == ("reply", "https://far.example/users/cleo/statuses/9", "cleo@far.example")
    assert post.mentions == ("cleo@far.example", "bo@moot.example")
    assert post.captions == ("A cup of tea", "")
    assert post.media == ("media_attachments/files/1/original/a.png", "")
    assert (post.hashtags, post.links, post.warning, post.language, post.edited) == (
        ("Tea",),
        ("https://a.example/x",),
        "tea",
        "pt",
        True,
    )


def test_polls_quotes_and_boosts(outbox):
    """A question's choices are its poll; a quote and a boost name what they pass on, and a boost has no words."""
    choices = [{"type": "Note", "name": "yes"}, {"type": "Note", "name": "<b>no</b>"}]
    path = outbox(
        create(1, "Tea?", "2025-05-01T10:00:00Z", type="Question", oneOf=choices),
        create(2, "Look", "2025-05-01T11:00:00Z", quoteUrl="https://far.example/@cleo/8"),
        announce(3, "https://far.example/users/cleo/statuses/9", "2025-05-01T12:00:00Z"),
    )
    question, quote, boost = read(path).posts
    assert question.poll == ("yes", "no")
    assert (quote.form, quote.of, quote.to) == ("quote", "https://far.example/@cleo/8", "cleo@far.example")
    assert (boost.form, boost.text, boost.of) == ("repost", "", "https://far.example/users/cleo/statuses/9")


def test_scripts(outbox):
    """What could run in a browser is gone from text, warning and poll."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    note = create(
        1, f"<p>a{evil}b</p>", summary=f"w{evil}", type="Question", oneOf=[{"type": "Note", "name": f"c{evil}"}]
    )
    [post] = read(outbox(note)).posts
    assert (post.text, post.warning, post.poll) == ("ab", "w", ("c",))


def test_what_lies_beside(outbox, tmp_path):
    """The actor's description and whom they follow are read from the files of the same archive."""
    path = outbox(create(1, "a"), name="ada.outbox.json")
    actor = {"id": "https://moot.example/users/ada", "summary": "<p>I brew <b>tea</b></p>"}
    (tmp_path / "ada.actor.json").write_text(json.dumps(actor), encoding="utf-8")
    table = "Account address,Show boosts\nbo@moot.example,true\ncleo@far.example,false\n"
    (tmp_path / "ada.following_accounts.csv").write_text(table, encoding="utf-8")
    timeline = read(path)
    assert timeline.about == "I brew tea"
    assert timeline.follows == ("bo@moot.example", "cleo@far.example")
    assert (timeline.followers, timeline.followees) == (None, 2)


def test_likes_beside(outbox, tmp_path):
    """Likes have no date in an archive: how many there are is told."""
    path = outbox(create(1, "a"))
    liked = {"orderedItems": ["https://far.example/users/cleo/statuses/9", "https://far.example/users/cleo/statuses/8"]}
    (tmp_path / "likes.json").write_text(json.dumps(liked), encoding="utf-8")
    timeline = read(path)
    assert (timeline.likes, timeline.losses[LIKES], len(timeline.posts)) == ((), 2, 1)


@pytest.mark.parametrize(
    ("text", "likes"), [('{"orderedItems": ["a", "b', 1), ("", 0), ('{"items": []}', 0), ('{"orderedItems": null}', 0)]
)
def test_likes_that_cannot_be_read(outbox, tmp_path, text, likes):
    """A file of likes that breaks off, is empty or without its list costs its likes alone, and is counted."""
    path = outbox(create(1, "a"))
    (tmp_path / "likes.json").write_text(text)
    timeline = read(path)
    assert (len(timeline.posts), timeline.losses[LIKES], timeline.losses[LIKES_UNREAD]) == (1, likes, 1)


def test_a_torn_description(outbox, tmp_path):
    """A description that breaks off is refused, or left out and counted."""
    path = outbox(create(1, "a"))
    (tmp_path / "actor.json").write_text('{"summary": "<p>I br')
    with pytest.raises(CorpusError, match=r"actor\.json breaks off"):
        read(path)
    timeline = read(path, keep_damaged=True)
    assert (len(timeline.posts), timeline.about, timeline.losses[BESIDE_CUT]) == (1, "", 1)


def test_a_folder(outbox, tmp_path):
    """The folder of an unpacked archive is read as its outbox."""
    outbox(create(1, "a"))
    assert len(read(tmp_path).posts) == 1


def test_a_name_of_no_end(outbox):
    """A name that is longer than any isn't put in place of the links to it; one of usual length is, up to the bound."""
    link = '<a href="https://m.example/b">@b</a>'
    tag = {"type": "Mention", "href": "https://m.example/b", "name": "b" * 600}
    timeline = read(
        outbox(create(1, link, tag=[tag]), create(2, link * 2_500, tag=[tag | {"name": "b" * 60}]), create(3, "c"))
    )
    assert ([post.text for post in timeline.posts], timeline.losses[LONG]) == (["@b", "c"], 1)


def test_other_entries(outbox):
    """Likes, deletions, entries by others and entries that are nothing are counted."""
    path = outbox(create(1, "a"), {"type": "Like"}, {"type": "Delete"}, "x", None, create(2, "b", user="bo"))
    timeline = read(path)
    assert len(timeline.posts) == 1
    assert timeline.losses[OTHER] == 4
    assert timeline.losses["entries by somebody else"] == 1


def test_fields_of_any_kind(outbox):
    """Fields of a wrong kind cost what they say, never the post or the archive."""
    note = create(
        1, "a", tag="x", attachment={"mediaType": "image/png", "name": 7}, contentMap=[], inReplyTo=5, summary=3
    )
    [post] = read(outbox(note, create(2, None, published="never"))).posts
    assert (post.text, post.captions, post.form) == ("a", ("",), "post")


def test_malformed_addresses(outbox):
    """An address that can't be read costs what it says, never the post; posts about one are counted."""
    tags = [{"type": "Mention", "href": "https://[bad", "name": "@bo"}, {"type": ["Mention"], "href": 5}]
    path = outbox(
        create(1, "a", tag=tags, inReplyTo="https://[bad"),
        create(2, "b", inReplyTo="@ada/1"),
        create(3, "c", inReplyTo="https://far.example/@/1"),
        create(4, "d", type=["Note"]),
        create(5, "e", id=""),
        {"type": ["Create"]},
    )
    timeline = read(path)
    assert [(post.text, post.form, post.to) for post in timeline.posts] == [(t, "reply", "") for t in "abc"]
    assert timeline.posts[0].mentions == ("bo",)
    assert [timeline.losses[reason] for reason in (ODD, NAMELESS, OTHER)] == [2, 1, 1]


def test_the_wrong_kind(ytd, tmp_path):
    """A file of another archive is told what it is."""
    with pytest.raises(CorpusError, match="X archive; read it with x:"):
        read(ytd())
    other = tmp_path / "other.json"
    other.write_text('{"type": "Person"}', encoding="utf-8")
    with pytest.raises(CorpusError, match="no list 'orderedItems'"):
        read(other)
    other.write_text('{"orderedItems": null, "type": "OrderedCollection"}', encoding="utf-8")
    with pytest.raises(CorpusError, match="no list 'orderedItems'"):
        read(other)
    other.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(CorpusError, match="zip archive; unpack it first"):
        read(other)


def test_truncated(outbox):
    """An outbox that breaks off is refused; asked to keep what is there, it is read up to the break, and that is counted."""
    path = outbox(create(1, "a"), create(2, "b" * 500))
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(CorpusError, match="breaks off"):
        read(path)
    timeline = read(path, keep_damaged=True)
    assert [post.text for post in timeline.posts] == ["a"]
    assert timeline.losses[CUT] == 1


def test_an_empty_outbox(outbox):
    """An outbox without any activity is nobody's; nobody is sent in a circle. A file of no bytes is named so."""
    path = outbox()
    with pytest.raises(CorpusError, match="no activity of anybody; it looks like an outbox of Mastodon, but without"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(CorpusError, match=r"outbox\.json is empty"):
        read(path)
    path.write_bytes(b" \n")
    with pytest.raises(CorpusError, match="nothing but blanks"):
        read(path)
