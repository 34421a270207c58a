"""Captions by a model, by the command line against a real server: found files alone, counted, kept, and never copied."""

import json
import os

import pytest
from tests.environments.timelines.captions.conftest import chunk, jpeg, png
from tests.environments.timelines.conftest import create, tweet
from typer.testing import CliRunner

from folkmoot.agents.interests.posts import Post, show
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.environments.corpora.built import load_built
from folkmoot.environments.corpora.captions import Captioner, MediaFolder
from folkmoot.environments.corpora.captions.images import begins_as_image
from folkmoot.environments.corpora.checking import check_names
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.__main__ import app
from folkmoot.sim.errors import ModelError


def corpus(source, out):
    """A corpus of a source."""
    return build(BuildSettings(source=source, out=out, lang="en", options={"until": "2025-06-01", "years": 50}))


@pytest.fixture
def album(tmp_path):
    """A table whose images are there, or missing, or no images, or outside; the corpus and the folder."""
    rows = [
        ("1", "A cup of mine | ", "img/own.png | img/tea.png"),
        ("2", "", "img/tea2.png | img/gone.png | ../secret.png | img/words.png"),
        ("3", "", "img/link.png | img/big.jpg | img/twice.png"),
        ("4", " | ", ""),
    ]
    text = "".join(f"ada,{n},2025-05-0{n}T10:00:00Z,Look,{captions},{media}\n" for n, captions, media in rows)
    (tmp_path / "posts.csv").write_text("user,id,time,text,captions,media\n" + text)
    folder = tmp_path / "archive" / "img"
    folder.mkdir(parents=True)
    for name, data in (("own", png("own")), ("tea", png("tea")), ("tea2", png("tea")), ("words", b"words")):
        (folder / f"{name}.png").write_bytes(data)
    (tmp_path / "secret.png").write_bytes(png("secret"))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    with (folder / "big.jpg").open("wb") as file:
        file.write(b"\xff\xd8\xff")
        file.truncate(20_000_001)
    for name in ("twice.png", "twice.gif"):
        (folder / name).write_bytes(png("twice"))
    return corpus(f"csv:{tmp_path / 'posts.csv'}", tmp_path / "plain"), folder.parent


def caption(store, media, out, *overrides):
    """The command, run."""
    asked = ["corpus", "caption", str(store.path), "--media", str(media), "--out", str(out), *overrides]
    return CliRunner().invoke(app, asked)


def seeing(server, model="eyes"):
    """The overrides for the server."""
    return ("llm=server", f"llm.url={server.url}", f"llm.model={model}")


def test_every_image_is_described_or_counted(album, eyes, tmp_path):
    """An image with a file of its own in the folder is described once by its bytes; every other is counted by reason."""
    store, media = album
    done = caption(store, media, tmp_path / "new", *seeing(eyes))
    assert done.exit_code == 0, done.output
    assert eyes.shown == [png("tea")]  # once for both files that hold it; no secret, no author's image
    new = Store.open(tmp_path / "new")
    stage = new.manifest.stage("captions")
    assert (stage.counts["images to describe"].given, stage.counts["images to describe"].kept) == (10, 2)
    assert stage.counts["images to describe"].dropped == {
        "images whose file isn't there": 1,
        "images whose path leads out of the archive": 1,
        "images that are no JPEG, PNG, GIF or WebP": 1,
        "images whose file is a link (not followed)": 1,
        "images of over 20 MB": 1,
        "images of whose name there are several files": 1,
        "images whose file the archive doesn't name": 2,
    }
    assert stage.notes == {"images captioned by their authors (kept)": 1}
    assert (stage.facts["of"], stage.facts["model"]) == (store.manifest.digest, "server/eyes@127.0.0.1")
    assert "captions: 2 of 10 images to describe done" in done.output
    first, second, *_ = load_built(tmp_path / "new").utterances()
    assert first.captions == ("A cup of mine", "An image of tea.")
    assert second.captions == ("An image of tea.", "", "", "")
    shown = show([Post(1, first.time, first.text, (), first.captions)], "captions")
    assert "> An image of tea." in shown
    facts = [json.loads(row["facts"]) for row in new.rows("comments")]
    assert facts[0]["caption_models"] == ["", "server/eyes@127.0.0.1"]
    assert "caption_models" not in facts[2]


def test_what_a_file_tells_beside_its_picture_is_not_sent(eyes, tmp_path):
    """Two files of one picture, one of which tells a place, are one image to the server, which is asked once."""
    store, media = pictures(tmp_path, "ant", "bee")
    (media / "bee.png").write_bytes(png("ant", chunk(b"tEXt", b"Place\0Cambridge"), chunk(b"eXIf", b"MM\0*")))
    assert caption(store, media, tmp_path / "new", *seeing(eyes)).exit_code == 0
    assert eyes.shown == [png("ant")]


