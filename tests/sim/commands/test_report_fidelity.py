"""`folkmoot report persona_fidelity`: tables and violins of several runs."""

import json

import pytest

from folkmoot.sim.commands.api import run
from folkmoot.sim.commands.report import report
from folkmoot.sim.errors import ConfigError, LogError


@pytest.fixture
def runs(tmp_path):
    """The same small benchmark with one and with six orders, and a comparing judge."""
    items = [
        {
            "case_id": f"g{k}_{'pos' if n == 0 else f'neg_{n}'}",
            "profile": f"Personality: kind{k} & <b>odd_{k}</b>",
            "response": f"Reply {n} of {k}.",
            "label": int(n == 0),
        }
        for k in range(12)
        for n in range(3)
    ]
    data = tmp_path / "bench.json"
    data.write_text(json.dumps(items), encoding="utf-8")
    asked = ["experiment=persona_fidelity", f"data={data}", "llm=scripted", "tracking=none", "live=off"]
    for name, more in {"a": [], "b": ["permutations=6"], "c": ["method=pairwise"]}.items():
        run([*asked, *more], tmp_path / "runs" / name)
    return tmp_path / "runs"


def test_report_has_every_table_that_the_runs_give(runs, tmp_path):
    """Main, dimension and position tables, as Markdown, CSV and LaTeX, and violins; equal runs give equal bytes."""
    out = tmp_path / "out"
    written = report("persona_fidelity", [runs], out)
    names = {path.name for path in written}
    for table in ("main", "dimensions", "position"):
        assert {f"{table}.md", f"{table}.csv", f"{table}.tex"} <= names
    assert {"scores.png", "scores.svg", "report.md"} <= names
    main = (out / "tables" / "main.csv").read_text(encoding="utf-8")
    assert "prism (6 orders)" in main
    assert main.count("\n") == 4
    page = (out / "report.md").read_bytes()
    first = (out / "figures" / "scores.svg").read_bytes()
    report("persona_fidelity", [runs], out)
    assert (out / "report.md").read_bytes() == page
    assert (out / "figures" / "scores.svg").read_bytes() == first


def test_a_cell_without_a_result_is_named_and_left_out(runs, tmp_path):
    """One failed cell of a grid doesn't keep the others from being reported; with none left it is an error."""
    (runs / "b" / "summary.json").unlink()
    report("persona_fidelity", [runs], tmp_path / "out")
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "2 runs." in page
    assert "Left out, without a result: b." in page
    with pytest.raises(LogError, match="none of 1 runs has a result"):
        report("persona_fidelity", [runs / "b"], tmp_path / "none")


def test_pairwise_has_no_auc_in_the_table(runs, tmp_path):
    """A method without a score an item leaves the AUC cell empty instead of making one up."""
    report("persona_fidelity", [runs / "c"], tmp_path / "out")
    header, row = (tmp_path / "out/tables/main.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=True))
    assert cells["AUC"] == ""
    assert cells["P-AUC"] != ""


def test_runs_of_another_experiment_are_refused(tmp_path):
    """A community's run has no place in this report."""
    done = run(
        ["llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.1", "monitor=[acts]"],
        tmp_path / "r",
    )
    with pytest.raises(ConfigError, match="give runs of persona_fidelity"):
        report("persona_fidelity", [done.run.path], tmp_path / "out")
