"""The fidelity monitor beside a made-up community: what it scores, what it counts, and that its control tells the truth."""

import asyncio
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.metrics.alarms import Alarm
from folkmoot.metrics.fidelity.evaluator import Evaluator, Item
from folkmoot.metrics.fidelity.ledger import BESIDE, published
from folkmoot.metrics.fidelity.live import FidelityFeed
from folkmoot.metrics.fidelity.live_config import FidelityMonitorConfig
from folkmoot.metrics.fidelity.live_page import live_page
from folkmoot.metrics.fidelity.live_report import joined, rows, section, sentences, warnings
from folkmoot.metrics.fidelity.scored import MEASURES, ScoredText, means, values
from folkmoot.metrics.fidelity.swap import Swaps, swap_auc
from folkmoot.metrics.records import AlarmRaised, Point
from folkmoot.sim.errors import ConfigError, ModelError
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import Attributes, Persona, Trait
from folkmoot.sim.rng import stream

_spec = importlib.util.spec_from_file_location("fidelity_oracles", Path(__file__).with_name("oracles.py"))
oracles = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(oracles)

COLOURS = ("amber", "blue", "coral", "dun", "ecru", "fawn")
DAY = 86_400_000


def persona(name, **facts):
    """Somebody whose whole character is a colour."""
    return Persona(id=name, language="en", profile=f"Personality: {name}", **facts)


PEOPLE = {name: persona(name) for name in COLOURS}


def talk(n, *, colour=lambda seq, who: who, kind=CommentPosted, origin="simulated", step_ms=60_000, **facts):
    """N comments in three threads; each author speaks of a colour, of the own one if nothing else is said."""
    events, last = [], {}
    rng = stream(5, "people")
    for seq in range(n):
        who, thread = COLOURS[rng.integers(len(COLOURS))], f"t{seq % 3}"
        common = {
            "seq": seq, "time": 20_000 * DAY + seq * step_ms, "actor": who, "community": "en", "origin": origin,
            "thread": thread, "language": "en", "text": f"So {seq}, I like {colour(seq, who)} best.", **facts,
        }  # fmt: skip
        opens = kind is CommentPosted and thread not in last
        place = {} if kind is PostCreated else {"page": "P"}
        made = ThreadOpened(title="T", **common, **place) if opens else kind(parent=last.get(thread), **common, **place)
        events.append(made)
        last[thread] = seq
    return events


def knowing():
    """An evaluator that knows: aligned where the reply's colour is the persona's, else opposite."""

    def choose(prompt):
        reply = prompt.rsplit("I like ", 1)[1].split(" ", 1)[0]
        texts = oracles.shown(prompt)
        mine = next(text for text in texts if reply in text) if any(reply in text for text in texts) else None
        aligned = next((t for t in texts if f": {reply}." in t and "anything but" not in t), None)
        wanted = aligned if mine else next(t for t in texts if "anything but" in t)
        return [0.9 if text == wanted else 0.05 for text in texts]

    return oracles.Scores(choose)


def watch(events, model=None, people=None, *, pause=lambda _: False, capacity=4096, **settings):
    """A feed after all events, with its records and scored texts."""
    records, texts = [], []
    config = FidelityMonitorConfig(**{"every_comments": 20, "draws": 50} | settings)
    feed = FidelityFeed(
        config, PEOPLE if people is None else people, model or knowing(), seed=7, on_publish=records.append,
        on_scored=texts.append, capacity=capacity, reread=lambda first: iter(events[first:]),
    )  # fmt: skip

    async def run():
        async with feed:
            for event in events:
                feed.committed((event,))
                if pause(event.seq):
                    await asyncio.sleep(0.001)
            await feed.finish()

    asyncio.run(run())
    return feed, records, texts


@pytest.fixture(scope="module")
def known():
    """All in character, by an evaluator that knows."""
    return watch(talk(60))


def test_an_evaluator_that_knows_separates(known):
    """Texts in character get a high S, the same texts against others' personas a low one: AUC 1, and it is said."""
    feed, records, texts = known
    assert len(texts) == 60
    assert all(text.values[0] == pytest.approx(0.9) for text in texts)
    assert all(text.other not in {"", text.agent} for text in texts)
    found = section(feed)
    assert found["swap"]["auc"]["value"] == found["swap"]["auc"]["low"] == 1
    assert "tells an author's persona from another's better than chance" in " ".join(sentences(found))
    assert not found["alarms"]
    last = records[-1].values
    assert last["fidelity.n"] == 60
    assert last["fidelity.swap.score"] < 0.2 < last["fidelity.score.low"]


