"""The persona_fidelity experiment: a run's folder, its resumption, and what it refuses."""

import json
from collections import Counter

import pytest

from folkmoot.metrics.fidelity.building import build_traits, read_written, write_benchmark
from folkmoot.sim.commands.api import replay, resume, run
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.experiments.persona_fidelity import ITEMS, read_items

FILES = ("big5_persona_easy", "big5_persona_hard", "social_persona")
QUICK = ["experiment=persona_fidelity", "llm=scripted", "tracking=none", "live=off"]


@pytest.fixture
def data(tmp_path):
    """A small benchmark."""
    items = [
        {
            "case_id": f"g{k}_{'pos' if k == n else f'neg_{n}'}",
            "profile": f"Personality: kind{k}",
            "response": f"Reply {n}.",
            "label": int(k == n),
        }
        for k in range(9)
        for n in (k, k + 1, k + 2)
    ]
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["prism", "vanilla", "cot", "pairwise"])
def test_every_method_runs_or_says_why(data, tmp_path, method):
    """Each method ends with its numbers in the summary, or with an error that counts what could not be read."""
    asked = [*QUICK, f"data={data}", f"method={method}", "rubric=7", "permutations=2"]
    if method in {"vanilla", "cot"}:  # the scripted model writes comments, no scores
        with pytest.raises(Exception, match="27 items were asked about: 27 unreadable answers"):
            run(asked, tmp_path / "run")
        return
    result = run(asked, tmp_path / "run")
    numbers = result.summary["fidelity"]
    assert (numbers["groups"], numbers["items"]) == (9, 27)
    assert 0 <= numbers["pair_auc"]["low"] <= numbers["pair_auc"]["value"] <= numbers["pair_auc"]["high"] <= 1
    assert result.exit_code == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["fidelity"] == numbers


def test_resume_goes_on_behind_the_last_whole_group(data, tmp_path):
    """A run that was cut off in a group scores that group and what follows, and ends with the same items and numbers."""
    whole = run([*QUICK, f"data={data}"], tmp_path / "run")
    items = (tmp_path / "run" / ITEMS).read_bytes()
    lines = items.splitlines(keepends=True)
    (tmp_path / "run" / ITEMS).write_bytes(b"".join(lines[:10]) + lines[10][:20])
    (tmp_path / "run" / "summary.json").unlink()
    again = resume(tmp_path / "run")
    assert (tmp_path / "run" / ITEMS).read_bytes() == items
    assert again.summary["fidelity"] == whole.summary["fidelity"]
    assert len(read_items(whole.run)) == 27


def test_groups_are_drawn_by_seed(data, tmp_path):
    """max_groups takes whole groups, the same for the same seed."""
    first = run([*QUICK, f"data={data}", "experiment.max_groups=4"], tmp_path / "a")
    same = run([*QUICK, f"data={data}", "experiment.max_groups=4"], tmp_path / "b")
    assert read_items(first.run) == read_items(same.run)
    assert first.summary["fidelity"]["groups"] == 4


def test_dry_run_counts_calls(data, tmp_path):
    """A dry run says how many calls are to come, and makes none."""
    result = run([*QUICK, f"data={data}", "permutations=6", "dry_run=true"], tmp_path / "run")
    assert result.summary["calls_expected"] == 27 * 3 * 6
    assert not (tmp_path / "run" / ITEMS).exists()


def test_refusals_say_the_way_out(data, tmp_path):
    """No data, a damaged file, a method without its model, and a replay are named errors."""
    with pytest.raises(ConfigError, match="data"):
        run(QUICK, tmp_path / "a")
    bad = tmp_path / "bad.json"
    bad.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(CorpusError, match="0 items"):
        run([*QUICK, f"data={bad}"], tmp_path / "b")
    with pytest.raises(ConfigError, match="alignment_model"):
        run([*QUICK, f"data={data}", "method=alignment"], tmp_path / "c")
    done = run([*QUICK, f"data={data}"], tmp_path / "d")
    with pytest.raises(ConfigError, match="no log to replay"):
        replay(done.run.path)


