"""Bluesky: a repository written by the format with `libipld` gives back what went in, as do records in JSON."""

import hashlib
import json
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.environments.timelines.conftest import limits

from folkmoot.environments.corpora.timelines.bluesky import MISSING, NO_RECORD, Bluesky
from folkmoot.environments.corpora.timelines.car import Repository
from folkmoot.environments.corpora.timelines.collect import CUT, LIKES, LONG, OTHER, READ
from folkmoot.environments.corpora.timelines.folders import archives_in
from folkmoot.environments.corpora.timelines.tree import LONGEST_KEY
from folkmoot.sim.errors import CorpusError

libipld = pytest.importorskip("libipld")

DID = "did:plc:ada"
WHEN = "2025-05-01T10:00:00.000Z"


def varint(number):
    """Unsigned LEB128."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def block(value):
    """Content id and bytes of a DAG-CBOR block."""
    raw = libipld.encode_dag_cbor(value)
    return b"\x01\x71\x12\x20" + hashlib.sha256(raw).digest(), raw


def tree(leaves, blocks):
    """A search tree over sorted (key, content id): its middle in a node, the halves below; returns the root's id."""
    if len(leaves) <= 3:
        inner = [None] * (len(leaves) + 1)
    else:
        half = len(leaves) // 2
        inner = [tree(leaves[:half], blocks), tree(leaves[half + 1 :], blocks)]
        leaves = [leaves[half]]
    entries, before = [], b""
    for (key, cid), below in zip(leaves, inner[1:], strict=True):
        shared = next(
            (i for i, (a, b) in enumerate(zip(before, key, strict=False)) if a != b), min(len(before), len(key))
        )
        entries.append({"p": shared, "k": key[shared:], "v": cid, "t": below})
        before = key
    cid, raw = block({"l": inner[0], "e": entries})
    blocks.append((cid, raw))
    return cid


def car(path, records, *, version=3):
    """A repository of these records (key -> record)."""
    blocks = []
    leaves = []
    for key, record in sorted(records.items()):
        cid, raw = block(record)
        blocks.append((cid, raw))
        leaves.append((key.encode(), cid))
    root = tree(leaves, blocks)
    commit, raw = block({"did": DID, "version": version, "data": root, "rev": "1", "prev": None})
    blocks.insert(0, (commit, raw))
    header = libipld.encode_dag_cbor({"version": 1, "roots": [commit]})
    body = b"".join(varint(len(cid) + len(raw)) + cid + raw for cid, raw in blocks)
    path.write_bytes(varint(len(header)) + header + body)
    return path


def post(text="tea", **fields):
    """A post's record, as the network has it."""
    return {"$type": "app.bsky.feed.post", "text": text, "createdAt": WHEN, "langs": ["en"], **fields}


def read(path, **changes):
    """The one timeline of an archive."""
    [timeline] = Bluesky(path, limits(**changes)).timelines()
    return timeline


def test_a_repository(tmp_path):
    """Posts, reposts, likes, follows and the profile are read; what is none of these is counted."""
    far = "at://did:plc:bo/app.bsky.feed.post/9"
    records = {
        "app.bsky.feed.post/1": post(),
        "app.bsky.feed.post/2": post(
            "so", reply={"root": {"uri": far, "cid": "x"}, "parent": {"uri": far, "cid": "x"}}
        ),
        "app.bsky.feed.repost/3": {
            "$type": "app.bsky.feed.repost",
            "subject": {"uri": far, "cid": "x"},
            "createdAt": WHEN,
        },
        "app.bsky.feed.like/4": {"$type": "app.bsky.feed.like", "subject": {"uri": far, "cid": "x"}, "createdAt": WHEN},
        "app.bsky.feed.like/5": {
            "$type": "app.bsky.feed.like",
            "subject": {"uri": far, "cid": "x"},
            "createdAt": "never",
        },
        "app.bsky.feed.like/6": {"$type": "app.bsky.feed.like", "subject": far, "createdAt": WHEN},
        "app.bsky.graph.follow/5": {"$type": "app.bsky.graph.follow", "subject": "did:plc:bo", "createdAt": WHEN},
        "app.bsky.actor.profile/self": {"$type": "app.bsky.actor.profile", "description": "I brew"},
    }
    timeline = read(car(tmp_path / "repo.car", records))
    assert (timeline.user, timeline.about, timeline.follows, timeline.followees) == (DID, "I brew", ("did:plc:bo",), 1)
    assert sorted((p.form, p.of, p.to) for p in timeline.posts) == [
        ("post", "", ""),
        ("reply", far, "did:plc:bo"),
        ("repost", far, "did:plc:bo"),
    ]
    assert timeline.likes == ((far, "did:plc:bo", 1_746_093_600_000),)
    assert [timeline.losses[reason] for reason in (READ, LIKES, OTHER)] == [3, 1, 1]


