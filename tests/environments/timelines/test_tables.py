"""Tables of posts and users by the documented columns, and tables of who follows whom."""

import json

import pytest
from tests.environments.timelines.conftest import limits

from folkmoot.environments.corpora.timelines.edges import OWN, TWICE, UNKNOWN, read_edges
from folkmoot.environments.corpora.timelines.tables import UNKNOWN_FORM, Table
from folkmoot.sim.errors import CorpusError

HEAD = "user,id,time,text,form,of,to,captions,hashtags,visibility\n"


@pytest.fixture
def table(tmp_path):
    """Writes a file and gives its path."""

    def write(text, name="posts.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_csv(table):
    """Lists are separated by |, hashtags are found in the text where no column has them, times in any known form."""
    path = table(
        HEAD
        + "ada,1,2025-05-01T10:00:00Z,Tea #green,,,,A cup | ,,\n"
        + "bo,2,1746093600,So,reply,1,ada,,,public\n"
        + "ada,3,2025-05-01 12:00:00,,repost,2,bo,,,\n"
    )
    ada, bo = Table(path, limits()).timelines()
    first, second = ada.posts
    assert (first.captions, first.hashtags, first.form) == (("A cup", ""), ("green",), "post")
    assert (second.form, second.of, second.text) == ("repost", "2", "")
    assert (second.captions, bo.posts[0].captions) == ((), ())  # an empty cell is no image
    assert (bo.posts[0].form, bo.posts[0].of, bo.posts[0].to, bo.posts[0].time) == ("reply", "1", "ada", 1746093600000)


def test_forms(table):
    """A form is known by its name in any case; without one `of` and `to` tell; another word is counted, with its line."""
    told = ({"form": " Quote "}, {"form": "tweet", "of": "9"}, {"form": 7}, {"form": " "}, {"to": "bo"}, {})
    rows = [{"user": "ada", "id": str(n), "time": "2025-05-01", "text": "x"} | says for n, says in enumerate(told)]
    path = table("\n".join(map(json.dumps, rows)), "posts.jsonl")
    [timeline] = Table(path, limits()).timelines()
    assert [post.form for post in timeline.posts] == ["quote", "reply", "post", "post", "reply", "post"]
    assert timeline.losses[f"{UNKNOWN_FORM} (lines 2, 3)"] == 2


def test_json_lines_and_users(table):
    """Lists are lists there; the table of users gives descriptions and counts, and what is wrong in it is unknown."""
    rows = [{"user": "ada", "time": "2025-05-01", "text": "Tea", "captions": ["A cup", ""], "mentions": ["bo"]}]
    posts = table("\n".join(map(json.dumps, rows)), "posts.jsonl")
    users = table("user,about,followers,followees\nada,I brew,10,few\n", "users.csv")
    [timeline] = Table(posts, limits(), users).timelines()
    assert timeline.posts[0].captions == ("A cup", "")
    assert timeline.posts[0].mentions == ("bo",)
    assert (timeline.about, timeline.followers, timeline.followees) == ("I brew", 10, None)


def test_another_encoding(table):
    """Rows that aren't UTF-8 are counted and the option named; with it they are read, users' too."""
    posts, users = (table("", name) for name in ("posts.csv", "users.csv"))
    posts.write_bytes("user,time,text\nada,1746093600,Tea\nada,1746093601,Käse\n".encode("latin-1"))
    users.write_bytes("user,about\nada,Bäckerin\n".encode("latin-1"))
    [timeline] = Table(posts, limits()).timelines()
    assert [post.text for post in timeline.posts] == ["Tea"]
    assert timeline.losses["rows that aren't UTF-8 (the option encoding= names another one) (line 3)"] == 1
    [timeline] = Table(posts, limits(), users, "latin-1").timelines()
    assert [post.text for post in timeline.posts] == ["Tea", "Käse"]
    assert timeline.about == "Bäckerin"


def test_media(table):
    """Paths of images stand beside their captions; an image without a caption is told by its path alone."""
    path = table("user,time,text,captions,media\nada,1746093600,x,A cup,img/a.jpg | https://a.example/b.png\n")
    [timeline] = Table(path, limits()).timelines()
    assert (timeline.posts[0].captions, timeline.posts[0].media) == (("A cup", ""), ("img/a.jpg", "b.png"))


def test_visibility(table):
    """Unlisted posts and others that aren't public are left out and counted."""
    scopes = ("", "public", "unlisted", "followers")
    path = table(HEAD + "".join(f"ada,{n},2025-05-01,x,,,,,,{scope}\n" for n, scope in enumerate(scopes)))
    [timeline] = Table(path, limits()).timelines()
    assert len(timeline.posts) == 2
    assert (timeline.losses["unlisted posts"], timeline.losses["posts that aren't public"]) == (1, 1)


def test_rows_that_cannot_be_read(table):
    """A row of too few fields, without a user, without a time or of an id that came before costs itself alone."""
    path = table(
        HEAD + "ada,1,2025-05-01,x,,,,,,\nada,2\n,3,2025-05-01,x,,,,,,\nada,4,soon,x,,,,,,\nada,1,2025-05-01,y,,,,,,\n"
    )
    [timeline] = Table(path, limits()).timelines()
    assert [post.text for post in timeline.posts] == ["x"]
    assert timeline.losses["rows with more or fewer fields than the 10 columns (line 3)"] == 1
    assert timeline.losses["rows without a user (line 4)"] == 1
    assert timeline.losses["posts without a date that can be read"] == 1
    assert timeline.losses["posts whose id was there already"] == 1


def test_columns(table):
    """A missing or misspelled column is named with the one that was meant."""
    with pytest.raises(CorpusError, match="no column 'time'"):
        list(Table(table("user,text\nada,x\n"), limits()).timelines())
    with pytest.raises(CorpusError, match="did you mean 'captions'"):
        list(Table(table("user,time,text,caption\nada,1,x,y\n"), limits()).timelines())
    with pytest.raises(CorpusError, match="no post of anybody"):
        list(Table(table("user,time,text\n"), limits()).timelines())


def test_edges(table):
    """Edges of unknown users, of a user with themself, and those that come twice are dropped and counted."""
    path = table("follower,followed\nada,bo\nada,ada\nada,cleo\nbo,ada\nada,bo\n@bo,ada\nada,\n", "edges.csv")
    edges, losses = read_edges([("bo", "ada")], path, {"ada", "bo"})
    assert edges == [("bo", "ada"), ("ada", "bo")]
    assert losses == {OWN: 1, UNKNOWN: 1, TWICE: 3, "edges without both users (line 8)": 1}


def test_no_table_of_edges(tmp_path):
    """A table of edges that isn't there is named."""
    with pytest.raises(CorpusError, match="check --follows"):
        read_edges([], tmp_path / "none.csv", {"ada"})
