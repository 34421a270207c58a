"""The experiments `profile` and `dialogue`: known answers, resumption, budgets, refusals, reports."""

import csv
import json

import pytest

from folkmoot.agents.llm.recognition import vocabulary
from folkmoot.environments.corpora.base import Corpus
from folkmoot.metrics.profile.gold import read_gold
from folkmoot.metrics.profile.judging import DIMENSIONS
from folkmoot.metrics.profile.review import COLUMNS as REVIEWED
from folkmoot.sim.commands import profile_gold
from folkmoot.sim.commands.api import replay, resume
from folkmoot.sim.commands.profile_gold import PROPOSED, make_gold
from folkmoot.sim.commands.profile_people import COLUMNS, _answers, read_agreement, write_sample
from folkmoot.sim.commands.profile_review import write_verified
from folkmoot.sim.commands.report import Options, report
from folkmoot.sim.errors import ConfigError, CorpusError, LogError, ModelError
from folkmoot.sim.experiments import profile_running
from folkmoot.sim.experiments.dialogue import DIALOGUES, read_dialogues
from folkmoot.sim.experiments.profile import PROFILES, read_profiles
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import DOMAINS, Interests, Persona
from folkmoot.sim.sheets import decode_sheet, encode_sheet

DAY = 86_400_000
START = 1_700_000_000_000
QUICK = ["llm=scripted", "tracking=none", "live=off", "experiment.match=exact", "experiment.draws=20"]
PROFILE = ["experiment=profile", *QUICK]
DIALOGUE = ["experiment=dialogue", *QUICK]
USERS = 8


def _profile(number):
    """Two lasting and one new interest in each of four domains, others for each user."""
    by_domain = {d: [tag for tag, domain in vocabulary().items() if domain == d] for d in DOMAINS}
    mine = [DOMAINS[(number + k) % 7] for k in range(4)]
    pick = {d: [by_domain[d][(number + k) % len(by_domain[d])] for k in range(3)] for d in mine}
    return Interests(stable={d: tuple(t[:2]) for d, t in pick.items()}, recent={d: (t[2],) for d, t in pick.items()})


def _posts(user, gold):
    told = [
        (20 * k + 70 * j, tag)
        for k, tag in enumerate(tag for tags in gold.stable.values() for tag in tags)
        for j in range(3)
    ]
    told += [(345 + k, tag) for k, tag in enumerate(tag for tags in gold.recent.values() for tag in tags)]
    return [(START + day * DAY, user, _words(day, tag)) for day, tag in [*sorted(told), (364, "nothing")]]


def _words(day, tag):
    """A text like no other, so that no two posts are near-duplicates."""
    own = f"{day}{tag[:3]}"
    return f"{own}a {own}b {own}c {own}d, all about {tag}."


def make_feed(wrong=False):
    """A feed whose users write of their gold interests; with `wrong`, of their neighbour's."""
    golds = {f"user{k}": _profile(k) for k in range(USERS)}
    posts = [one for k, user in enumerate(golds) for one in _posts(user, golds[f"user{(k + wrong) % USERS}"])]
    events = tuple(
        PostCreated(
            seq=n, time=time, actor=user, community="feed", origin="recorded", thread=str(n), text=text, language="en"
        )
        for n, (time, user, text) in enumerate(sorted(posts))
    )
    personas = {user: Persona(id=user, language="en", interests=gold) for user, gold in golds.items()}
    return Corpus("feed", "en", "UTC", {}, events, personas, "digest")


@pytest.fixture
def feed(monkeypatch):
    """The corpus of the runs: truthful by default."""

    def use(corpus):
        monkeypatch.setattr(profile_running, "load", lambda config: [corpus])

    use(make_feed())
    return use


def f1(result, scope="all"):
    """A run's F1."""
    return result.summary["profile"][scope]["f1"]["value"]


@pytest.mark.parametrize("setting", ["direct", "hierarchical", "extractive_abstractive", "temporal"])
def test_a_truthful_model_scores_one(feed, run, tmp_path, setting):
    """Where the posts show the gold profile and the model reads them truly, every F1 is 1 in every setting."""
    result = run([*PROFILE, f"setting={setting}"], tmp_path / "run")
    assert [f1(result, scope) for scope in ("active", "all", "stable", "recent")] == [1, 1, 1, 1]
    assert result.exit_code == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["profile"] == result.summary["profile"]


