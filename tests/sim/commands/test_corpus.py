"""`folkmoot corpus build`: from a dump to a run, by the command line."""

import hashlib

import pytest
from typer.testing import CliRunner

from folkmoot.environments.corpora.pipeline.identity import asked_of_source
from folkmoot.environments.corpora.pipeline.shards import ShardRecord
from folkmoot.sim.__main__ import app
from folkmoot.sim.commands import corpus_build
from folkmoot.sim.commands.corpus_build import Pace

COMMENTS = (
    "{0} How high is bridge {1}? [[User:Ada Lovely|Ada]] ([[User talk:Ada Lovely|talk]]) 10:0{1}, {1} May 2011 (UTC)\n"
    ":{0} It is {1}8 m. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 11:0{1}, {1} May 2011 (UTC)\n"
)


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A dump of eight pages, built by the command line; the path of the corpus, and what was printed."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for the command line")
    pages = "".join(
        f"<page><title>Talk:Bridge {n}</title><ns>1</ns><id>{n}</id><revision><id>{n}0</id><timestamp>2012-01-01T00:00:00Z"
        f"</timestamp><text>== Height ==\n{COMMENTS.format('Well,', n)}</text></revision></page>"
        for n in range(1, 9)
    )
    (tmp_path / "dump.xml").write_text(f'<mediawiki xml:lang="en">{pages}</mediawiki>', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["corpus", "build", "--from", "dump.xml", "--out", "corpora/dump"])
    assert done.exit_code == 0, done.output
    return tmp_path / "corpora" / "dump", done


def test_a_build_tells_what_came_in_and_the_next_step(corpus):
    """Counts by stage, users, the digest and a command that works."""
    _, done = corpus
    assert "pages: 8 of 8 threads kept" in done.output
    assert "pages: 16 of 16 comments kept" in done.output
    assert "2 users" in done.output
    assert "folkmoot run experiment=community corpus=built corpus.path=corpora/dump" in done.output
    assert "100.0% of the input, 8 pages" in done.output


def test_a_built_corpus_runs_with_no_further_step(corpus):
    """The command that the build prints makes a run: personas, openings, rates and targets come from the corpus."""
    from folkmoot.sim.commands.api import run

    path, _ = corpus
    result = run([f"corpus.path={path}", "corpus=built", "llm=scripted", "tracking=none", "monitor=[text]", "live=off", "experiment.days=3"])  # fmt: skip
    assert result.outcome.state == "finished"
    assert result.summary["fitted"]["dump"]["people"] == 2
    assert result.run.manifest()["communities"]["dump"]["split"]["reference_threads"] == 3


def test_a_folder_of_corpora_makes_several_communities(corpus, monkeypatch):
    """corpus.path may name a folder of corpora; corpus.lang chooses among them, with a hint for a wrong one."""
    from folkmoot.environments.corpora.built import find_stores
    from folkmoot.sim.errors import CorpusError

    path, _ = corpus
    CliRunner().invoke(app, ["corpus", "build", "--from", "dump.xml", "--out", "corpora/two", "--name", "two"])
    (path.parent / "a run").mkdir()
    (path.parent / "a run" / "manifest.json").write_text('{"schema": "folkmoot.events/1"}')
    assert [store.manifest.name for store in find_stores(path.parent)] == ["dump", "two"]
    assert len(find_stores(path.parent, ["en"])) == 2
    with pytest.raises(CorpusError, match=r"no corpus in 'ne'; did you mean 'en'\?|no corpus in 'ne'; known"):
        find_stores(path.parent, ["ne"])
    with pytest.raises(CorpusError, match="no built corpus in"):
        find_stores(path.parent / "nothing")


def test_wrong_options_are_one_message_and_exit_code_2(tmp_path, monkeypatch):
    """A wrong path, number or language ends with what was wrong and what is right."""
    monkeypatch.chdir(tmp_path)
    for options, words in (
        (["--from", "nowhere.xml", "--out", "x"], "no file or folder at nowhere.xml"),
        (["--from", "nowhere.xml", "--out", "x", "--workers", "0"], "workers"),
        (["--from", "nowhere.xml", "--out", "x", "--engine", "rya"], "engine"),
    ):
        done = CliRunner().invoke(app, ["corpus", "build", *options])
        assert done.exit_code == 2, done.output
        assert words in done.output
    assert not (tmp_path / "x").exists()


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        """Seconds."""
        return self.now


def record(number, items, position, total=1000):
    """A shard's record."""
    return ShardRecord(number=number, after=None, items=items, counts={}, notes={}, rows={}, position=(position, total))


def test_the_remaining_time_counts_input_used_up_in_this_session():
    """Half the input in 100 s leaves 100 s; what an earlier session read counts for the share, not for the speed."""
    clock = Clock()
    pace = Pace(clock)
    assert pace.remaining == "?"
    clock.now = 100.0
    pace.take(record(0, 50, 500), new=True)
    assert (pace.share, pace.remaining, round(pace.pages_per_s, 3)) == ("50.0%", "0:01:40", 0.5)
    resumed = Pace(Clock())
    resumed.take(record(0, 50, 500), new=False)
    resumed._clock.now = 10.0
    resumed.take(record(1, 10, 600), new=True)
    assert (resumed.share, resumed.remaining, resumed.pages_per_s) == ("60.0%", "0:00:40", 1.0)


def test_titles_in_a_file_are_the_source_s_to_read(tmp_path, monkeypatch):
    """Law: --pages @FILE reaches the source as it stands; the corpus keeps what is in the file, not where it lies."""
    (tmp_path / "titles").write_text("Talk:A\n", encoding="utf-8")
    given = []
    monkeypatch.setattr(corpus_build, "build", lambda settings, *_: given.append(settings) or 1 / 0)
    asked = ["--from", "https://wiki.example/api.php", "--out", str(tmp_path / "asked"), "--pages", "Talk:C"]
    result = CliRunner().invoke(app, ["corpus", "build", *asked, "--pages", f"@{tmp_path / 'titles'}"])
    assert isinstance(result.exception, ZeroDivisionError)
    found = given[0].content | dict(asked_of_source(given[0], (), b"salt"))
    digest = hashlib.sha256(b"Talk:A\n").hexdigest()[:16]
    assert (found["pages"], found["files of titles (SHA-256)"]) == (["Talk:C"], digest)