def test_everything_of_a_post(tmp_path):
    """Stretches of text are counted in bytes: links, tags and mentions; captions, cards, quotes, labels are read."""
    text = "Tee für @bo.example: example.com/a… #tee"
    raw = text.encode()

    def facet(part, **feature):
        start = raw.index(part.encode())
        return {"index": {"byteStart": start, "byteEnd": start + len(part.encode())}, "features": [feature]}

    facets = [
        facet("@bo.example", **{"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:bo"}),
        facet("example.com/a…", **{"$type": "app.bsky.richtext.facet#link", "uri": "https://example.com/a/long"}),
        facet("#tee", **{"$type": "app.bsky.richtext.facet#tag", "tag": "tee"}),
    ]
    name, _ = block({"blob": 1})
    pictures = [{"alt": "A  cup", "image": {"ref": name}}, {"alt": "", "image": {"ref": {"$link": "bafy1"}}}]
    images = {"$type": "app.bsky.embed.images", "images": pictures}
    quoted = {"$type": "app.bsky.embed.record", "record": {"uri": "at://did:plc:bo/app.bsky.feed.post/8"}}
    embed = {"$type": "app.bsky.embed.recordWithMedia", "record": quoted, "media": images}
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "nudity"}]}
    records = {"app.bsky.feed.post/1": post(text, facets=facets, embed=embed, labels=labels, langs=["de-AT"])}
    [found] = read(car(tmp_path / "repo.car", records)).posts
    assert found.text == "Tee für @did:plc:bo: example.com/a… #tee"
    assert (found.mentions, found.links, found.hashtags) == (("did:plc:bo",), ("https://example.com/a/long",), ("tee",))
    assert (found.form, found.of, found.captions) == ("quote", "at://did:plc:bo/app.bsky.feed.post/8", ("A cup", ""))
    assert found.media == (str(libipld.encode_cid(name)), "bafy1")
    assert (found.warning, found.language) == ("nudity", "de")


def test_stretches_within_one_another(tmp_path):
    """Of two stretches of text that share bytes the first counts; a text that gets too long by them is no post."""
    mention = {"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:bo"}

    def facet(start, end, **changes):
        return {"index": {"byteStart": start, "byteEnd": end}, "features": [mention | changes]}

    records = {
        "app.bsky.feed.post/1": post("@bo and @bo", facets=[facet(0, 3), facet(1, 5), facet(8, 11)]),
        "app.bsky.feed.post/2": post("@bo", facets=[facet(0, 3, did="x" * 100_000)]),
    }
    timeline = read(car(tmp_path / "repo.car", records))
    assert [found.text for found in timeline.posts] == ["@did:plc:bo and @did:plc:bo"]
    assert timeline.losses[LONG] == 1


