"""Benchmarks: released files as they are, built ones by the rules, everything dropped counted."""

import csv
import json
from collections import Counter

import pytest

from folkmoot.metrics.fidelity.benchmarks import group_of, read_benchmark
from folkmoot.metrics.fidelity.building import (
    Written,
    build_social,
    build_traits,
    read_written,
    trait_profile,
    write_benchmark,
)
from folkmoot.metrics.fidelity.wording import BIG_FIVE, LEVELS
from folkmoot.sim.errors import CorpusError

RELEASED = {"big5_persona_easy": (52, 26, 1), "big5_persona_hard": (75, 25, 2), "social_persona": (12, 3, 3)}
"""File -> items, groups, negatives a group."""


@pytest.mark.shared
@pytest.mark.parametrize("name", RELEASED)
def test_released_files_are_read_whole(shared, name):
    """Every item of a released file is read, in groups of one positive and as many negatives as its kind has."""
    benchmark = read_benchmark(shared / f"persona/prism-persona/{name}.dev.json")
    items, groups, negatives = RELEASED[name]
    assert (len(benchmark.cases), len(benchmark.groups())) == (items, groups)
    assert not benchmark.dropped
    for group in benchmark.groups().values():
        assert sorted(case.positive for case in group) == [False] * negatives + [True]


@pytest.mark.shared
def test_swapped_profiles_set_the_label_space(shared):
    """In a profile swap the shown persona, not the item's trait field, makes the label texts."""
    benchmark = read_benchmark(shared / "persona/prism-persona/big5_persona_hard.dev.json")
    for group in benchmark.groups().values():
        positive = next(case for case in group if case.positive)
        for case in group:
            swapped = case.kind.startswith("profile_swap")
            assert (case.item.space.texts != positive.item.space.texts) == swapped


def test_groups_by_suffix():
    """A group's key is the case id without what follows the suffix mark."""
    assert group_of("4_openness_high_pos_NEG_cross_trait_same_level_nearest") == group_of("4_openness_high_pos")
    assert group_of("4_openness_high_neg_swap") == "4_openness_high"
    assert group_of("rolestyle_en_2_neg_A") == "rolestyle_en_2"


def test_bad_items_are_counted(tmp_path):
    """Malformed lines, missing fields, odd labels, empty or broken text, unknown levels, no cues, duplicates: counted."""
    good = {"case_id": "a_pos", "profile": "Personality: calm", "response": "Yes.", "label": 1}
    bad = [
        good,
        {"case_id": "b"},
        good | {"case_id": "c", "label": 2},
        good | {"case_id": "d", "response": " "},
        good | {"case_id": "e", "profile": "x", "trait": "openness", "level": "medium"},
        good | {"case_id": "f", "profile": ""},
        good | {"case_id": "g", "response": None},
        good | {"case_id": "h", "profile": ["calm"]},
        good | {"case_id": "i", "profile": "x", "trait": "wisdom", "level": "high"},
    ]
    path = tmp_path / "b.jsonl"
    line_end = json.dumps(good | {"case_id": "a_neg_1", "response": "One\u2028two."}, ensure_ascii=False)
    deep = "[" * 100_000
    half = json.dumps(good | {"case_id": "j", "response": "\ud800"})
    lines = [*map(json.dumps, [good, *bad]), "{oops", "3", line_end, deep, half]
    path.write_text("\n".join(lines), encoding="utf-8")
    benchmark = read_benchmark(path)
    assert [case.item.id for case in benchmark.cases] == ["a_pos", "a_neg_1"]
    assert benchmark.dropped == {
        "duplicate items": 1,
        "items without profile, response, label": 1,
        "items with a label other than 0 and 1": 1,
        "items with an empty response": 1,
        "items with an unknown trait or level": 2,
        "items whose response or profile isn't text": 2,
        "items whose persona has no cues": 1,
        "malformed JSON lines": 2,
        "entries that aren't objects": 1,
        "entries with broken characters": 1,
    }


