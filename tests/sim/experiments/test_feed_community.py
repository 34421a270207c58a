"""`experiment=community` on a feed, end to end: run, exposures, replay, tables of real and simulated, refusals."""

from dataclasses import replace
from io import StringIO

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from folkmoot.agents.feed.taste import Taste
from folkmoot.environments.corpora.demo_feed import load_demo_feed
from folkmoot.sim.commands.api import replay
from folkmoot.sim.commands.real import real_events
from folkmoot.sim.commands.show import show_thread
from folkmoot.sim.commands.talk import as_it_reads
from folkmoot.sim.errors import AnnotationError, ConfigError
from folkmoot.sim.events import ActionRefused, Intervention
from folkmoot.sim.experiments import places
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import Interests

QUICK = ["llm=scripted", "annotator=scripted", "monitor=[text,threads,network]", "tracking=none", "live=off"]
FEED = ["experiment=community", "environment=social_feed", "corpus=demo_feed", *QUICK]


@pytest.fixture(scope="module")
def ran(tmp_path_factory, run):
    """A day of the demo feed."""
    return run([*FEED, "ranking=popular", "experiment.days=1"], tmp_path_factory.mktemp("feed") / "run")


def test_a_feed_runs_and_replays(ran):
    """Law: the run finishes, measures posts but not reposts, and its replay is identical without a model."""
    assert ran.outcome.state == "finished"
    events = [event for event in ran.run.events() if event.origin == "simulated"]
    words = [event for event in events if isinstance(event, PostCreated) and event.form != "repost"]
    summary = ran.summary["communities"]["demo-feed-en"]
    assert summary["families"]["text"]["n"] == len(words) > 10
    assert {type(event).__name__ for event in events} >= {"PostCreated", "Reacted", "Abstained"}
    assert not [event for event in events if isinstance(event, ActionRefused)]  # nobody does anything twice
    assert replay(ran.run.path).outcome.state == "identical"


def test_exposures_stand_beside_the_log(ran):
    """Law: what was reacted to unprompted had been shown to that user before, at that version."""
    rows = pq.read_table(ran.run.exposures_path).to_pylist()
    seen = {(row["seq"], row["post"]) for row in rows}
    likes = [e for e in ran.run.events() if type(e).__name__ == "Reacted" and e.origin == "simulated" and not e.causes]
    assert likes
    assert all((like.seq, like.post) in seen for like in likes)


def test_posts_show_their_author(ran):
    """Law: a simulated post of one's own is about an interest of the person that it is by."""
    personas = load_demo_feed("en").personas
    posts = [e for e in ran.run.events() if isinstance(e, PostCreated) and e.origin == "simulated" and e.form == "post"]
    named = [post for post in posts if "“" in post.text]
    assert all(Taste(personas[post.actor].interests).meets(post) for post in named)
    assert len(named) > len(posts) / 2


def test_a_run_shows_its_conversations(ran):
    """Law: the overview names conversations by how they begin, a thread reads with its posts."""
    console = Console(width=140, record=True, file=StringIO())
    console.print(show_thread(ran.run, None))
    console.print(show_thread(ran.run, 1, lambda: real_events(ran.run)))
    text = console.export_text()
    assert "PostCreated" in text
    assert "Traceback" not in text


def test_people_without_interests_are_counted(monkeypatch, run, tmp_path):
    """Law: condition=interests runs a community in which some have no interests, and says how many."""
    whole = load_demo_feed("en")
    some = {name: persona.model_copy(update={"interests": Interests()}) for name, persona in whole.personas.items()}
    known = next(iter(some))
    corpus = replace(whole, personas=some | {known: whole.personas[known]})
    monkeypatch.setattr(places, "load", lambda config: [corpus])
    summary = run([*FEED, "monitor=[]", "condition=interests", "experiment.days=0.05"], tmp_path / "run").summary
    people = summary["fitted"]["demo-feed-en"]["people"]
    said = f"demo-feed-en: {people - 1} of {people} people have no interests; they are asked as by condition=base"
    assert summary["notices"] == [said]


def test_hostile_posts_do_nothing_to_a_terminal():
    """Law: escapes and markup in text, warning and captions are shown, never obeyed."""
    bad = "\x1b[2J[bold]x[/bold]\u202e"
    post = PostCreated(
        seq=0, time=0, actor=bad, community="en", origin="recorded", thread="t", text=bad, language="en",
        warning=bad, captions=(bad,),
    )  # fmt: skip
    console = Console(width=100, record=True, file=StringIO())
    console.print(as_it_reads([post]))
    text = console.export_text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("[bold]x[/bold]") == 4


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["environment=social_feed", "corpus=demo"], "holds comments of Talk pages"),
        (["environment=talk_page", "corpus=demo_feed", "condition=base"], "holds posts of a feed"),
        (["corpus=demo_feed", "environment.teacher_forced=true"], "people of a feed act freely"),
        (["corpus=demo_feed", "population=by_user"], "population=by_time"),
        (["corpus=demo_feed", "agents=waiting"], "agents=waiting is for Talk pages"),
        (["experiment=next_turn", "corpus=demo_feed"], "environment=talk_page"),
        (["ranking=popular"], "environment=social_feed"),
    ],
)
def test_what_does_not_go_together_is_told(overrides, message, run, tmp_path):
    """Law: a corpus, environment or option of the other kind is refused with the way out, and leaves no folder."""
    with pytest.raises(ConfigError, match=message):
        run([*QUICK, *overrides], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_labels_that_nobody_knows_are_told_before_the_run(run, tmp_path):
    """Law: annotator=scripted on a corpus without gold labels is refused with the way out, and leaves no folder."""
    with pytest.raises(AnnotationError, match="use annotator=embedded, or monitors that need no labels"):
        run([*FEED, "monitor=[acts]"], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_ranking_may_be_given_by_its_name(run, tmp_path):
    """Law: `environment.ranking=NAME` is `ranking=NAME`, and a change of ranking takes a name too."""
    change = "interventions=[{kind:ranking,at:0.01,ranking:random}]"
    options = [*FEED, "monitor=[]", change, "experiment.days=0.05"]
    by_name = run([*options, "environment.ranking=popular"], tmp_path / "name").run
    by_group = run([*options, "ranking=popular"], tmp_path / "group").run
    assert by_name.log.read_bytes() == by_group.log.read_bytes()
    assert any(event.value == '{"kind":"random"}' for event in by_name.events() if isinstance(event, Intervention))
    with pytest.raises(ConfigError, match="did you mean 'popular'"):
        run([*options, "environment.ranking=populer"], tmp_path / "none")
