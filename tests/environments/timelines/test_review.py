"""The review of accounts: whom people take out is in no run, counted by verdict, and can come back."""

import csv
import io

import pytest
from tests.environments.timelines.conftest import create

from folkmoot.environments.corpora.built import load_built
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.timelines.review import COLUMNS
from folkmoot.sim.commands.corpus_accounts import read_sheet, write_sheet
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.feed import Followed

HEAD = "user,id,time,text,form,of,captions\n"
ROWS = (
    "ada,1,2025-05-01T10:00:00Z,Tea at four,,,A cup\n"
    "shop,2,2025-05-01T11:00:00Z,=Buy now!,reply,1,\n"
    "ada,3,2025-05-01T12:00:00Z,No thanks,reply,2,\n"
    "bo,4,2025-05-01T13:00:00Z,,repost,1,\n"
)


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Three accounts of a table, one of them a shop."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for the tests of reviews")
    table, edges = tmp_path / "posts.csv", tmp_path / "edges.csv"
    table.write_text(HEAD + ROWS)
    edges.write_text("follower,followed\nada,shop\nbo,ada\n")
    options = {"until": "2025-06-01", "follows": str(edges)}
    build(BuildSettings(source=f"csv:{table}", out=tmp_path / "out", lang="en", options=options))
    return tmp_path / "out"


def rows_of(sheet):
    """The rows of a sheet."""
    return list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"), newline="")))


def fill(sheet, verdicts, **changes):
    """Write the sheet anew with these verdicts, by the text of the latest post."""
    rows = rows_of(sheet)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in rows:
            told = next((verdict for text, verdict in verdicts.items() if text in row["latest"]), "")
            writer.writerow({**row, "verdict": told, **changes})


def test_a_sheet_tells_of_each_account(corpus, tmp_path):
    """Figures and latest posts stand in a row an account; what could be a formula is made safe."""
    told = write_sheet(corpus, tmp_path / "accounts.csv")
    rows = rows_of(tmp_path / "accounts.csv")
    assert told.startswith("3 accounts")
    assert sorted((row["posts"], row["repost_share"], row["image_share"], row["followers"]) for row in rows) == [
        ("1", "0.000", "0.000", "unknown"),
        ("1", "1.000", "0.000", "unknown"),
        ("2", "0.000", "0.500", "unknown"),
    ]
    assert "'=Buy now!" in {row["latest"] for row in rows}


def test_who_is_taken_out(corpus, tmp_path):
    """An account judged commercial has no post, follow or persona in a run; answers to it stand by themselves."""
    sheet = tmp_path / "accounts.csv"
    write_sheet(corpus, sheet)
    before = load_built(corpus)
    fill(sheet, {"Buy": "commercial"})
    assert "1 accounts judged commercial" in read_sheet(corpus, sheet)
    after = load_built(corpus)
    assert len(before.personas) - len(after.personas) == 1
    assert after.losses["posts of accounts judged commercial"] == 1
    assert after.losses["follows of users without a post in the corpus"] == 1
    assert sum(isinstance(event, Followed) for event in after.events) == 1
    assert [e.text for e in after.utterances()] == ["Tea at four", "No thanks", ""]
    answer = next(e for e in after.utterances() if e.text == "No thanks")
    assert (answer.form, answer.parent) == ("reply", None)
    assert after.digest != before.digest
    fill(sheet, {})
    read_sheet(corpus, sheet)
    assert load_built(corpus).digest == before.digest


@pytest.mark.parametrize(
    ("verdicts", "changes", "says"),
    [
        ({"Buy": "comercial"}, {}, "did you mean 'commercial'"),
        ({}, {"user": "somebody"}, "no account 'somebody'"),
    ],
)
def test_wrong_sheets(corpus, tmp_path, verdicts, changes, says):
    """A verdict or a user that isn't known is refused with its row, and nothing is noted."""
    sheet = tmp_path / "accounts.csv"
    write_sheet(corpus, sheet)
    fill(sheet, verdicts, **changes)
    with pytest.raises(CorpusError, match=says):
        read_sheet(corpus, sheet)
    assert len(load_built(corpus).personas) == 3


def test_someone_twice(corpus, tmp_path):
    """A user who stands twice in a sheet is refused."""
    sheet = tmp_path / "accounts.csv"
    write_sheet(corpus, sheet)
    lines = sheet.read_text(encoding="utf-8").splitlines(keepends=True)
    sheet.write_text("".join([*lines, lines[-1]]), encoding="utf-8")
    with pytest.raises(CorpusError, match="stands twice"):
        read_sheet(corpus, sheet)


def test_one_archive_is_enough(outbox, tmp_path):
    """A corpus of one account has a sheet of one row."""
    build(BuildSettings(source=f"mastodon:{outbox(create(1, 'tea'))}", out=tmp_path / "one", lang="en"))
    assert write_sheet(tmp_path / "one", tmp_path / "one.csv").startswith("1 accounts")