def test_unreadable_files_are_errors(tmp_path):
    """No file, bytes that are no text, a damaged array and an empty file are named errors."""
    damaged, empty, binary, deep = (tmp_path / f"{name}.json" for name in "dexp")
    deep.write_text("[" * 100_000, encoding="utf-8")
    damaged.write_text("[{]", encoding="utf-8")
    empty.write_text("", encoding="utf-8")
    binary.write_bytes(b"\xff\xfe\x00\xd8")
    for path in (tmp_path / "none.json", damaged, empty, binary, deep):
        with pytest.raises(CorpusError, match=path.name):
            read_benchmark(path)


@pytest.fixture
def chat_csv(tmp_path):
    """Responses in Big5-CHAT's published form: three scenarios, five traits, two levels, and some that can't be used."""
    path = tmp_path / "big5.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["trait", "level", "env_idx", "train_input", "train_output"])
        for scene in range(3):
            for trait in BIG_FIVE:
                for level in LEVELS:
                    rows.writerow([trait, level, scene, f"Scene {scene}?", f"{trait} {level} speaks in {scene}."])
        rows.writerow(["openness", "high", 0, "Scene 0?", "A second one."])
        rows.writerow(["wisdom", "high", 0, "Scene 0?", "Unknown."])
        rows.writerow(["openness", "high", 9, "Scene 9?", "Alone in its scene."])
        rows.writerow(["openness", "odd", 1, "Scene 1?", "Odd."])
        rows.writerow(["openness", "low", 1, "", "No context."])
    return path


@pytest.mark.parametrize("kind", ["easy", "hard"])
def test_built_benchmarks_follow_the_rules(chat_csv, tmp_path, kind):
    """EASY swaps the polarity, HARD has one negative of each type at the same level; ten polarities, alike many; seeded."""
    dropped = Counter()
    written = read_written([chat_csv], dropped)
    items = build_traits(written, kind, groups=20, seed=4, dropped=dropped)
    assert items == build_traits(written, kind, groups=20, seed=4, dropped=Counter())
    path = tmp_path / "built.json"
    write_benchmark(items, path)
    benchmark = read_benchmark(path)
    assert len(benchmark.groups()) == 20
    assert not benchmark.dropped
    counts = Counter((case.trait, case.level) for case in benchmark.cases if case.positive)
    assert set(counts.values()) == {2}
    assert len(counts) == 10
    for group in benchmark.groups().values():
        positive = next(case for case in group if case.positive)
        for case in (case for case in group if not case.positive):
            assert case.item.context == positive.item.context
            if kind == "easy":
                assert (case.trait, case.item.response) == (positive.trait, positive.item.response)
                assert case.level != positive.level
            elif case.kind.startswith("profile"):
                assert (case.level, case.item.response) == (positive.level, positive.item.response)
                assert case.trait != positive.trait
            else:
                assert case.profile == positive.profile
                assert case.item.response != positive.item.response
                assert f" {positive.level} " in case.item.response
        assert len(group) == (2 if kind == "easy" else 3)
    assert dropped["responses of an unknown trait"] == 1
    assert dropped["responses of an unknown level"] == 1
    assert dropped["responses without context or text"] == 1
    assert dropped["further responses for the same scenario and polarity"] == 1
    assert dropped["responses without a reply of another trait at the same level in the scenario"] == (kind == "hard")


@pytest.mark.shared
def test_steered_generations_make_groups(shared):
    """Of Big5-CHAT's evaluation files all steered turns are read, both levels, and no description of the speaker."""
    dropped = Counter()
    written = read_written([shared / "persona/big5-chat/eval_set"], dropped)
    assert dropped == {"turns that no trait steers": 388}
    assert Counter((one.trait, one.level) for one in written) == {
        (trait, level): 87 if trait == "extraversion" else 100 for trait in BIG_FIVE[:4] for level in LEVELS
    }
    assert not any("personality" in one.context or "Imagine you" in one.context for one in written)
    items = build_traits(written, "hard", groups=40, seed=1, dropped=dropped)
    kinds = ("none", "profile_swap_same_level", "cross_trait_same_level")
    assert Counter(item["negative_type"] for item in items) == dict.fromkeys(kinds, 40)
    replies = {(item["profile"], item["context"], item["response"]): item["label"] for item in items}
    assert len(replies) == len(items)