def test_a_wrong_profile_scores_low(feed, run, tmp_path):
    """Where users write of their neighbour's interests, next to no tag is right; the interval holds the value."""
    feed(make_feed(wrong=True))
    result = run(PROFILE, tmp_path / "run")
    assert f1(result) < 0.6
    found = result.summary["profile"]["all"]["f1"]
    assert found["low"] <= found["value"] <= found["high"]
    assert found["n_units"] == USERS


def test_without_dates_nothing_is_new(feed, run, tmp_path):
    """A model that isn't shown dates finds the tags and no recent bucket; the temporal setting finds it all the same."""
    blind = run([*PROFILE, "input=text_captions"], tmp_path / "blind")
    told = run([*PROFILE, "input=text_captions", "setting=temporal"], tmp_path / "told")
    assert (f1(blind), f1(blind, "recent")) == (1, 0)
    assert f1(told, "recent") == 1


def test_resume_does_what_is_left(feed, run, tmp_path):
    """A run that was cut off in a line goes on behind the last whole one, and ends with the same lines and numbers."""
    whole = run(PROFILE, tmp_path / "run")
    path = tmp_path / "run" / PROFILES
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:30])
    (tmp_path / "run" / "summary.json").unlink()
    again = resume(tmp_path / "run")
    assert path.read_bytes() == b"".join(lines)
    assert again.summary["profile"] == whole.summary["profile"]


def test_other_users_are_not_resumed(feed, run, tmp_path):
    """A run whose corpus has changed can't go on."""
    run(PROFILE, tmp_path / "run")
    feed(make_feed(wrong=True))
    with pytest.raises(CorpusError, match="began with"):
        resume(tmp_path / "run")


def test_a_budget_stops_a_run(feed, run, tmp_path):
    """A run that has used up its tokens, before it was resumed too, stops after a batch, tells so, and goes on with more."""
    result = run([*PROFILE, "budget.tokens=10"], tmp_path / "run")
    assert result.outcome.state == "stopped: budget: tokens 10 used up"
    assert len(read_profiles(result.run)) == 4
    assert "resume" in result.summary["lines"][-1]
    spent = result.summary["spent"]["tokens"]
    again = resume(tmp_path / "run", [f"budget.tokens={spent}"])
    assert again.outcome.state == f"stopped: budget: tokens {spent} used up"  # nothing is free for having been paid
    assert again.summary["spent"]["tokens"] == spent
    assert len(read_profiles(resume(tmp_path / "run", ["budget.tokens=null"]).run)) == USERS


def test_failed_calls_stop_or_are_counted(feed, run, tmp_path):
    """With on_failure=stop a call that fails for good ends the run; with abstain it is an empty profile with its reason."""
    with pytest.raises(ModelError):
        run([*PROFILE, "llm.permanent_rate=1"], tmp_path / "stop")
    result = run([*PROFILE, "llm.permanent_rate=1", "on_failure=abstain"], tmp_path / "go")
    assert result.summary["unread"] == {"the model failed": USERS}
    assert f1(result) == 0


def test_garbage_is_counted(feed, run, tmp_path):
    """Answers that can't be read twice are empty profiles, counted by reason."""
    result = run([*PROFILE, "llm.garbage_rate=0.6"], tmp_path / "run")
    assert sum(result.summary["unread"].values()) > 0
    assert set(result.summary["unread"]) == {"no JSON object"}


def test_users_are_sampled_and_filtered(feed, monkeypatch, run, tmp_path):
    """The sample is the same for each seed, and for gold profiles in the making; a bound of domains that nobody reaches is an error that counts."""
    first, second = (run([*PROFILE, "experiment.max_users=3", f"seed={seed}"], tmp_path / str(seed)) for seed in (1, 2))
    assert [line.user for line in read_profiles(first.run)] == [line.user for line in read_profiles(second.run)]
    assert first.summary["users"] == {"asked": 3, "of": 3}
    monkeypatch.setattr(profile_gold, "load", lambda config: [make_feed()])
    make_gold("demo_feed", tmp_path / "gold", ["llm=scripted", "experiment.match=exact", "experiment.max_users=3"])
    assert set(read_gold(tmp_path / "gold" / PROPOSED)) == {line.user for line in read_profiles(first.run)}
    with pytest.raises(CorpusError, match="8 users with fewer than 7 active domains"):
        run([*PROFILE, "experiment.min_domains=7"], tmp_path / "none")


def test_a_gold_file_takes_the_personas_place(feed, run, tmp_path):
    """With a file of gold profiles only its users are asked about, and scored against it."""
    path = tmp_path / "gold.jsonl"
    path.write_text('{"user": "user0", "stable": {"pets": ["cats"]}, "recent": {}}\n')
    result = run([*PROFILE, f"experiment.gold={path}", "experiment.min_domains=1"], tmp_path / "run")
    assert [line.gold["stable"] for line in read_profiles(result.run)] == [{"pets": ("cats",)}]


