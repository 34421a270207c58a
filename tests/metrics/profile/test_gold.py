"""The gold pipeline: near-duplicates, canonical interests, calibration, verification, files."""

import asyncio
import json
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.interests.answers import Signal
from folkmoot.agents.interests.posts import Post
from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.profiles.asking import reading_asker
from folkmoot.environments.corpora.demo_feed import demo_signals, load_demo_feed
from folkmoot.metrics.profile.calibration import Calibrator
from folkmoot.metrics.profile.canonical import GoldSettings, as_profile, canonical
from folkmoot.metrics.profile.counting import count
from folkmoot.metrics.profile.duplicates import clusters, shingles
from folkmoot.metrics.profile.gold import read_gold, write_gold
from folkmoot.metrics.profile.matching import nothing_alike
from folkmoot.metrics.profile.review import COLUMNS, read_decisions, review_rows, verify
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Interests
from folkmoot.sim.protocols import Answer
from folkmoot.sim.sheets import encode_sheet

DAY = 86_400_000
words = st.lists(st.sampled_from(["red", "green", "blue", "dog", "cat", "runs"]), max_size=8).map(" ".join)


@settings(deadline=None)  # the first call imports scipy
@given(st.lists(words, max_size=8), st.floats(0.1, 1))
def test_clusters_are_connected_pairs(texts, threshold):
    """Two texts are in one cluster exactly where a chain of pairs with enough Jaccard similarity joins them."""
    own = [shingles(text) for text in texts]
    near = [
        {j for j in range(len(own)) if own[i] and own[j] and len(own[i] & own[j]) / len(own[i] | own[j]) >= threshold}
        for i in range(len(own))
    ]
    found = clusters(texts, threshold)
    for start in range(len(own)):
        reached, todo = {start}, [start]
        while todo:
            fresh = near[todo.pop()] - reached
            reached |= fresh
            todo += fresh
        assert {k for k in range(len(own)) if found[k] == found[start]} == reached


def made(*posts):
    """Posts (day, text) and one signal each: (day, text, tag, confidence)."""
    listed = [Post(n, day * DAY, text) for n, (day, text, _, _) in enumerate(posts, 1)]
    signals = [
        Signal(post=n, domain="pets", tag=tag, confidence=sure) for n, (_, _, tag, sure) in enumerate(posts, 1) if tag
    ]
    return signals, listed


def test_a_repeated_post_is_one_post():
    """Ten copies of a post over a year support an interest as one post does; different posts make it stable."""
    copies = made(*[(30 * k, "look at my lovely cat sleeping all day", "cats", 0.9) for k in range(10)])
    (one,) = canonical(*copies, None, GoldSettings())
    assert one.scores.support == pytest.approx(1)
    assert one.scores.months == 1
    assert one.bucket is None
    fresh = made(*[(40 * k, f"day {k} with word{k} and other{k} of the cat", "cats", 0.9) for k in range(4)])
    assert canonical(*fresh, None, GoldSettings())[0].bucket == "stable"


def test_equal_tags_are_one_and_the_best_supported_name_stays():
    """Tags that differ by case and signs are merged; one post counts once, with its highest confidence."""
    signals, posts = made((0, "a", "Cats!", 0.5), (40, "b c", "cats", 0.5), (80, "d e f", "cats", 0.9))
    signals.append(Signal(post=3, domain="pets", tag="CATS", confidence=0.1))
    (one,) = canonical(signals, posts, None, GoldSettings())
    assert (one.tag, one.posts) == ("cats", (1, 2, 3))
    assert one.scores.confidence == pytest.approx((0.5 + 0.5 + 0.9) / 3)


@pytest.mark.embedded
def test_equivalent_tags_are_merged_by_meaning():
    """Tags as near as the threshold are one interest, others stay apart."""
    from folkmoot.agents.llm.encoder import SentenceEncoder

    signals, posts = made((0, "a", "films", 0.9), (40, "b", "movies", 0.9), (80, "c", "opera", 0.9))
    names = sorted(sorted(one.names) for one in canonical(signals, posts, SentenceEncoder(), GoldSettings()))
    assert names == [["films", "movies"], ["opera"]]