def test_an_evaluator_that_guesses_is_told():
    """Law: where AUC's interval holds 0.5 the report says that the scores say nothing about character."""
    feed, _, _ = watch(talk(60), oracles.guesses())
    found = section(feed)
    auc = found["swap"]["auc"]
    assert auc["low"] < 0.5 < auc["high"]
    assert "doesn't tell an author's persona from another's" in " ".join(sentences(found))


def test_points_are_a_function_of_the_log():
    """Law: bursts, pauses, tiny queues and batches caught up from the log give the same records and texts."""
    events = talk(60, step_ms=45 * 60_000)
    paces = [(4096, lambda _: False), (4096, lambda seq: seq % 3 == 0), (5, lambda _: False), (1, lambda s: s % 7 == 0)]
    seen = [watch(events, oracles.guesses(), capacity=c, pause=p)[1:] for c, p in paces]
    assert all(one == seen[0] for one in seen)
    points = [one for one in seen[0][0] if isinstance(one, Point)]
    assert [(p.n, p.cause) for p in points] == [(20, "comments"), (32, "day"), (40, "comments"), (60, "comments")]


def test_scores_are_those_of_the_evaluator(known):
    """Law: a live score is what `folkmoot fidelity score` gives for the text with the same context."""
    _, _, texts = known
    events = talk(60)
    before = [e.text for e in events if e.thread == events[30].thread and e.seq < 30][-3:]
    item = Item("30", watch([])[0].spaces[events[30].actor], "\n\n".join(before), events[30].text)
    (one,) = asyncio.run(Evaluator(knowing(), seed=7).score([item]))
    assert texts[30].q == {d: tuple(round(x, 6) for x in q) for d, q in one.q.items()}
    model = knowing()
    watch(events[:31], model)
    asked = [prompt[-1].content for prompt in model.prompts if "So 30," in prompt[-1].content]
    assert len(asked) == 6
    assert all(text in prompt for prompt in asked for text in before)


def test_a_share_is_drawn_text_by_text(known):
    """A smaller share is a part of a larger one, of about its size, and the report tells it."""
    events = talk(60)
    some, fewer = (watch(events, share=share) for share in (0.6, 0.2))
    of_some, of_fewer = ({text.seq for text in one[2]} for one in (some, fewer))
    assert of_fewer < of_some
    assert 25 < len(of_some) < 45
    assert all(one in known[2] for one in fewer[2])
    assert f"n = {len(of_fewer)} of 60 texts" in sentences(section(fewer[0]))[0]
    assert "drawn at 20%" in sentences(section(fewer[0]))[0]


def test_posts_of_a_feed_are_scored_alike(known):
    """Law: the monitor reads the common fields of text events: posts give what comments give, reposts nothing."""
    posts = talk(60, kind=PostCreated)
    assert [text.values for text in watch(posts)[2]] == [text.values for text in known[2]]
    assert not watch(talk(9, kind=PostCreated, text="", form="repost"))[2]
    feed, _, texts = watch(talk(9, kind=PostCreated, text=" \n"))
    assert not texts
    assert feed.losses == {"empty text": 9}


def test_what_cannot_be_scored_is_counted():
    """Nothing is a silent 0.5: no persona, no cues, no text, recorded comments, each under its reason."""
    people = {**PEOPLE, "amber": Persona(id="amber", language="en"), "blue": None}
    del people["blue"]
    events = talk(60)
    feed, records, texts = watch(events, people=people)
    by = {name: sum(event.actor == name for event in events) for name in COLOURS}
    assert feed.losses == {"the author's persona has no cues": by["amber"], "the author has no persona": by["blue"]}
    assert len(texts) == 60 - by["amber"] - by["blue"]
    said = warnings(section(feed))
    assert f"fidelity: {by['amber']} texts not scored: the author's persona has no cues" in said
    assert "fidelity: 1 personas have no cues" in said
    nothing, records, texts = watch(talk(30, origin="recorded"))
    assert (nothing.texts, records, texts) == (0, [], [])
    assert sentences(section(nothing)) == ["persona fidelity: 0 of 0 texts scored (none was drawn)"]


def test_one_persona_has_no_control():
    """With one persona, or with equal ones, nothing can be swapped, and the report says so."""
    people = {name: persona(name).model_copy(update={"profile": "Personality: amber"}) for name in COLOURS}
    feed, _, texts = watch(talk(20), people=people)
    assert all(text.other == "" for text in texts)
    assert "was not put to the control" in " ".join(sentences(section(feed)))


def test_a_failing_evaluator_never_ends_a_run():
    """A text whose call fails is counted, the first failure is told, the others are scored."""
    inner = knowing()

    class Failing(oracles.Scores):
        async def label_logprobs(self, messages, labels, seed):
            if "So 5," in messages[-1].content:
                raise ModelError("the worker is gone")
            return await inner.label_logprobs(messages, labels, seed)

    feed, _, texts = watch(talk(20), Failing(None), context=0)
    assert len(texts) == 19
    assert "fidelity: the evaluator's first failure: the worker is gone" in warnings(section(feed))


