"""Laws of the Reddit importer."""

import json
from collections import Counter

import pytest
import zstandard

from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.base import ThreadSource
from folkmoot.environments.corpora.sources.reddit import open_reddit
from folkmoot.environments.corpora.sources.reddit_text import plain
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.sim.errors import ConfigError, CorpusError


def read(path):
    """The threads of a file, and what was lost."""
    source = open_reddit(Request(str(path)))
    return list(source.threads()), Counter(source.losses)


def post(name="p1", **more):
    """The data of a post."""
    return {
        "id": name,
        "title": "Mills &amp; wheels",
        "selftext": "Which?",
        "author": "Ada",
        "created_utc": 100,
        "subreddit": "mills",
        "num_comments": 3,
        **more,
    }


def comment(name, parent, **more):
    """The data of a comment on post p1."""
    fields = {
        "id": name,
        "link_id": "t3_p1",
        "parent_id": parent,
        "body": f"text of {name}",
        "author": "Bodo",
        "created_utc": "200",
    }
    return {**fields, "subreddit": "mills", **more}


def thing(kind, data):
    """A thing of the API."""
    return {"kind": kind, "data": data}


def listing(*things):
    """A listing of the API."""
    return thing("Listing", {"children": list(things)})


def tree():
    """A post's page as the API sends it, with answers nested and stubs for what it didn't send."""
    deep = comment("c3", "t1_c2", created_utc=300.0, body="[deleted]", author="[deleted]", replies="")
    inner = comment(
        "c2",
        "t1_c1",
        created_utc=250,
        edited=260,
        score=5,
        replies=listing(thing("t1", deep), thing("more", {"id": "_", "parent_id": "t1_c3", "children": []})),
    )
    outer = comment(
        "c1", "t3_p1", created_utc=240, replies=listing(thing("t1", inner)), stickied=False, is_submitter=True
    )
    stub = thing("more", {"id": "c8", "parent_id": "t3_p1", "count": 2, "children": ["c8", "c9"]})
    return [listing(thing("t3", post())), listing(thing("t1", outer), stub)]


def shape(threads):
    """Threads without facts."""
    return [(t.id, t.page, t.title, [(c.id, c.author, c.time, c.parent, c.text) for c in t.comments]) for t in threads]


WHOLE = [
    (
        "p1",
        "r/mills",
        "Mills & wheels",
        [
            ("t3_p1", "Ada", 100_000, None, "Which?"),
            ("c1", "Bodo", 240_000, "t3_p1", "text of c1"),
            ("c2", "Bodo", 250_000, "c1", "text of c2"),
            ("c3", "", 300_000, "c2", ""),
        ],
    )
]


def test_a_tree_of_the_api_is_a_thread(tmp_path):
    """Law: post first, answers under what they answer, by time; facts kept; what wasn't sent or was deleted is counted."""
    path = tmp_path / "mills.json"
    path.write_text(json.dumps(tree(), indent=1))
    threads, losses = read(path)
    assert shape(threads) == WHOLE
    assert threads[0].comments[2].facts == {"edited": 260, "score": 5}
    assert threads[0].comments[1].facts == {"is_submitter": True}
    assert threads[0].comments[3].facts == {"removed": "by its author"}
    assert +losses == {
        "comments that weren't sent (stubs of kind more)": 2,
        "comments whose answers weren't sent (kept; the thread goes on elsewhere)": 1,
        "texts that were deleted or removed (kept without text)": 1,
    }
    assert isinstance(open_reddit(Request(str(path))), ThreadSource)


def test_an_archive_of_lines_gives_the_same(tmp_path):
    """Law: one thing a line, comments and posts in different files, in any order, packed or not, is the same thread."""
    things = [
        comment("c2", "t1_c1", created_utc=250),
        comment("c3", "t1_c2", created_utc=300, body="[deleted]", author="[deleted]"),
        comment("c1", "t3_p1", created_utc=240),
    ]
    folder = tmp_path / "dump"
    folder.mkdir()
    lines = "".join(json.dumps(each) + "\n" for each in things)
    (folder / "RC.zst").write_bytes(zstandard.compress(lines.encode()))
    (folder / "RS.jsonl").write_text(json.dumps(post()))
    (folder / "notes.txt").write_text("not read")
    threads, losses = read(folder)
    assert shape(threads) == WHOLE
    assert +losses == {"texts that were deleted or removed (kept without text)": 1}


def test_a_thread_without_its_post_is_kept(tmp_path):
    """Law: comments alone make a thread; its first ones stand by themselves, and an answer to one that isn't there too."""
    path = tmp_path / "RC.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(comment(name, parent))
            for name, parent in [("c1", "t3_p1"), ("c2", "t3_p1"), ("c3", "t1_gone"), ("c4", "t1_c2")]
        )
    )
    threads, losses = read(path)
    assert [(c.id, c.parent) for c in threads[0].comments] == [("c1", None), ("c2", None), ("c3", None), ("c4", "c2")]
    assert +losses == {
        "threads without their post (kept)": 1,
        "answers to comments that aren't in the thread (kept, as standing by themselves)": 1,
    }