def test_keys_that_grow(tmp_path):
    """Keys longer than any record's are missing with what follows, so a node takes memory by its size alone."""
    record = block(post())
    entries = [{"p": place, "k": b"a", "v": record[0], "t": None} for place in range(20_000)]
    path = repository_of(tmp_path / "repo.car", {"l": None, "e": entries}, record)
    tracemalloc.start()
    timeline = read(path, posts=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (timeline.losses[READ], timeline.losses[MISSING]) == (LONGEST_KEY, 20_000 - LONGEST_KEY)
    assert peak < 40_000_000  # whole keys would take 200


@settings(deadline=None)
@given(st.sets(st.integers(0, 10**6), min_size=1, max_size=60))
def test_every_record_comes_back(tmp_path_factory, numbers):
    """Whatever the tree, each record comes once, in the order of the keys."""
    path = tmp_path_factory.mktemp("car") / "repo.car"
    records = {f"app.bsky.feed.post/{number:07}": post(str(number)) for number in numbers}
    repository = Repository(car(path, records))
    assert [key for key, _ in repository.records()] == sorted(records)
    assert [record["text"] for _, record in repository.records()] == [str(number) for number in sorted(numbers)]
    assert repository.missing == 0


def test_truncated(tmp_path):
    """A repository that breaks off is refused; asked to keep what is there, the records that are missing are counted."""
    path = car(tmp_path / "repo.car", {f"app.bsky.feed.post/{n}": post("tea" * 50) for n in range(3)})
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    with pytest.raises(CorpusError, match="breaks off"):
        read(path)
    timeline = read(path, keep_damaged=True)
    assert (timeline.losses[MISSING], timeline.losses[CUT]) == (1, 1)


def test_the_wrong_kind(tmp_path, outbox):
    """What isn't a repository or a record is told what it is."""
    other = tmp_path / "repo.car"
    other.write_bytes(outbox().read_bytes())
    with pytest.raises(CorpusError, match="no CAR; it looks like an outbox"):
        read(other)
    with pytest.raises(CorpusError, match="no record of Bluesky; it looks like an outbox"):
        read(outbox())
    header = libipld.encode_dag_cbor({"version": 1, "roots": [block({"a": 1})[0]]})
    other.write_bytes(varint(len(header)) + header)
    with pytest.raises(CorpusError, match="without the commit"):
        read(other)


def test_rings(tmp_path):
    """A node that names itself ends the walk: it is counted, not followed for ever."""
    cid = b"\x01\x71\x12\x20" + b"\x07" * 32
    raw = libipld.encode_dag_cbor({"l": cid, "e": []})
    commit, first = block({"did": DID, "version": 3, "data": cid, "rev": "1", "prev": None})
    header = libipld.encode_dag_cbor({"version": 1, "roots": [commit]})
    body = b"".join(varint(len(c) + len(r)) + c + r for c, r in ((commit, first), (cid, raw)))
    path = tmp_path / "repo.car"
    path.write_bytes(varint(len(header)) + header + body)
    timeline = read(path)
    assert (timeline.posts, timeline.losses[MISSING]) == ((), 1)


def test_records_in_json(tmp_path):
    """One record, a list, an answer of the interface, and a record a line give the same posts."""
    records = [{"uri": f"at://{DID}/app.bsky.feed.post/{n}", "cid": "x", "value": post(f"tea {n}")} for n in range(2)]
    shapes = {
        "list.json": json.dumps(records),
        "answer.json": json.dumps({"records": records, "cursor": "1"}),
        "nothing.json": json.dumps({"follows": None, "records": records}),
        "lines.jsonl": "\n".join(map(json.dumps, records)),
    }
    for name, text in shapes.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert sorted(p.text for p in read(path).posts) == ["tea 0", "tea 1"]
    folder = tmp_path / "folder"
    folder.mkdir()
    for n, record in enumerate(records):
        (folder / f"{n}.json").write_text(json.dumps(record), encoding="utf-8")
    assert len(read(folder).posts) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"uri": ', " breaks off"),
        ("nope", ": 'n' at character 0, where an object or a list is due; it is no archive"),
        (
            '{"type": "app.bsky.feed.post"} nope',
            ": 'n' at character 31, .* records of Bluesky, but .*; export it again",
        ),
        ("[] nope", ": 'n' at character 3, where an object or a list is due"),
        ("", " is empty"),
    ],
)
def test_damaged_json(tmp_path, text, says):
    """JSON that can't be read is named."""
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"x\.json{says}"):
        read(path)


def test_an_answer_of_follows(tmp_path):
    """`getFollows` tells whom its subject follows; what is no record is counted with the first account."""
    follows = [{"did": "did:plc:bo"}, {"did": "did:plc:cleo"}, {"did": 5}, 7]
    (tmp_path / "follows.json").write_text(json.dumps({"follows": follows, "subject": {"did": DID}, "cursor": "1"}))
    record = {"uri": f"at://{DID}/app.bsky.feed.post/1", "value": post()}
    (tmp_path / "posts.json").write_text(json.dumps([record, {"uri": 5}, None]))
    timeline = read(tmp_path)
    assert (timeline.user, timeline.follows) == (DID, ("did:plc:bo", "did:plc:cleo"))
    assert (len(timeline.posts), timeline.losses[NO_RECORD]) == (1, 4)


