"""Traits are not as of the target: the run's manifest and the report say so, with counts."""

from datetime import UTC, datetime

import msgspec
import pytest

from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.profiles import ModelReader
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.environments.corpora.persons import PersonSettings, add_personas
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.wikitext import load_wikitext
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.report import Options, report
from folkmoot.sim.config import check
from folkmoot.sim.experiments.next_turn_sample import Candidate
from folkmoot.sim.experiments.next_turn_traits import Reading, reading_of, trait_facts
from folkmoot.sim.experiments.registry import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run

ADA = "[[User:Ada Lovely|Ada]] ([[User talk:Ada Lovely|talk]])"
BOB = "[[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]])"


def made(folder, settings):
    """A corpus of six threads of Ada and Bob, one a day, with traits."""
    (folder / "salt").write_bytes(b"a salt for tests only")
    pages = "".join(
        f"<page><title>Talk:Bridge {n}</title><ns>1</ns><id>{n}</id><revision><id>{n}0</id>"
        f"<timestamp>2012-01-01T00:00:00Z</timestamp><text>== Height {n} ==\nHow high is bridge {n}? {ADA} 10:00, {n} "
        f"May 2011 (UTC)\n:It is {n}8 m. {BOB} 11:00, {n} May 2011 (UTC)\n::Thanks for the {n}8. {ADA} 12:00, {n} May "
        "2011 (UTC)\n</text></revision></page>"
        for n in range(1, 7)
    )
    (folder / "dump.xml").write_text(f'<mediawiki xml:lang="en">{pages}</mediawiki>', encoding="utf-8")
    built = build(BuildSettings(source=str(folder / "dump.xml"), out=folder / "corpus", salt_file=folder / "salt"))
    with ModelReader(ScriptedModel()) as reader:
        built.finish(add_personas(built, settings, reader))
    return built


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A corpus whose traits were read from two threads of each author."""
    return made(tmp_path_factory.mktemp("built"), PersonSettings(trait_threads=2))


def play(store, folder, *overrides):
    """A run under `behavior` on that corpus."""
    values = compose(
        [
            *("experiment=next_turn", "llm=scripted", "annotator=scripted", "tracking=none", "live=off"),
            *(
                "corpus=built",
                f"corpus.path={store.path}",
                "condition=behavior",
                "monitor=[text]",
                "experiment.min_comments=2",
            ),
            *overrides,
        ]
    )
    folder.mkdir(exist_ok=True)
    Run(folder).config_path.write_bytes(msgspec.yaml.encode(values))
    return execute(check(RunConfig, values), folder, "run").run


@pytest.fixture(scope="module")
def built_run(store, tmp_path_factory):
    """A run on targets of any time."""
    return play(store, tmp_path_factory.mktemp("run"))


def test_targets_from_the_instant_on_that_traits_were_read_until(tmp_path):
    """With one instant for both, no target is earlier, none was read, and the report has nothing to warn of."""
    instant = int(datetime(2011, 5, 4, tzinfo=UTC).timestamp() * 1000)
    built = made(tmp_path, PersonSettings(until=instant))
    run = play(built, tmp_path / "run", f"experiment.since={instant}")
    split = next(iter(run.manifest()["communities"].values()))["split"]
    assert split["traits"] == {"as_of_target": True, "targets": 6, "thread_read": 0, "unknown": 0}
    assert split["no_targets"]["before experiment.since"] == 6
    texts = {event.seq: event.time for event in run.events() if event.origin == "recorded"}
    assert all(texts[e.target] >= instant for e in run.events() if e.origin == "candidate")
    report("next_turn", [run.path], tmp_path / "report", Options(bert="none", least=5, draws=20, figures=False))
    assert "Traits" not in (tmp_path / "report" / "report.md").read_text()
    whole = play(built, tmp_path / "whole")
    assert not next(iter(whole.manifest()["communities"].values()))["split"]["traits"]["as_of_target"]


def test_targets_whose_thread_the_traits_were_read_from_are_counted(store, built_run):
    """Of 12 answers to openings by two authors, 2 threads each were read: Ada and Bob have one target in each."""
    assert [len(row["threads"]) for row in store.rows("traits")] == [2, 2]
    (community,) = built_run.manifest()["communities"].values()
    assert community["split"]["traits"] == {"as_of_target": False, "targets": 12, "thread_read": 4, "unknown": 0}


def test_the_report_says_so(built_run, tmp_path):
    """Tables of numbers point at the sample, and its note has the counts."""
    report("next_turn", [built_run.path], tmp_path, Options(bert="none", least=5, draws=20, figures=False))
    for name in ("text", "behaviour", "comparisons"):
        assert "Traits are not as of the target (see sample)." in (tmp_path / "tables" / f"{name}.md").read_text()
    assert "was read: dump: 12, 4, 0." in (tmp_path / "tables" / "sample.md").read_text()


def test_traits_from_elsewhere_are_unknown_and_none_say_nothing(tmp_path):
    """Traits that the corpus was given have no threads to count; a corpus without traits has no such facts."""
    demo = load_demo("de")
    config = check(RunConfig, compose(["experiment=next_turn", "corpus=demo", "corpus.lang=de"])).corpus
    targets = [Candidate(event, 1, frozenset()) for event in demo.utterances()]
    mine = sum(bool(demo.personas[one.event.actor].traits) for one in targets)
    assert reading_of(config, demo) == Reading()
    facts = trait_facts(targets, demo, Reading())["traits"]
    assert facts == {"as_of_target": False, "targets": mine, "thread_read": 0, "unknown": mine}
    first = targets[0].event
    own = sum(one.event.actor == first.actor for one in targets)
    there = sum(one.event.actor == first.actor and one.event.thread == first.thread for one in targets)
    facts = trait_facts(targets, demo, Reading({first.actor: [first.thread]}))["traits"]
    assert (facts["thread_read"], facts["unknown"]) == (there, mine - own)
    page = tmp_path / "page.wikitext"
    page.write_text(f"== A ==\nOne. {ADA} 10:00, 1 May 2011 (UTC)\n:Two. {BOB} 11:00, 1 May 2011 (UTC)\n")
    plain = load_wikitext(page, "en", b"a salt for tests only")
    assert trait_facts([Candidate(e, 1, frozenset()) for e in plain.utterances()], plain, Reading()) == {}