def test_what_a_benchmark_loses_is_told(data, tmp_path):
    """Each reason for which items or groups were left out stands in the summary and among the lines on the screen."""
    items = json.loads(data.read_text(encoding="utf-8"))
    lone = [{**items[0], "case_id": "lone_pos"}, {**items[0], "case_id": "two_pos"}, {**items[0], "case_id": "two"}]
    lost = [{**items[0], "case_id": "empty_pos", "response": " "}, items[3], {"case_id": "x"}]
    data.write_text(json.dumps([*items, *lone, {**items[1], "case_id": "two_neg_1"}, *lost]), encoding="utf-8")
    summary = run([*QUICK, f"data={data}"], tmp_path / "run").summary
    for said in (
        *("1 items with an empty response", "1 duplicate items", "1 items without profile, response, label"),
        *("1 groups without a negative", "1 groups with several positives"),
    ):
        assert any(line.startswith("left out") and said in line for line in summary["lines"]), said


def test_a_changed_benchmark_is_no_resumption(data, tmp_path):
    """A run goes on with the file that it began with; another one is refused before any item is touched."""
    done = run([*QUICK, f"data={data}"], tmp_path / "run")
    before = (tmp_path / "run" / ITEMS).read_bytes()
    data.write_text(data.read_text(encoding="utf-8").replace("Reply 3.", "Another reply."), encoding="utf-8")
    with pytest.raises(CorpusError, match="the run began with"):
        resume(done.run.path)
    assert (tmp_path / "run" / ITEMS).read_bytes() == before


@pytest.mark.embedded
@pytest.mark.shared
def test_dev_files_run_with_the_embedded_model(shared, tmp_path):
    """An item of each released file and of one built from Big5-CHAT's replies gets three distributions of its own.

    Their texts are cut, and they are paired into two groups: how well the model tells them apart isn't looked at.
    """
    source, built = shared / "persona", tmp_path / "built.json"
    dropped = Counter()
    written = read_written(sorted((source / "big5-chat/eval_set").glob("alpha_1.0_*")), dropped)
    write_benchmark(build_traits(written, "easy", groups=4, seed=1, dropped=dropped), built)
    data, mixed = tmp_path / "mixed.jsonl", []
    for k, file in enumerate([built, *(source / f"prism-persona/{name}.dev.json" for name in FILES)]):
        item = json.loads(file.read_text(encoding="utf-8"))[0]
        short = {name: item[name][:60] for name in ("context", "dialogue", "response") if name in item}
        mixed.append(item | short | {"case_id": f"{k % 2}_{'pos' if k < 2 else 'neg_1'}", "label": int(k < 2)})
    data.write_text("".join(json.dumps(item) + "\n" for item in mixed), encoding="utf-8")
    asked = ["experiment=persona_fidelity", "tracking=none", "live=off", "llm.window=320", "llm.cache.mode=off"]
    done = run([*asked, f"data={data}"], tmp_path / "run")
    lines = read_items(done.run)
    assert done.summary["fidelity"]["groups"] == 2
    assert len(lines) == 4
    assert all(sum(q) == pytest.approx(1) for line in lines for q in line.q.values())
    assert len({line.score for line in lines}) == 4


def test_a_benchmark_of_another_name_is_told(data, tmp_path):
    """A file that isn't the benchmark named says so in the result's lines and in the dry run's."""
    said = " ".join(run([*QUICK, f"data={data}", "benchmark=hard"], tmp_path / "run").summary["lines"])
    assert "warning: benchmark=hard, but 9 of 9 groups have personas in open words, not of a trait" in said
    dry = run([*QUICK, f"data={data}", "benchmark=easy", "dry_run=true"], tmp_path / "dry").summary
    assert any("9 of 9 groups don't have 1 negative;" in doubt for doubt in dry["doubts"])
    assert "doubts" not in run([*QUICK, f"data={data}", "benchmark=social", "dry_run=true"], tmp_path / "dry").summary
