"""The review sheet: drawn by the seed, safe in a spreadsheet, tallied with intervals."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from folkmoot.environments.corpora.audit import COLUMNS, read_sheet, sheet_rows, tally, write_sheet
from folkmoot.environments.corpora.audit.tally import wilson
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import TRAITS, Persona, Trait

SALT = b"a salt for tests only"
PEOPLE = [pseudonym(name, SALT) for name in ("Ada Lovely", "Bob the 2nd", "Dora")]
TRAIT = {"policy_usage": Trait(values=("Occasional citation",), reasoning="-2+3 is a formula")}


@pytest.fixture
def store(small_store):
    """The small wiki with personas."""
    small_store.write_personas([Persona(id=u, language="en", profile=f"=1+{u}", traits=TRAIT) for u in PEOPLE])
    return small_store


def _filled(path, answers):
    rows = [
        {"corpus": c, "user": u, "faithfulness": f, "trait_coherence": t, "privacy": p} for c, u, f, t, p in answers
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_sheet(store, tmp_path):
    """A row a drawn user with profile, eight traits and page; no cell is a formula; the rows come back as written."""
    path = tmp_path / "review.csv"
    assert write_sheet(sheet_rows([store], 2, seed=1), path) == 2
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["user"] for row in rows} < set(PEOPLE)
    for row in rows:
        assert row["profile"].startswith("'=1+")
        assert row["policy_usage_reasoning"] == "'-2+3 is a formula"
        assert row["page"]
        assert all(name in row for name in TRAITS)
        assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@")) for cell in row.values())
    assert all(row["faithfulness"] == "" for row in read_sheet(path))


def test_draw_is_fixed_by_the_seed(store):
    """The same seed draws the same users; enough seeds draw every user."""
    draws = [tuple(row["user"] for row in sheet_rows([store], 1, seed)) for seed in range(20)]
    assert draws == [tuple(row["user"] for row in sheet_rows([store], 1, seed)) for seed in range(20)]
    assert {user for draw in draws for user in draw} == set(PEOPLE)


def test_nobody_to_review(small_store):
    """A corpus without profiles says what to do."""
    with pytest.raises(CorpusError, match="0 users with a profile"):
        list(sheet_rows([small_store]))


def test_tally(tmp_path):
    """Counts by corpus and question, blanks aside, several spellings, and the sum of all corpora."""
    path = _filled(
        tmp_path / "filled.csv",
        [("de", "a", "Ja", "partly", "no"), ("de", "b", "yes", "", "yes"), ("en", "c", "1", "teilweise", "y"), ("en", "d", "nein", "n", "YES ")],
    )  # fmt: skip
    judged = {(j.corpus, j.question): j for j in tally(read_sheet(path))}
    faith = judged["all", "faithfulness"]
    assert (dict(faith.answers), faith.blank, faith.n, faith.share) == ({"yes": 3, "no": 1}, 0, 4, 0.75)
    assert judged["de", "trait_coherence"].blank == 1
    assert judged["en", "privacy"].share == 1.0
    assert "75% yes" in faith.line()
    assert len(judged) == 9


def test_semicolons_are_read(tmp_path):
    """Spreadsheets of half of Europe write semicolons."""
    path = tmp_path / "filled.csv"
    path.write_text("\ufeffcorpus;user;faithfulness;trait_coherence;privacy\nde;a;ja;nein;ja\n", encoding="utf-8")
    assert tally(read_sheet(path))[0].share == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus,user,faithfulness,privacy\n", "no column 'trait_coherence'"),
        ("corpus,user,faithfulness,trait_coherence,privacy\nde,a,perhaps,,\n", "row 2, faithfulness: 'perhaps' is no answer"),
        ("corpus,user,faithfulness,trait_coherence,privacy\nde,a,,,\nde,a,,,\n", "row 3: user a stands twice"),
        ("", "no column 'corpus'"),
    ],
)  # fmt: skip
def test_bad_sheets(tmp_path, text, message):
    """A sheet that can't be read says where and why."""
    path = tmp_path / "filled.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=message):
        read_sheet(path)


@given(st.integers(0, 40), st.integers(0, 40))
def test_interval_against_scipy(count, more):
    """Wilson's interval as scipy has it."""
    total = count + more
    if not total:
        assert wilson(0, 0) == (0.0, 1.0)
        return
    want = binomtest(count, total).proportion_ci(method="wilson")
    assert wilson(count, total) == pytest.approx((want.low, want.high), abs=1e-12)