def test_a_model_that_can_describe_nothing(eyes, tmp_path):
    """The word that is asked for then is no caption, is counted, and isn't asked about again; a refusal is, once."""
    store, media = pictures(tmp_path, "ant", "bee", "cat")
    eyes.says = {"bee": "NONE", "cat": "Es tut mir leid, ich kann dieses Bild nicht sehen."}
    assert caption(store, media, tmp_path / "new", *seeing(eyes)).exit_code == 0
    count = Store.open(tmp_path / "new").manifest.stage("captions").counts["images to describe"]
    assert (count.kept, count.dropped) == (
        1,
        {
            "images of which the model could describe nothing": 1,
            "images of which the model spoke of itself, or of no image": 1,
        },
    )
    assert sorted(eyes.shown) == [png("ant"), png("bee"), png("cat"), png("cat")]


def test_a_file_whose_name_is_not_unicode(eyes, tmp_path):
    """It is passed over and counted; under a folder of such a name files are found by the rest of their paths."""
    store, media = pictures(tmp_path, "ant", "bee")
    (media / os.fsdecode(b"caf\xe9.png")).write_bytes(png("no"))
    folder = media / os.fsdecode(b"\xff")
    folder.mkdir()
    (media / "bee.png").rename(folder / "bee.png")
    done = caption(store, media, tmp_path / "new", *seeing(eyes))
    assert done.exit_code == 0, done.output
    assert "1 files whose name isn't UTF-8 (passed over)" in done.output
    stage = Store.open(tmp_path / "new").manifest.stage("captions")
    assert stage.counts["images to describe"].kept == 2
    assert stage.notes == {"files whose name isn't UTF-8 (passed over)": 1}


def test_no_file_and_no_file_name_is_in_the_corpus(album, eyes, tmp_path):
    """The new corpus holds no image and no path of the archive, and nothing in it looks like a user's name."""
    store, media = album
    caption(store, media, tmp_path / "new", *seeing(eyes))
    files = [path for path in (tmp_path / "new").rglob("*") if path.is_file()]
    assert not [path for path in files if begins_as_image(path)]
    new = Store.open(tmp_path / "new")
    assert not list(check_names(new))
    said = "".join(str(row) for table in new.manifest.tables for row in new.rows(table))
    assert "tea." in said
    assert not [name for name in ("tea2", "gone", "secret", "img/") if name in said]


def test_a_repeat_asks_nothing(album, eyes, tmp_path):
    """The same command again, and one over the captioned corpus, make no call about an image; its captions are kept."""
    store, media = album
    caption(store, media, tmp_path / "new", *seeing(eyes))
    asked = len(eyes.shown)
    assert caption(store, media, tmp_path / "again", *seeing(eyes)).exit_code == 0
    assert Store.open(tmp_path / "again").manifest.digest == Store.open(tmp_path / "new").manifest.digest
    assert caption(Store.open(tmp_path / "new"), media, tmp_path / "twice", *seeing(eyes, "other")).exit_code == 0
    assert len(eyes.shown) == asked
    stage = Store.open(tmp_path / "twice").manifest.stage("captions")
    assert stage.notes["images captioned by a model before (kept)"] == 2
    assert stage.counts["images to describe"].kept == 0


def pictures(tmp_path, *marks):
    """A corpus whose posts have an image each, and the folder."""
    (tmp_path / "m").mkdir()
    rows = "".join(f"ada,{n},2025-05-01T10:0{n}:00Z,x,{mark}.png\n" for n, mark in enumerate(marks))
    (tmp_path / "posts.csv").write_text("user,id,time,text,media\n" + rows)
    for mark in marks:
        (tmp_path / "m" / f"{mark}.png").write_bytes(png(mark))
    return corpus(f"csv:{tmp_path / 'posts.csv'}", tmp_path / "plain"), tmp_path / "m"


def test_an_interrupted_pass_goes_on(eyes, tmp_path):
    """A server that gives up in the middle leaves nothing at the name; the same command asks only what is missing."""
    store, media = pictures(tmp_path, "ant", "bee", "cat")
    eyes.fails_after = 2
    stopped = caption(store, media, tmp_path / "new", *seeing(eyes), "llm.pool.concurrency=1")
    assert stopped.exit_code != 0
    assert "HTTP 401" in stopped.output
    assert not (tmp_path / "new").exists()
    eyes.fails_after = None
    assert caption(store, media, tmp_path / "new", *seeing(eyes), "llm.pool.concurrency=1").exit_code == 0
    assert sorted(eyes.shown) == [png("ant"), png("bee"), png("cat")]
    assert [event.captions for event in load_built(tmp_path / "new").utterances()] == [
        ("An image of ant.",), ("An image of bee.",), ("An image of cat.",),
    ]  # fmt: skip