def test_odd_things_are_counted(tmp_path):
    """Law: what isn't a post or comment is counted by reason and line; the rest is read."""
    path = tmp_path / "odd.jsonl"
    rows = [
        json.dumps(tree()),
        "{broken",
        "[" * 50_000,
        json.dumps(
            {"json": {"errors": [], "data": {"things": [thing("t1", comment("c8", "t3_p1", created_utc="then"))]}}}
        ),
        json.dumps(thing("t5", {"display_name": "mills"})),
        json.dumps({"weather": "fine"}),
        json.dumps(7),
        json.dumps(comment(None, "t3_p1")),
        json.dumps(comment("c1", "t3_p1", created_utc=240, body="once more")),
    ]
    path.write_text("\n".join(rows))
    threads, losses = read(path)
    assert [c.id for c in threads[0].comments] == ["t3_p1", "c1", "c2", "c3", "c8"]
    assert threads[0].comments[1].text == "once more"
    assert losses["times that can't be read (kept without) (line 4)"] == 1
    assert losses["things of kind t5 (no discussion) (line 5)"] == 1
    assert losses["documents that hold no posts or comments (line 6)"] == 1
    assert losses["values that are no things (line 7)"] == 1
    assert losses["posts or comments without an id (line 8)"] == 1
    assert losses["comments that are there twice (the last one counts)"] == 1
    assert losses["comments that weren't sent (stubs of kind more)"] == 1
    assert sum(count for reason, count in losses.items() if "aren't JSON" in reason) == 2


def test_a_nest_of_any_depth_is_walked(tmp_path):
    """Law: answers 150 deep are no trouble; deeper than JSON can be read is an error in words."""
    data = comment("d0", "t3_p1")
    for depth in range(1, 150):
        data = comment(f"d{depth}", "t3_p1", replies=listing(thing("t1", data)))
    path = tmp_path / "deep.json"
    path.write_text(json.dumps(thing("t1", data)))
    assert len(read(path)[0][0].comments) == 150
    path.write_text("[" * 100_000)
    with pytest.raises(CorpusError, match="is neither JSON nor JSON lines"):
        read(path)


def test_bad_paths_and_options_are_errors(tmp_path):
    """Law: nothing there, an empty file and an option are told with the way out."""
    with pytest.raises(CorpusError, match="nothing to read there; name a .json"):
        open_reddit(Request(str(tmp_path)))
    with pytest.raises(CorpusError, match="nothing to read there"):
        open_reddit(Request(str(tmp_path / "gone.json")))
    with pytest.raises(ConfigError, match="--option sort: a source of kind 'reddit' has none"):
        open_source(f"reddit:{tmp_path}", Request("", options={"sort": "old"}))
    (tmp_path / "empty.json").write_text("")
    with pytest.raises(CorpusError, match="is empty"):
        read(tmp_path / "empty.json")


@pytest.mark.parametrize(
    ("raw", "text"), [("&gt;a &amp;gt; b", ">a &gt; b"), ("a & b &gt;", "a & b &gt;"), ("&lt;b>", "&lt;b>"), ("x", "x")]
)
def test_entities_are_undone_once(raw, text):
    """Law: an escaped text is unescaped once, one that wasn't escaped is left alone."""
    assert plain(raw) == text


def walk(document):
    """Ids of all comments in a document, in an independent way."""
    if isinstance(document, dict):
        if document.get("kind") == "t1":
            yield document["data"]["id"]
        for value in document.values():
            yield from walk(value)
    elif isinstance(document, list):
        for value in document:
            yield from walk(value)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "comments", "stubs"),
    [
        ("test_replace__all", 476, 18),
        ("test_replace__all_with_comment_sort", 470, 34),
        ("test_replace__on_comment_from_submission", 472, 18),
    ],
)
def test_real_trees_have_their_known_counts(shared, tmp_path, monkeypatch, name, comments, stubs):
    """Law: recorded answers of the API give each comment once; the first page of a thread has its known counts."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for tests")
    cassette = json.loads((shared / "dialog" / "reddit-praw" / f"TestCommentForest.{name}.json").read_text("utf-8"))
    bodies = [each["response"]["body"]["string"] for each in cassette["interactions"][1:]]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps(json.loads(body)) for body in bodies), "utf-8")
    threads, losses = read(path)
    expected = {name for body in bodies for name in walk(json.loads(body))}
    found = [c.id for thread in threads for c in thread.comments if not c.id.startswith("t3_")]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert not any("kind" in reason and "things" in reason for reason in +losses)
    (tmp_path / "page.json").write_text(bodies[0], "utf-8")
    (thread,), losses = read(tmp_path / "page.json")
    assert len(thread.comments) == 1 + comments
    assert bodies[0].count('"kind": "more"') == stubs
    assert losses["comments that weren't sent (stubs of kind more)"] > 0
    assert thread.comments[0].parent is None
    assert all(comment.parent for comment in thread.comments[1:])
    store = build(BuildSettings(source=f"reddit:{path}", out=tmp_path / "built", lang="en"))
    assert store.manifest.tables["threads"].rows == 1
