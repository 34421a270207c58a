"""`folkmoot annotators validate` and `folkmoot bertscore baseline`, through the command line."""

import json

import pytest
from typer.testing import CliRunner

from folkmoot.metrics.annotators.base import ACTS
from folkmoot.metrics.bertscore.baseline import read_baselines
from folkmoot.sim.__main__ import app
from folkmoot.sim.commands.baselines import make_baselines
from folkmoot.sim.commands.validating import validate_set
from folkmoot.sim.errors import ConfigError

ROWS = [
    {"text": "Done, thanks.", "language": "en", "sewd": ["PPC", "ATT+"], "sentiment": 4},
    {"text": "Where is the source?", "language": "en", "context": ["Done"], "acts": ["ASK"], "sentiment": 3},
    {"text": "Odd.", "language": "en"},
]


@pytest.fixture
def labelled(tmp_path):
    """A small labelled set."""
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n")
    return path


@pytest.mark.embedded
def test_validation_of_the_embedded_head(labelled, tmp_path):
    """The report tells micro-F1, each label and the confusion; the JSON holds the same numbers for each width."""
    out = tmp_path / "numbers.json"
    done = CliRunner().invoke(app, ["annotators", "validate", str(labelled), "--widths", "all,0", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "2 comments; 1 passed over" in done.output
    assert "reads the comment alone" in done.output
    numbers = json.loads(out.read_text())
    assert list(numbers["widths"]) == ["all before", "0 before"]
    first = numbers["widths"]["all before"]
    assert f"micro-F1 | {first['micro_f1']['value']:.3f}" in done.output
    assert list(first["labels"]) == list(ACTS)
    assert (first["n"], first["labels"]["ASK"]["gold"]) == (2, 1)


@pytest.mark.embedded
def test_validation_of_sentiment(labelled):
    """Another role reads the set's points."""
    report = validate_set(str(labelled), [], role="sentiment", widths="0", out=None)
    assert "embedded-sentiment" in report
    assert "| positive |" in report


@pytest.mark.parametrize(
    ("role", "widths", "overrides", "message"),
    [
        ("mood", "0", [], "did you mean|known"),
        ("acts", "some", [], "context width 'some'"),
        ("acts", "0", ["annotator=scripted"], "its own texts alone"),
    ],
)
def test_what_cannot_be_validated_is_refused(labelled, role, widths, overrides, message):
    """Unknown roles and widths and the scripted annotator are refused with the way out."""
    with pytest.raises(ConfigError, match=message):
        validate_set(str(labelled), overrides, role=role, widths=widths, out=None)


@pytest.mark.embedded
def test_a_baseline_of_own_texts(tmp_path):
    """Random pairs of a file's texts give P, R and F under 1 for the layer asked; the file is added to."""
    texts, out = tmp_path / "texts.jsonl", tmp_path / "baselines.json"
    rows = ["Where is it?", "I moved the page.", "The river is long.", "Thanks a lot!"]
    texts.write_text("\n".join(json.dumps({"text": row}) for row in rows))
    call = ["bertscore", "baseline", "--texts", str(texts), "--language", "en", "--layers", "2", "--out", str(out)]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.output
    [one] = read_baselines(out)
    assert (one.layer, one.language, one.pairs) == (2, "en", 12)
    assert 0 < one.f < 1
    assert one.precision == pytest.approx(one.recall, abs=1e-5)  # each pair is there both ways round


def test_baselines_refuse_what_they_cannot_use(tmp_path):
    """Files without a language are refused before anything is loaded."""
    with pytest.raises(ConfigError, match="--language"):
        make_baselines([], [tmp_path / "x.jsonl"], None, layers="all", pairs=10, seed=1, out=tmp_path / "y.json")
