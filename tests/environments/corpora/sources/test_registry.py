"""What `--from` may name, and what is said where it names nothing that can be read."""

import pytest

from folkmoot.environments.corpora.sources.registry import SCHEMES, Request, open_source
from folkmoot.sim.errors import ConfigError, CorpusError


@pytest.mark.parametrize(
    "value", ["", " ", *(f"{scheme}:" for scheme in SCHEMES if not scheme.startswith("http")), "x: "]
)
def test_nothing_is_no_folder(value, tmp_path, monkeypatch):
    """A variable that isn't set never makes a corpus of the folder that one happens to be in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outbox.json").write_text("{}")
    (tmp_path / "page.txt").write_text("== A ==\n")
    with pytest.raises(ConfigError, match=f"^--from '{value}' names nothing to read .*unset.*give a path"):
        open_source(value, Request(value="", language="en"))


@pytest.mark.parametrize("value", ["mastodon:{0},", "mastodon:{0},,x:a.js", "mastodon:{0},x:", "mastodon:,{0}"])
def test_nothing_among_several(value, tmp_path):
    """Nor does an empty one of several archives."""
    with pytest.raises(ConfigError, match="names no archive"):
        open_source(value.format(tmp_path / "a.outbox.json"), Request(value="", language="en"))


@pytest.mark.parametrize(
    ("value", "options", "says"),
    [
        ("csv:{}", {}, "is a folder; a table of posts is one file"),
        ("jsonl:{}/none.jsonl", {}, "no archive there; check the path"),
        ("csv:{}/posts.csv", {"follows": "none.csv"}, "none.csv: no table there; check --follows"),
        ("csv:{}/posts.csv", {"users": "none.csv"}, "none.csv: no table there; check --option users"),
        ("demo_feed:xx", {}, "no demo feed in 'xx'; known: 'en'"),
    ],
)
def test_what_is_not_there(value, options, says, tmp_path):
    """A path that names no such file is told before anything is read or written, with the way out."""
    (tmp_path / "posts.csv").write_text("user,time,text\n")
    with pytest.raises(CorpusError, match=says):
        open_source(value.format(tmp_path), Request(value="", language="en", options=options))


def test_the_encoding_of_tables_is_an_option(tmp_path):
    """The option that a message names is one that the source takes."""
    (tmp_path / "posts.csv").write_bytes("user,time,text\nada,1746093600,Käse\n".encode("latin-1"))
    request = Request(value="", language="de", options={"encoding": "latin-1"})
    [thread] = open_source(f"csv:{tmp_path}/posts.csv", request).threads()
    assert thread.comments[0].text == "Käse"
