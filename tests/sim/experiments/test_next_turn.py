"""The next-turn experiment: targets, no leaks, bad answers, resume, and the report's tables."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
import pytest

from folkmoot.agents.conditioning import CONDITIONS, ConditionConfig
from folkmoot.agents.conditioning.history import HistoryConfig
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.environments.corpora.sampling import SampleSettings, choose_threads, count_targets
from folkmoot.sim.calls import DUE
from folkmoot.sim.commands.amend import amended
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.report import Options, report
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, CorpusError, LogError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments import next_turn, next_turn_sample
from folkmoot.sim.experiments.next_turn import choose
from folkmoot.sim.experiments.next_turn_agents import BATCH, Queue, queue_of
from folkmoot.sim.experiments.next_turn_history import Histories
from folkmoot.sim.experiments.next_turn_sample import Candidate
from folkmoot.sim.experiments.registry import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.persona import HistoryComment, HistoryThread
from folkmoot.sim.runs import Run

BASE = ("experiment=next_turn", "llm=scripted", "annotator=scripted", "tracking=none", "live=off", "corpus.lang=de")
PLAIN = Options(bert="none", least=5, draws=99, figures=False)


def config(*overrides):
    """The typed config of these overrides."""
    return check(RunConfig, compose([*BASE, *overrides]))


def start(folder, *overrides, mode="run"):
    """One run with the scripted model, as the command line would start it."""
    values = compose([*BASE, *overrides])
    folder.mkdir(exist_ok=True, parents=True)
    Run(folder).config_path.write_bytes(msgspec.yaml.encode(values))
    return execute(check(RunConfig, values), folder, mode)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A finished run under `history`."""
    return start(tmp_path_factory.mktemp("runs") / "history", "condition=history")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A finished run under `base`."""
    return start(tmp_path_factory.mktemp("runs") / "base", "condition=base", "llm.garbage_rate=0.3")


def test_each_target_has_a_candidate_beside_it(history):
    """Every comment with one before it is written once, right before the recorded one, which stays as it was."""
    corpus = load_demo("de")
    events = list(history.run.events())
    recorded = [e for e in events if e.origin == "recorded"]
    candidates = [e for e in events if e.origin == "candidate"]
    assert sorted((e.thread, e.text) for e in recorded) == sorted((e.thread, e.text) for e in corpus.utterances())
    assert len(candidates) == history.outcome.comments == len(recorded) - len(corpus.threads())
    for one in candidates:
        beside = events[one.seq + 1]
        assert (one.target, one.actor, one.thread) == (beside.seq, beside.actor, beside.thread)


def test_prompts_show_what_came_before_and_nothing_else(history):
    """A prompt holds every earlier comment of its thread, and neither the target nor what follows, history included."""
    threads = load_demo("de").threads()
    turns = {(n["agent"], n["activation"]): n["seq"] for n in history.run.notes()}
    events = list(history.run.events())
    for call in history.run.calls():
        target = events[turns[call.agent, call.activation] + 1]
        prompt = call.messages[1].content.replace("\n> ", "\n")
        texts = [event.text for event in threads[target.thread]]
        place = texts.index(target.text)
        assert all(text.splitlines()[0] in prompt for text in texts[:place])
        assert not any(text in prompt for text in texts[place:])


def with_items(corpus, user, *items):
    """The corpus with these history items added to a persona."""
    persona = corpus.personas[user]
    changed = persona.model_copy(update={"history": (*persona.history, *items)})
    return replace(corpus, personas={**corpus.personas, user: changed})


def item(thread, *comments):
    """A history item of (time, text) pairs."""
    return HistoryThread(thread=thread, title="T", comments=tuple(HistoryComment(time=t, text=x) for t, x in comments))


def test_history_never_holds_the_target_thread_or_the_future():
    """A thread is left out by its id, by its long texts under another id, and by author, minute and words.

    Of what stays, comments that aren't earlier than the target are left out.
    """
    corpus = load_demo("de")
    thread, events = next((t, e) for t, e in corpus.threads().items() if len(e) > 2 and len(e[2].text.split()) > 9)
    target, early = events[2], events[0].time - 1000
    user = target.actor
    items = {
        "same id": item(thread, (early, "Kurz.")),
        "same text": item("copy", (early, "Vorher."), (early + 1, f"  {target.text.lower()} !")),
        "later reply": item("copy2", (early, events[-1].text if len(events[-1].text.split()) > 8 else target.text)),
        "same moment": item("copy3", (target.time // 60000 * 60000, target.text)),
        "too late": item("later", (target.time, "Danach.")),
        "half": item("half", (early, "Davor gesagt."), (target.time + 1, "Danach gesagt.")),
        "kept": item("other", (early, "Ganz etwas anderes.")),
    }
    found = Histories(with_items(corpus, user, *items.values())).before(target)
    names = {one.thread for one in found}
    assert names.isdisjoint({thread, "copy", "copy2", "copy3", "later"})
    assert {"half", "other"} <= names
    assert next(one for one in found if one.thread == "half").comments == items["half"].comments[:1]
    assert all(c.time < target.time and c.text != target.text for one in found for c in one.comments)


@pytest.mark.parametrize("condition", ["base", "history", "retrieval"])
def test_history_of_every_target_is_earlier_and_elsewhere(condition):
    """For each target of a sample: no allowed comment is of its thread, as late, or says what the thread says."""
    corpus = load_demo("de")
    histories = Histories(corpus)
    chosen = choose(config(f"condition={condition}"), corpus, histories)
    assert chosen.targets
    for one in chosen.targets:
        said = {event.text for event in corpus.threads()[one.event.thread]}
        for earlier in histories.before(one.event):
            assert earlier.thread != one.event.thread
            assert all(c.time < one.event.time and c.text not in said for c in earlier.comments)


def test_eligibility_is_counted_by_condition():
    """Who is eligible for what stands in the facts; with fewer earlier comments than asked for, history falls away."""
    corpus = load_demo("de")
    facts = choose(config("experiment.min_history=9", "condition=base"), corpus, Histories(corpus)).facts
    assert facts["eligible"]["base"] == facts["eligible"]["profile"] == 46
    assert 0 < facts["eligible"]["history"] == facts["eligible"]["act_planned"] < 46
    assert facts["comments"] == 46 + facts["no_targets"]["first comments of threads"] == 58
    common = choose(
        config("experiment.min_history=9", "experiment.targets=common", "condition=base"), corpus, Histories(corpus)
    )
    assert len(common.targets) == facts["eligible"]["history"] == facts["eligible_for_all"]


def test_a_condition_that_is_added_is_part_of_eligibility(monkeypatch):
    """What joins the union and the names, as the README says, is counted, and `common` targets are fit for it too."""

    class OldHandsConfig(HistoryConfig):
        """A condition of authors with much history."""

        name: Literal["old_hands"] = "old_hands"
        min_history: int = 9

    monkeypatch.setattr(next_turn, "ConditionConfig", Annotated[get_args(ConditionConfig)[0] | OldHandsConfig, None])
    monkeypatch.setattr(next_turn_sample, "CONDITIONS", (*CONDITIONS, "old_hands"))
    corpus = load_demo("de")
    chosen = choose(config("condition=base", "experiment.targets=common"), corpus, Histories(corpus))
    eligible = chosen.facts["eligible"]
    assert tuple(eligible) == (*CONDITIONS, "old_hands")
    possible = [eligible[name] for name in CONDITIONS if eligible[name]]  # a feed's conditions have nobody here
    assert 0 < eligible["old_hands"] < min(possible)
    assert len(chosen.targets) == chosen.facts["eligible_for_all"] == eligible["old_hands"]


def test_nobody_eligible_is_an_error_with_counts():
    """A condition that no comment can be written under says how many there are, why not, and what to do."""
    corpus = load_demo("de")
    with pytest.raises(CorpusError, match=r"0 comments can be written under condition=history.*58.*lower experiment"):
        choose(config("experiment.min_comments=99", "condition=history"), corpus, Histories(corpus))


def test_the_sample_is_capped_and_repeats():
    """The caps hold, other run seeds meet the same targets, another sample seed others; women come up to the share."""
    corpus = load_demo("en")
    histories = Histories(corpus)

    def chosen(*overrides):
        return choose(config("condition=base", *overrides), corpus, histories)

    ten = chosen("experiment.max_targets=10", "seed=1")
    assert len(ten.targets) == 10
    assert ten.targets == chosen("experiment.max_targets=10", "seed=2").targets
    assert ten.targets != chosen("experiment.max_targets=10", "experiment.sample_seed=2").targets
    some = chosen("experiment.max_threads=12")
    assert len(some.threads) == 12
    assert 0.4 <= some.facts["by_women"] / some.facts["chosen"] <= 0.65
    none = chosen("experiment.max_threads=12", "experiment.women_share=0")
    assert none.facts["by_women"] < some.facts["by_women"]


def test_the_sample_is_the_statistics_sample():
    """The experiment takes the threads that the corpus's statistics count: there is one sampler."""
    corpus = load_demo("en")
    mine = choose(
        config("condition=base", "experiment.max_threads=9", "experiment.min_comments=1"), corpus, Histories(corpus)
    )
    actors = {thread: [event.actor for event in events] for thread, events in corpus.threads().items()}
    turns = Counter(actor for said in actors.values() for actor in said)
    genders = {user: persona.attributes.gender for user, persona in corpus.personas.items()}
    counted = [count_targets(thread, said, turns, genders, 1) for thread, said in actors.items()]
    assert set(mine.threads) == set(choose_threads(counted, SampleSettings(threads=9, seed=1)).threads)