def test_a_judge_matches_tags(feed, run, tmp_path):
    """With match=judge the tags that aren't equal are matched by a model: never fewer hits than by equality."""
    feed(make_feed(wrong=True))
    exact = run(PROFILE, tmp_path / "exact")
    judged = run([*PROFILE, "experiment.match=judge", "+llm@experiment.judges.one=scripted"], tmp_path / "judged")
    assert judged.summary["profile"]["all"]["counts"][0] >= exact.summary["profile"]["all"]["counts"][0]
    assert judged.summary["matching"] == "judge scripted"
    assert judged.summary["judge_calls"]["one"]["calls"] > 0


def test_dry_run_and_replay(feed, run, tmp_path):
    """A dry run counts calls and makes none; a replay says that there is nothing to replay."""
    result = run([*PROFILE, "setting=hierarchical", "dry_run=true"], tmp_path / "dry")
    assert result.summary["calls_expected"] == USERS * 3
    run(PROFILE, tmp_path / "run")
    with pytest.raises(ConfigError, match="no log to replay"):
        replay(tmp_path / "run")


@pytest.mark.parametrize("intent", ["stable", "recent"])
@pytest.mark.parametrize("context", ["timeline", "direct", "hierarchical", "extractive_abstractive"])
def test_true_contexts_are_answered_well(feed, run, tmp_path, context, intent):
    """From a true timeline or profile the scripted judge finds full coverage of the intent's interests."""
    result = run([*DIALOGUE, f"context={context}", f"intent={intent}"], tmp_path / "run")
    found = result.summary["dialogue"]["scripted"]
    assert found["coverage"]["value"] == 5
    assert found["avg"]["value"] == pytest.approx(
        sum(found[d]["value"] for d in ("coverage", "concreteness", "fluency")) / 3
    )
    lines = read_dialogues(result.run)
    assert bool(lines[0].counts) == (context != "timeline")


def test_wrong_contexts_are_answered_worse(feed, run, tmp_path):
    """From somebody else's posts coverage of the gold interests is near nothing."""
    feed(make_feed(wrong=True))
    result = run([*DIALOGUE, "context=direct"], tmp_path / "run")
    assert result.summary["dialogue"]["scripted"]["coverage"]["value"] < 3


def test_two_judges_and_their_failures(feed, run, tmp_path):
    """Each judge has its own points; answers that can't be read are counted and leave no points."""
    judges = ["+llm@experiment.judges.one=scripted", "+llm@experiment.judges.two=scripted"]
    result = run([*DIALOGUE, *judges, "experiment.judges.two.garbage_rate=1"], tmp_path / "run")
    assert set(result.summary["dialogue"]) == {"one", "two"}
    assert result.summary["dialogue"]["two"] == {}
    assert result.summary["unread"] == {"one": {}, "two": {"no JSON object": USERS}}