def test_texts_longer_than_the_window_are_cut_and_counted():
    """The context goes first, then the end of the reply; how many is told."""
    model = knowing()
    model.window = 170
    long = talk(6, text="I like amber " + "very much indeed " * 40)
    feed, _, texts = watch(long, model)
    assert {text.cut for text in texts} == {"response"}
    assert "fidelity: 6 texts with the response cut to fit the window" in warnings(section(feed))


def test_who_drifts_is_named():
    """From half of the run on one person speaks of another's colour: an alarm with the time, and the lowest mean S."""
    noise = stream(3, "noise").random(700)
    model, knows = oracles.Scores(None), knowing().choose

    def choose(prompt):
        number = int(prompt.rsplit("So ", 1)[1].split(",", 1)[0])
        return [weight + 0.05 * noise[number] for weight in knows(prompt)]

    model.choose = choose
    events = talk(600, colour=lambda seq, who: "dun" if who == "coral" and seq >= 300 else who)
    feed, records, _ = watch(events, model, every_comments=200, swap_share=0, context=0)
    alarms = [one for one in records if isinstance(one, AlarmRaised)]
    assert "fidelity.agent.coral.score.cusum" in {alarm.metric for alarm in alarms}
    found = section(feed)
    assert {alarm["name"] for alarm in found["alarms"] if alarm["scope"] == "agent"} == {"coral"}
    assert all(alarm["seq"] >= 300 for alarm in found["alarms"])
    assert found["worst"][0]["agent"] == "coral"
    assert "agent coral" in " ".join(sentences(found))


def stopped(events, *alarms, **settings):
    """A feed beside a run that waits where it is asked to, and the event at which it was told to stop."""
    config = FidelityMonitorConfig(every_comments=20, draws=20, alarms=alarms, **settings)
    records = []
    feed = FidelityFeed(config, PEOPLE, knowing(), seed=7, on_publish=records.append)

    async def kernel():
        async with feed:
            for event in events:
                if feed.committed((event,)):
                    await feed.barrier()
                    if feed.stop_reason:
                        return event.seq
            await feed.finish()
        return None

    return asyncio.run(kernel()), feed, records


def test_a_stopping_alarm_stops_at_its_publish_point():
    """At the first point with the number out of bounds the run waits for the scores, and the reason says why."""
    dun = talk(100, colour=lambda seq, who: "dun" if seq >= 30 else who)
    at, feed, records = stopped(dun, Alarm(metric="window.fidelity.score.high", below=0.5, stop=True), window=10)
    assert at == 39
    assert feed.stop_reason.startswith("window.fidelity.score.high = ")
    assert feed.stop_reason.endswith("(below 0.5) at comment 40")
    raised = [one for one in records if isinstance(one, AlarmRaised) and one.stop]
    assert [(one.seq, one.n) for one in raised] == [(39, 40)]


def test_an_alarm_that_may_not_stop_never_makes_the_run_wait():
    """Without `stop` an alarm is a record at its point; drift alarms are counted in a number that can end a run."""
    at, feed, records = stopped(talk(60), Alarm(metric="fidelity.agent.coral.score", above=0.5))
    assert (at, feed.stop_reason) == (None, None)
    assert [one.n for one in records if isinstance(one, AlarmRaised)] == [20, 40, 60]
    assert {one.values["fidelity.drift.alarms"] for one in records if isinstance(one, Point)} == {0.0}


def test_numbers_that_can_have_an_alarm_are_those_published(known):
    """Law: whatever is published can have an alarm, and nothing else; a slip is told with what was meant."""
    feed, records, _ = known
    told = {name for one in records if isinstance(one, Point) for name in one.values}
    names = published(feed.config, feed.ledger.groups)
    assert {name for name in told if not name.endswith(BESIDE)} == names - {"fidelity.n"}
    for name in told:
        Alarm(metric=name, above=1).check("fidelity", names, BESIDE)
    with pytest.raises(ConfigError, match=r"did you mean 'fidelity.agent.coral.score'"):
        Alarm(metric="fidelity.agent.corral.score", above=1).check("fidelity", names, BESIDE)


def test_the_page_shows_hostile_text_escaped():
    """Text, label texts and names on the page are escaped; the numbers are those of the section."""
    people = {**PEOPLE, "amber": persona("amber").model_copy(update={"profile": "Personality: <b>amber</b>"})}
    events = talk(30, colour=lambda *_: "<script>alert(1)</script>")
    feed, _, _ = watch(events, people=people)
    found = section(feed)
    page = live_page("A & B", found, feed.spaces, events, 3)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<b>amber" not in page
    assert page.count("<section>") == len(found["worst"]) == 5
    assert "The wording is that of somebody of this kind" in page