def test_the_demo_feeds_own_signals_give_its_gold_profiles():
    """From the signals written with the demo feed, scores and buckets give back the interests of nearly all its people."""
    feed = load_demo_feed("en")
    by_source = {event.source_id: event for event in feed.utterances()}
    users = {}
    for signal in demo_signals("en"):
        event = by_source[signal.post]
        users.setdefault(event.actor, []).append((event, signal))
    total = Counter()
    for user, own in users.items():
        events = sorted(
            {e.seq: e for e in feed.utterances() if e.actor == user}.values(), key=lambda e: (e.time, e.seq)
        )
        numbers = {event.seq: n for n, event in enumerate(events, 1)}
        posts = [Post(numbers[e.seq], e.time, e.text, e.hashtags, e.captions) for e in events]
        signals = [
            Signal(post=numbers[e.seq], domain=s.domain, tag=s.tag, modality=s.modality, confidence=s.confidence)
            for e, s in own
        ]
        found = as_profile(canonical(signals, posts, None, GoldSettings()))
        counts = count(found, feed.personas[user].interests, nothing_alike)
        total.update({f"{scope} {k}": counts[scope][k] for scope in ("stable", "recent") for k in range(3)})
    for scope in ("stable", "recent"):
        hits, mine, real = (total[f"{scope} {k}"] for k in range(3))
        assert 2 * hits / (mine + real) > 0.9, scope


class Says:
    """A model that gives one answer."""

    name, repeatable, window = "says", True, 100_000

    def __init__(self, answer):
        self.answer = json.dumps(answer)

    def count_tokens(self, messages):
        """Few."""
        return 10

    async def generate(self, messages, sampling, seed):
        """The answer."""
        return Answer(text=self.answer)


def calibrated(model):
    """What a calibration makes of two interests."""
    signals, posts = made(
        *[(40 * k, f"x{k} y{k} z{k}", "cats", 0.9) for k in range(4)],
        *[(300 + k, f"q{k} r{k}", "dogs", 0.9) for k in range(2)],
    )
    found = canonical(signals, posts, None, GoldSettings())
    assert [(one.tag, one.bucket) for one in found] == [("cats", "stable"), ("dogs", "recent")]
    return asyncio.run(Calibrator(reading_asker(model, 500, 1)).calibrate("ada", found, posts))


def test_calibration_removes_renames_and_moves():
    """Each change is applied to its interest, told with it and counted; without changes all stays."""
    kept, done = calibrated(ScriptedModel())
    assert [one.tag for one in kept] == ["cats", "dogs"]
    assert not done
    changes = [
        {"number": 1, "fault": "general", "action": "rename", "tag": "tabby cats"},
        {"number": 2, "fault": "bucket", "action": "move"},
    ]
    kept, done = calibrated(Says({"changes": changes}))
    assert [(one.tag, one.bucket) for one in kept] == [("tabby cats", "stable"), ("dogs", "stable")]
    assert done == {"calibrated: general, rename": 1, "calibrated: bucket, move": 1}
    kept, _ = calibrated(Says({"changes": [{"number": 1, "fault": "weak", "action": "remove"}]}))
    assert [one.tag for one in kept] == ["dogs"]


@pytest.mark.parametrize("answer", [{}, {"changes": [{"number": 9, "fault": "weak", "action": "remove"}]}])
def test_unusable_calibrations_are_counted(answer):
    """A calibration that can't be read changes nothing and is counted."""
    kept, done = calibrated(Says(answer))
    assert len(kept) == 2
    assert sum(done.values()) == 1


def sheet(path, verdicts, user="ada"):
    """A filled sheet: tag -> (verdict, new tag, new bucket)."""
    rows = [
        dict.fromkeys(COLUMNS, "")
        | {"user": user, "domain": "pets", "tag": tag if verdict != "add" else "", "bucket": "stable"}
        | {"verdict": verdict, "new_tag": new, "new_bucket": bucket}
        for tag, (verdict, new, bucket) in verdicts.items()
    ]
    path.write_bytes(encode_sheet(COLUMNS, rows))
    return read_decisions(path)