def test_calls_are_queued_by_prompt_and_batches_open():
    """Within a batch calls are due by author, page and thread; a batch waits for its own targets only."""
    events = list(load_demo("en").utterances())
    targets = [Candidate(e, 1, frozenset()) for e in events if e.parent is not None]
    places = queue_of(targets, events)
    ranked = sorted(targets, key=lambda one: places[one.event.seq].rank)
    assert len(events) < BATCH
    assert [one.event.actor for one in ranked] == sorted(one.event.actor for one in targets)

    async def play():
        queue, due = Queue(places), []

        async def one(seq):
            await queue.wait(seq)
            due.append(DUE.get())

        await asyncio.wait_for(asyncio.gather(*(one(seq) for seq in places)), 30)
        return due

    assert sorted(asyncio.run(play())) == list(range(len(targets)))


def test_a_run_that_was_stopped_goes_on_to_the_same_log_and_tables(history, base, tmp_path):
    """Stopped by a budget and resumed: no call twice, the undisturbed log, and the same tables byte for byte."""
    cut = start(tmp_path / "cut", "condition=history", "budget.max_comments=17")
    assert cut.outcome.comments == 17
    typed, values = amended(cut.run.config(), ["budget.max_comments=null"])
    cut.run.config_path.write_bytes(msgspec.yaml.encode(values))
    execute(typed, cut.run.path, "resume")
    assert cut.run.log.read_bytes() == history.run.log.read_bytes()
    keys = [(call.agent, call.activation, call.call) for call in cut.run.calls()]
    assert len(keys) == len(set(keys)) == len(history.run.calls())
    written = {}
    for name, one in (("whole", history), ("resumed", cut)):
        report("next_turn", [one.run.path, base.run.path], tmp_path / name, PLAIN)
        written[name] = {p.name: p.read_bytes() for p in sorted((tmp_path / name / "tables").iterdir())}
    assert written["whole"] == written["resumed"]
    assert len(written["whole"]) == 30