def test_the_section_is_plain_json_without_texts(known):
    """Law: what goes into summary.json, and so to a tracker, holds no text of the community and no number but JSON's."""
    found = section(known[0])
    whole = json.dumps(found, allow_nan=False)
    assert "I like" not in whole
    assert "somebody of this kind" not in whole
    summary = joined({"sentences": ["x"], "warnings": []}, found)
    assert summary["sentences"][0] == "x"
    assert summary["fidelity"] == found
    assert rows(found)[0][:2] == ("fidelity score", "0.90 [0.90, 0.90]")


def test_groups_come_from_a_trait_or_an_attribute():
    """People are grouped by a behavioural trait or an attribute of one value; another name is refused."""
    trait = {"tone_management": Trait(values=("Confrontational",))}
    people = {**PEOPLE, "amber": persona("amber", traits=trait)}
    feed, records, _ = watch(talk(60), oracles.guesses(), people)
    assert set(section(feed)["groups"]) == {"Confrontational", "unknown"}
    assert "fidelity.group.Confrontational.score" in records[-1].values
    women = FidelityMonitorConfig(group_by="gender")
    assert women.group_of(persona("x", attributes=Attributes(gender="woman"))) == "woman"
    assert FidelityMonitorConfig(group_by="").group_of(people["amber"]) == ""
    with pytest.raises(ConfigError, match="did you mean 'gender'"):
        FidelityMonitorConfig(group_by="gendr")


def text(seq, agent, own, other):
    """A scored text of these S."""
    q = lambda s: dict.fromkeys(("task_framing", "interpersonal_stance", "linguistic_style"), (s, 1 - s, 0.0))  # noqa: E731
    return ScoredText(seq=seq, time=seq, agent=agent, q=q(own), other="z", other_q=q(other))


def test_the_controls_auc_is_scikit_learns():
    """The AUC equals scikit-learn's; its interval holds it and is wider with fewer authors."""
    rng = stream(2, "auc")
    some = [text(k, f"a{k % 8}", *np.round(rng.random(2) ** (0.5, 1), 3)) for k in range(80)]
    found = swap_auc(some, seed=1, draws=300)
    own, other = [one.values[0] for one in some], [one.other_values[0] for one in some]
    assert found.value == pytest.approx(roc_auc_score([1] * 80 + [0] * 80, own + other))
    assert found.low < found.value < found.high
    assert (found.n_units, found.n_items) == (8, 80)
    assert np.isnan(swap_auc(some[:1], seed=1, draws=10).low)
    assert swap_auc([], seed=1, draws=10) is None


def test_means_are_a_recount():
    """Means equal NumPy's; the interval is that of a bootstrap over whole authors, written out again."""
    rng = stream(4, "means")
    table, units = rng.random((40, 4)), [f"a{k % 5}" for k in range(40)]
    found = means([tuple(row) for row in table], units, seed=1, draws=4000)
    assert [found[name].value for name in MEASURES] == pytest.approx(table.mean(0))
    assert all(found[name].n_units == 5 for name in MEASURES)
    first = table[:, 0].reshape(8, 5).T
    drawn = [first[rng.integers(0, 5, 5)].mean() for _ in range(4000)]
    assert [found["score"].low, found["score"].high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)
    assert means([], [], seed=1, draws=10) == {}
    assert np.isnan(means([(1.0,) * 4], ["a"], seed=1, draws=10)["score"].low)


def test_everybody_else_is_swapped_in_alike():
    """Another's persona is never the author's nor one of the same label texts, and all others come equally often."""
    spaces = watch([], people={**PEOPLE, "twin": persona("amber").model_copy(update={"id": "twin"})})[0].spaces
    swaps = Swaps(spaces, seed=3, share=0.5)
    drawn = [swaps.other("amber", seq) for seq in range(2000)]
    assert set(drawn) == set(COLOURS) - {"amber"}
    assert all(abs(drawn.count(name) - 400) < 4 * 18 for name in set(drawn))
    assert 0.45 < np.mean([swaps.wanted(seq) for seq in range(2000)]) < 0.55


def test_s_is_the_mean_of_the_aligned():
    """S is the mean of q(A) over the dimensions, six digits."""
    q = {"task_framing": (0.2, 0, 0.8), "interpersonal_stance": (0.3, 0.7, 0), "linguistic_style": (0.5, 0.5, 0)}
    assert values(q) == (0.333333, 0.2, 0.3, 0.5)