def test_requests_depend_on_the_seed_alone(feed, run, tmp_path):
    """A run again has the same requests; another seed has others."""
    first, same, other = (
        [line.request for line in read_dialogues(run([*DIALOGUE, f"seed={seed}"], tmp_path / name).run)]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == same != other


def test_lines_of_another_kind_are_refused(feed, run, tmp_path):
    """A damaged line is an error that names it."""
    run(DIALOGUE, tmp_path / "run")
    (tmp_path / "run" / DIALOGUES).write_text('{"user": 1}\n')
    with pytest.raises(LogError, match="line 1"):
        read_dialogues(run_of(tmp_path))


def run_of(folder):
    """The run in a test's folder."""
    from folkmoot.sim.runs import Run

    return Run.open(folder / "run")


def test_reports_have_every_table(feed, run, tmp_path):
    """The report of a grid has all tables and a figure; differences between settings and inputs are paired by user."""
    settings = [("direct", "full"), ("temporal", "full"), ("direct", "text_captions"), ("direct", "captions")]
    for setting, shown in settings:
        run([*PROFILE, f"setting={setting}", f"input={shown}"], tmp_path / "runs" / f"{setting}_{shown}")
    run([*PROFILE, "prompt=neutral"], tmp_path / "runs" / "neutral")
    written = report("profile", [tmp_path / "runs"], tmp_path / "report", Options(draws=20))
    names = {path.name for path in written}
    tables = [
        "main",
        "activation",
        "buckets",
        "domains",
        "over_generalization",
        "inputs",
        "prompts",
        "settings",
        "losses",
    ]
    assert names >= {"report.md", "f1.png", "f1.svg", *(f"{t}{s}" for t in tables for s in (".md", ".csv", ".tex"))}
    inputs = (tmp_path / "report" / "tables" / "inputs.md").read_text()
    assert "text_captions" in inputs
    assert "-1.000 [-1.000, -1.000]" in inputs


def test_reports_of_dialogues_correlate(feed, run, tmp_path):
    """Points, correlations of F1 with points (with n and significance) and losses; a timeline has points alone."""
    feed(make_feed(wrong=True))
    for context in ("timeline", "direct"):
        for intent in ("stable", "recent"):
            run([*DIALOGUE, f"context={context}", f"intent={intent}"], tmp_path / "runs" / f"{context}_{intent}")
    written = report("dialogue", [tmp_path / "runs"], tmp_path / "report", Options(draws=20))
    assert {"scores.md", "correlations.md", "temporal.md", "points.png"} <= {path.name for path in written}
    with (tmp_path / "report" / "tables" / "correlations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["context"] for row in rows} == {"direct"}
    assert {row["n"] for row in rows} == {str(USERS)}
    with pytest.raises(ConfigError, match="runs of profile"):
        report("profile", [tmp_path / "runs"], tmp_path / "other", Options(draws=20))


def test_people_beside_judges(feed, run, tmp_path):
    """A sheet is drawn from runs, filled by people, and read back: a person like the judge has rho 1 with it."""
    feed(make_feed(wrong=True))
    run([*DIALOGUE, "context=direct"], tmp_path / "runs" / "a")
    run([*DIALOGUE, "context=timeline", "intent=recent"], tmp_path / "runs" / "b")
    sheet = tmp_path / "sheet.csv"
    assert "10 answers" in write_sample([tmp_path / "runs"], sheet, 10, "", 1)
    rows = decode_sheet(sheet, COLUMNS)
    assert not {"model", "context", "scripted"} & set(rows[0])
    known = {key: line for key, _, line in _answers([tmp_path / "runs"])}
    for row in rows:
        row |= {name: str(p) for name, p in zip(DIMENSIONS, known[row["answer"]].scores["scripted"], strict=True)}
    sheet.write_bytes(encode_sheet(COLUMNS, rows))
    second = tmp_path / "second.csv"
    second.write_bytes(encode_sheet(COLUMNS, [row | {"remarks": "none"} for row in rows]))
    told = read_agreement([tmp_path / "runs"], [sheet, second])
    assert "coverage: alpha 1.00 (2 people, 10 answers); scripted rho 1.00" in told
    with pytest.raises(CorpusError, match="is the same as .*each person once"):
        read_agreement([tmp_path / "runs"], [sheet, sheet])
    second.write_bytes(encode_sheet(COLUMNS, [row | dict.fromkeys(DIMENSIONS, " ") for row in rows]))
    with pytest.raises(CorpusError, match=r"second.csv: 0 points; fill "):
        read_agreement([tmp_path / "runs"], [sheet, second])
    rows[0]["coverage"] = "6"
    sheet.write_bytes(encode_sheet(COLUMNS, rows))
    with pytest.raises(CorpusError, match="row 2, coverage: 6"):
        read_agreement([tmp_path / "runs"], [sheet])


def test_the_gold_pipeline_end_to_end(monkeypatch, tmp_path):
    """From posts to proposed profiles to a verified file, which scores 1 against what the posts were written from."""
    monkeypatch.setattr(profile_gold, "load", lambda config: [make_feed()])
    told = make_gold(
        "demo_feed", tmp_path / "gold", ["llm=scripted", "experiment.match=exact", "gold.posts_per_call=5"]
    )
    assert f"{USERS} users" in told
    sheet = tmp_path / "gold" / "review.csv"
    rows = decode_sheet(sheet, REVIEWED)
    sheet.write_bytes(encode_sheet(REVIEWED, [row | {"verdict": "keep"} for row in rows]))
    assert "0 removed" not in write_verified([sheet], tmp_path / "gold.jsonl", None)
    found = read_gold(tmp_path / "gold.jsonl")
    for user, persona in make_feed().personas.items():
        assert as_sets(found[user]) == as_sets(persona.interests)
    with pytest.raises(ConfigError, match=r"gold\.mergee"):
        make_gold("demo_feed", tmp_path / "other", ["llm=scripted", "gold.mergee=1"])


def as_sets(profile):
    """A profile without order."""
    return {bucket: {d: set(t) for d, t in getattr(profile, bucket).items()} for bucket in ("stable", "recent")}
