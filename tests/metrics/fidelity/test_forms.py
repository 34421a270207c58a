"""Whether a file's groups are those of the benchmark that it is said to be."""

import json

import pytest

from folkmoot.metrics.fidelity.benchmarks import read_benchmark
from folkmoot.metrics.fidelity.building import trait_profile
from folkmoot.metrics.fidelity.forms import misfits


def item(case, label, profile, **more):
    """An item of group g."""
    return {"case_id": f"g_{case}", "profile": profile, "response": f"Reply {case}.", "label": label} | more


HIGH, LOW = trait_profile("openness", "high"), trait_profile("openness", "low")
OTHER = trait_profile("agreeableness", "high")
FILES = {
    "easy": [item("pos", 1, HIGH), item("neg_swap", 0, LOW, negative_type="swap_within_trait")],
    "hard": [
        item("pos", 1, HIGH),
        item("pos_NEG_a", 0, OTHER, negative_type="profile_swap_same_level_nearest"),
        item("pos_NEG_b", 0, HIGH, negative_type="cross_trait_same_level_nearest"),
    ],
    "social": [item("pos", 1, "A shy baker."), *(item(f"neg_{k}", 0, "A shy baker.", option=k) for k in "ABD")],
}


@pytest.mark.parametrize("said", FILES)
@pytest.mark.parametrize("is_", FILES)
def test_a_file_of_another_benchmark_is_told(said, is_, tmp_path):
    """Law: of nine pairs of a file and the name it is given, just those of another name have a warning that counts groups."""
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(FILES[is_]), encoding="utf-8")
    found = misfits(said, list(read_benchmark(path).groups().values()))
    assert bool(found) is (said != is_)
    assert all(f"benchmark={said}, but 1 of 1 groups" in sentence for sentence in found)


def test_what_a_file_does_not_say_is_not_held_against_it(tmp_path):
    """Law: negatives without a type are judged by their number alone."""
    path = tmp_path / "bench.json"
    path.write_text(json.dumps([item("pos", 1, HIGH), item("neg_x", 0, LOW)]), encoding="utf-8")
    groups = list(read_benchmark(path).groups().values())
    assert misfits("easy", groups) == []
    (one,) = misfits("hard", groups)
    assert "don't have 2 negatives" in one