def test_one_image_that_a_server_refuses(eyes, tmp_path):
    """An image that the server can't take costs itself alone."""
    store, media = pictures(tmp_path, "ant", "bee", "cat")
    eyes.refuses = ("bee",)
    assert caption(store, media, tmp_path / "new", *seeing(eyes)).exit_code == 0
    count = Store.open(tmp_path / "new").manifest.stage("captions").counts["images to describe"]
    assert (count.kept, count.dropped) == (2, {"images that the server refused": 1})


def test_who_does_not_see_says_so_before_an_image_is_sent(eyes, tmp_path):
    """A server without eyes is told by a grey square; nobody's image is sent, and nothing is written."""
    store, media = pictures(tmp_path, "ant")
    eyes.sight = False
    done = caption(store, media, tmp_path / "new", *seeing(eyes))
    assert done.exit_code != 0
    assert "takes no images" in done.output
    assert "take a model that sees" in done.output
    assert not eyes.shown
    assert not (tmp_path / "new").exists()


def test_a_backend_that_reads_text_alone(tmp_path):
    """A backend that takes no images says what to take instead, before any call."""

    class Blind(ScriptedModel):
        name, sees = "blind", False

    pool = Pool(Blind())
    with pytest.raises(
        ModelError, match=r"blind reads text alone; take a model that sees, by llm=server or llm=litellm"
    ):
        Captioner(pool, MediaFolder(tmp_path, b"a salt of tests", ()))
    assert pool.counters.attempts == 0


def test_another_salt_or_no_folder(tmp_path, monkeypatch):
    """Without the salt of the build no image can be told; without the folder there is none."""
    store, media = pictures(tmp_path, "ant")
    assert "no folder there" in caption(store, tmp_path / "nowhere", tmp_path / "new", "llm=scripted").output
    monkeypatch.setenv("FOLKMOOT_SALT", "quite another salt")
    done = caption(store, media, tmp_path / "new", "llm=scripted")
    assert done.exit_code != 0
    assert "another salt" in done.output
    (tmp_path / "salt").write_text("a salt for the tests of captions")
    assert caption(store, media, tmp_path / "new", "llm=scripted", "--salt-file", str(tmp_path / "salt")).exit_code == 0


@pytest.mark.parametrize("inner", ["", "media_attachments", "media_attachments/files"])
def test_mastodon(outbox, tmp_path, inner):
    """Media of an outbox are found from the archive, a folder above, or the folder of media; a video by its cover."""
    address = "/bucket/media_attachments/files/1/original"
    media = [
        {"mediaType": "image/png", "name": None, "url": f"{address}/a.png"},
        {"mediaType": "video/mp4", "name": None, "url": f"https://moot.example{address}/b.mp4"},
        {"mediaType": "video/mp4", "name": None, "url": f"{address}/c.mp4"},
    ]
    box = outbox(create(1, "<p>Look</p>", attachment=media))
    folder = tmp_path / "archive" / "media_attachments" / "files" / "1" / "original"
    folder.mkdir(parents=True)
    for name, data in (("a.png", png("a")), ("b.mp4", b"\0\0\0 ftyp"), ("b.png", png("b")), ("c.mp4", b"\0\0\0 ftyp")):
        (folder / name).write_bytes(data)
    store = corpus(f"mastodon:{box}", tmp_path / "plain")
    assert caption(store, tmp_path / "archive" / inner, tmp_path / "new", "llm=scripted").exit_code == 0
    [post] = load_built(tmp_path / "new").utterances()
    assert [bool(each) for each in post.captions] == [True, True, False]
    count = Store.open(tmp_path / "new").manifest.stage("captions").counts["images to describe"]
    assert count.dropped == {"images that are no JPEG, PNG, GIF or WebP": 1}


def test_x(ytd, tmp_path):
    """Media of X lie in tweets_media under the post's id; a moving image's cover under the name of the film."""
    media = [
        {"type": "photo", "url": "https://t.co/m", "media_url_https": "https://pbs.twimg.example/media/Ga.jpg"},
        {
            "type": "animated_gif",
            "url": "https://t.co/m",
            "media_url_https": "https://p.example/tweet_video_thumb/Gb.jpg",
        },
    ]
    path = ytd(tweet(7, "Look https://t.co/m", extended_entities={"media": media}))
    folder = path.parent / "tweets_media"
    folder.mkdir()
    for name, data in (("7-Ga.jpg", jpeg("a")), ("7-Gb.mp4", b"film"), ("7-Gb.jpg", jpeg("b"))):
        (folder / name).write_bytes(data)
    store = corpus(f"x:{path}", tmp_path / "plain")
    assert caption(store, path.parent, tmp_path / "new", "llm=scripted").exit_code == 0
    [post] = load_built(tmp_path / "new").utterances()
    assert all(each.startswith("An image about ") for each in post.captions)
    assert len(set(post.captions)) == 2