def test_verified_sheets_make_the_gold(tmp_path):
    """Majorities decide, the adjudicated sheet where there is none; kept, removed, refined, moved and added are counted."""
    first = {
        "cats": ("keep", "", ""),
        "dogs": ("remove", "", ""),
        "birds": ("refine", "parrots", ""),
        "fish": ("keep", "", "recent"),
        "hens": ("keep", "", ""),
        "x": ("add", "rabbits", "recent"),
    }
    second = {
        "cats": ("keep", "", ""),
        "dogs": ("remove", "", ""),
        "birds": ("refine", "parrots", ""),
        "fish": ("keep", "", "recent"),
        "hens": ("remove", "", ""),
    }
    sheets = [sheet(tmp_path / "a.csv", first), sheet(tmp_path / "b.csv", second)]
    found = verify(sheets)
    assert found.profiles["ada"] == Interests(
        stable={"pets": ("cats", "parrots")}, recent={"pets": ("fish", "rabbits")}
    )
    assert found.counts == {"kept": 1, "removed": 1, "refined": 1, "moved": 1, "undecided": 1, "added": 1}
    judge = sheet(tmp_path / "c.csv", {"hens": ("keep", "", "")})
    assert verify(sheets, judge).profiles["ada"].stable["pets"] == ("cats", "parrots", "hens")
    assert found.rows == 5
    assert 0 < found.acceptance < 1
    assert found.buckets == 1


def test_agreement_of_one_person_is_not_defined(tmp_path):
    """One sheet makes a gold profile and no alpha; rows without a verdict aren't in it."""
    found = verify([sheet(tmp_path / "a.csv", {"cats": ("keep", "", ""), "dogs": ("", "", "")})])
    assert math.isnan(found.acceptance)
    assert found.counts == {"kept": 1, "not looked at": 1}
    assert found.profiles["ada"].stable == {"pets": ("cats",)}


@pytest.mark.parametrize(
    ("row", "message"),
    [({"verdict": "kep"}, "did you mean 'keep'"), ({"domain": "health"}, "seven"), ({"new_bucket": "old"}, "bucket")],
)
def test_wrong_cells_are_named(tmp_path, row, message):
    """A verdict, domain or bucket that isn't one is an error with its row."""
    good = {"user": "ada", "domain": "pets", "tag": "cats", "bucket": "stable", "verdict": "keep"}
    (tmp_path / "a.csv").write_bytes(encode_sheet(COLUMNS, [dict.fromkeys(COLUMNS, "") | good | row]))
    with pytest.raises(CorpusError, match=f"row 2.*{message}"):
        read_decisions(tmp_path / "a.csv")


def test_sheets_show_what_people_need():
    """A row for each proposed interest with its posts; interests with too little evidence have none."""
    signals, posts = made(*[(40 * k, f"=x{k} y{k}", "cats", 0.9) for k in range(4)], (0, "once upon", "dogs", 0.2))
    (row,) = review_rows("ada", canonical(signals, posts, None, GoldSettings()), posts)
    assert (row["tag"], row["bucket"], row["posts"]) == ("cats", "stable", "4")
    assert row["evidence"].count("\n") == 3
    assert set(row) == set(COLUMNS)


def test_gold_files_are_read_as_written(tmp_path):
    """Profiles come back as they were; damaged lines and users that stand twice are errors with the line."""
    profiles = {"ada": Interests(stable={"pets": ("cats",)}), "bob": Interests()}
    write_gold(tmp_path / "gold.jsonl", profiles)
    assert read_gold(tmp_path / "gold.jsonl") == profiles
    for text, message in (
        ('{"user": "a"}\n{"user": "a"}\n', "line 2.*twice"),
        ("[]\n", "line 1"),
        ('{"user": "a", "stable": {"x": []}}', "line 1"),
    ):
        (tmp_path / "bad.jsonl").write_text(text)
        with pytest.raises(CorpusError, match=message):
            read_gold(tmp_path / "bad.jsonl")
    with pytest.raises(CorpusError, match="No such file"):
        read_gold(tmp_path / "none.jsonl")