def test_steered_levels_are_read_at_their_traits_place(tmp_path):
    """0 is high, 1 is low, -1 or a list of another length is none; openings are counted, prompts lose their speaker."""
    path = tmp_path / "alpha_1.0_trait_c.jsonl"
    prompt = 'Imagine you are Ada.\nScenario: Ada meets Ben.\nAda\'s personality: tidy.\nTurn #0: Ben said: "Hello."'
    vectors = ["-1 0 -1 -1 -1", "-1 1 -1 -1 -1", "0 -1 -1 -1 -1", "0 1", None]
    rows = [
        {"env_idx": k, "turn": 1, "prompt": prompt, "response": "Hm.", "personality": v} for k, v in enumerate(vectors)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    dropped = Counter()
    written = read_written([path], dropped)
    assert [(one.trait, one.level) for one in written] == [("conscientiousness", level) for level in LEVELS]
    assert written[0].context == 'Ada meets Ben.\nBen said: "Hello."'
    assert dropped == {"responses of an unknown level": 2, "turns that no trait steers": 1}


def test_no_negative_is_its_positive():
    """A reply that two traits share word for word is no negative of either; the group is counted, not made."""
    same = [Written("s", trait, "high", "Scene?", "The very same.") for trait in ("openness", "extraversion")]
    dropped = Counter()
    with pytest.raises(CorpusError, match="0 hard groups"):
        build_traits(same, "hard", groups=None, seed=1, dropped=dropped)
    assert +dropped == {"responses without a reply of another trait at the same level in the scenario": 2}


def test_social_items_become_groups(tmp_path):
    """A multiple-choice item gives one positive and its distractors; items with several golds or none are counted."""
    item = {
        "id": "x1",
        "profile": "Personality: shy",
        "dialogue": [{"from": "User", "value": "Hello?"}],
        "choices": {"A": "Hi.", "B": "Go away!", "C": "HELLO FRIEND", "D": "No."},
        "label": ["A"],
    }
    odd = [
        item | {"id": "x2", "label": ["A", "B"]},
        item | {"id": "x3", "choices": {}},
        item | {"id": "x4", "label": "Z"},
        item | {"id": "x5", "choices": {"A": "Hi.", "B": None}},
        item | {"id": "x6", "choices": {"A": "Hi.", "B": "Hi. "}},
        item | {"id": "x7", "label": [["A"]]},
        item | {"id": "", "meta": ["x8"], "label": [7]},
    ]
    path, built = tmp_path / "s.json", tmp_path / "out.json"
    path.write_text(json.dumps([item, *odd]), encoding="utf-8")
    dropped = Counter()
    write_benchmark(build_social(path, groups=None, seed=0, dropped=dropped), built)
    (group,) = read_benchmark(built).groups().values()
    assert [case.positive for case in group] == [True, False, False, False]
    assert group[0].item.context == "User: Hello?"
    assert dropped == {
        "items without one gold label": 4,
        "items without a profile or choices": 1,
        "items with a choice that isn't text": 1,
        "items with the same choice twice": 1,
        "groups left out for size": 0,
    }


def test_profiles_state_their_polarity():
    """A built persona is told again by its own words."""
    assert "Openness = low" in trait_profile("openness", "low")


@pytest.mark.parametrize(("text", "said"), [("", "nothing was left out"), ("x\n" * 1234, "left out: 1,234 malformed")])
def test_a_file_without_items_says_why_in_words(text, said, tmp_path):
    """Law: what was left out is told in words, never as a mapping of Python's."""
    path = tmp_path / "none.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=said) as caught:
        read_benchmark(path)
    assert "{" not in str(caught.value)
