"""`folkmoot fidelity sheets` and `humans`: a study given out, filled and read, beside a run on the same benchmark."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from folkmoot.metrics.fidelity.sheets import COLUMNS
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.sim.__main__ import app
from folkmoot.sim.commands.api import run


def folkmoot(*arguments):
    """Exit code and output of the command line."""
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, result.output


@pytest.fixture
def data(tmp_path):
    """A benchmark of eight pairs."""
    items = [
        {
            "case_id": f"g{k}_{'neg_x' if n else 'pos'}",
            "profile": f"Big Five: Openness = {'low' if n else 'high'}.",
            "response": f"+Reply {k}",
            "label": 1 - n,
        }
        for k in range(8)
        for n in (0, 1)
    ]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


def fill(path):
    """Rate by the persona shown, and choose the first description always."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    for row in rows:
        row["fidelity"] = "5" if "high" in row["persona"] else "2"
        row.update(dict.fromkeys(DIMENSIONS, "a"))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def test_a_study_from_sheets_to_tables(data, tmp_path):
    """Sheets go out for three people and come back; the report holds agreement, separation and how a run fits them."""
    study, out = tmp_path / "study", tmp_path / "report"
    code, output = folkmoot("fidelity", "sheets", data, "--out", study, "--groups", 6)
    assert code == 0, output
    assert "pairs: 6 groups" in output
    assert "12 responses on 3 sheets" in output
    for annotator in (1, 2, 3):
        fill(study / f"annotator_{annotator}.csv")
    asked = ["experiment=persona_fidelity", f"data={data}", "llm=scripted", "tracking=none", "live=off"]
    done = run(asked, tmp_path / "run")
    code, output = folkmoot("fidelity", "humans", study, done.run.path, "--out", out)
    assert code == 0, output
    assert "| pairs | fidelity | 1.000 [1.000, 1.000]" in output
    assert "| pairs | 1.000 [1.000, 1.000]" in output
    assert "prism, seed 1" in output
    assert (out / "humans.md").read_text(encoding="utf-8") in output
    assert {path.name for path in (out / "tables").iterdir()} >= {"annotators.md", "humans.csv", "diagnosis.tex"}


def test_a_study_is_not_overwritten(data, tmp_path):
    """Sheets that are there, filled or not, are replaced only when asked; bad sheets end with one message."""
    study = tmp_path / "study"
    assert folkmoot("fidelity", "sheets", data, "--out", study)[0] == 0
    code, output = folkmoot("fidelity", "sheets", data, "--out", study)
    assert code == 2
    assert "--force" in output
    assert folkmoot("fidelity", "sheets", data, "--out", study, "--force")[0] == 0
    (study / "annotator_2.csv").unlink()
    code, output = folkmoot("fidelity", "humans", study)
    assert code == 2
    assert "0 answers" in output