def test_a_replay_needs_no_model(history):
    """The run again from its record is the same log."""
    assert execute(check(RunConfig, history.run.config()), history.run.path, "replay").outcome.state == "identical"


def test_bad_answers_are_counted_and_left_out(base, tmp_path):
    """Garbage is counted by kind, its share stands in every table, and no number rests on it."""
    report("next_turn", [base.run.path], tmp_path, PLAIN)
    answers = (tmp_path / "tables" / "answers.csv").read_text().splitlines()
    row = dict(zip(answers[0].split(","), answers[1].split(","), strict=True))
    bad = sum(int(row[kind]) for kind in ("empty", "prompt", "AI talk", "refusal", "signature", "wrong language"))
    assert bad > 0
    text = (tmp_path / "tables" / "text.csv").read_text().splitlines()
    shown = dict(zip(text[0].split(","), text[1].split(","), strict=True))
    assert int(shown["n"]) == int(row["targets"]) - bad
    assert shown["left out"] == row["left out"] == f"{bad / int(row['targets']):.1%}"


@pytest.mark.parametrize(
    ("condition", "count"), [("act_planned", 4), pytest.param("retrieval", 1, marks=pytest.mark.embedded)]
)
def test_the_two_further_conditions_run(condition, count, tmp_path):
    """Both write every target and replay to the same log; planned acts stand in the prompt and in the notes."""
    result = start(tmp_path / condition, f"condition={condition}", f"experiment.max_targets={count}")
    assert result.outcome.comments == count
    assert execute(check(RunConfig, result.run.config()), result.run.path, "replay").outcome.state == "identical"
    if condition == "act_planned":
        noted = [note["facts"]["acts"] for note in result.run.notes()]
        assert any(noted)
        prompts = [call.messages[1].content for call in result.run.calls()]
        assert ["In this comment you: " in prompt for prompt in prompts] == [bool(acts) for acts in noted]


def test_a_report_refuses_other_runs(history, tmp_path):
    """Another experiment, an unknown condition or unit, and a folder without a run are errors with a hint."""
    with pytest.raises(ConfigError, match="did you mean 'next_turn'"):
        report("next_turns", [history.run.path], tmp_path)
    with pytest.raises(ConfigError, match="did you mean 'base'"):
        report("next_turn", [history.run.path], tmp_path, PLAIN._replace(against="bas"))
    with pytest.raises(LogError, match="holds no run"):
        report("next_turn", [Path(tmp_path)], tmp_path, PLAIN)
    with pytest.raises(ConfigError, match="teacher_forced=false"):
        start(tmp_path / "free", "environment.teacher_forced=false")


def test_figures_are_drawn(history, base, tmp_path):
    """Every figure that two conditions give something for is written as PNG and SVG."""
    written = report("next_turn", [history.run.path, base.run.path], tmp_path, PLAIN._replace(figures=True, draws=20))
    names = {path.stem for path in written if path.suffix == ".png"}
    assert names == {"overview", "similarity", "divergence", "act_deltas", "gender_deltas", "sentiment"}
    assert {path.stem for path in written if path.suffix == ".svg"} == names
    assert all(isinstance(e, TextEvent) or e.origin == "candidate" for e in history.run.events())