def test_other_files_beside_a_repository(tmp_path):
    """JSON without a record beside a repository is no archive; nor is one that is torn or empty."""
    repo = car(tmp_path / "repo.car", {"app.bsky.feed.post/1": post()})
    for name, text in (
        ("prefs", '{"preferences": []}'),
        ("torn", '{"a": '),
        ("empty", ""),
        ("other", '{"records": null}'),
    ):
        (tmp_path / f"{name}.json").write_text(text)
    assert archives_in("bluesky", tmp_path) == [repo]


def test_records_beside_a_repository(tmp_path):
    """Records in JSON come behind the repositories of their folder, so that of one account the repository counts."""
    repos = [car(tmp_path / name, {"app.bsky.feed.post/1": post()}) for name in ("a.car", "z.car")]
    (tmp_path / "records.json").write_text(
        json.dumps([7, {"uri": f"at://{DID}/app.bsky.feed.post/9", "value": post()}])
    )
    assert archives_in("bluesky", tmp_path) == [*repos, tmp_path]
    for repo in repos:
        repo.unlink()
    assert archives_in("bluesky", tmp_path) == [tmp_path]


def repository_of(path, root, *blocks):
    """A repository whose tree is this node, with further blocks."""
    cid, raw = block(root)
    commit, first = block({"did": DID, "version": 3, "data": cid, "rev": "1", "prev": None})
    header = libipld.encode_dag_cbor({"version": 1, "roots": [commit]})
    body = b"".join(varint(len(c) + len(r)) + c + r for c, r in ((commit, first), (cid, raw), *blocks))
    path.write_bytes(varint(len(header)) + header + body)
    return path


@pytest.mark.parametrize(
    ("entry", "missing"),
    [
        (7, 2),
        ({}, 2),
        ({"p": "x", "k": b"a"}, 2),
        ({"p": 10**6, "k": b"a"}, 2),
        ({"p": 0, "k": 10**12}, 2),
        ({"p": 0, "k": b""}, 2),
        ({"p": 0, "k": b"a", "v": "x"}, 1),
        ({"p": 0, "k": b"a", "v": None, "t": 5}, 2),
    ],
)
def test_foreign_nodes(tmp_path, entry, missing):
    """An entry of another form is missing, and so is what takes its key from it; what stands before it is read."""
    record = block(post())
    whole = {"p": 0, "k": b"app.bsky.feed.post/1", "v": record[0], "t": None}
    after = whole | {"k": b"app.bsky.feed.post/2"}
    timeline = read(repository_of(tmp_path / "repo.car", {"l": None, "e": [whole, entry, after]}, record))
    assert timeline.losses[MISSING] == missing
    assert timeline.posts[0].id == f"at://{DID}/app.bsky.feed.post/1"


def test_any_change_of_a_repository(tmp_path):
    """Whatever bytes of a repository are others, it is read or refused with the declared error."""
    path = car(tmp_path / "repo.car", {f"app.bsky.feed.post/{n}": post("tea") for n in range(5)})
    whole = path.read_bytes()

    @settings(deadline=None)
    @given(st.integers(0, len(whole) - 1), st.binary(min_size=1, max_size=4))
    def holds(at, other):
        path.write_bytes(whole[:at] + other + whole[at + len(other) :])
        with suppress(CorpusError):
            read(path, keep_damaged=True)

    holds()


@pytest.mark.shared
def test_real_records(shared):
    """Of the network's own sample records the posts are read, everything else is counted, and nobody is quoted."""
    timelines = list(Bluesky(shared / "timelines" / "bluesky", limits()).timelines())
    posts = [p for each in timelines for p in each.posts]
    values = [json.loads(f.read_bytes()) for f in (shared / "timelines" / "bluesky").glob("*.json")]
    kinds = [v["value"]["$type"] for v in values if "value" in v]
    assert kinds.count("app.bsky.feed.post") == sum(each.losses[READ] for each in timelines) > 0
    assert len({p.id for p in posts}) == len(posts)
    likes = sum(len(each.likes) + each.losses[LIKES] for each in timelines)
    assert likes == kinds.count("app.bsky.feed.like") > 0
    assert sum(each.losses[OTHER] for each in timelines) == len(kinds) - likes - kinds.count("app.bsky.feed.post")
