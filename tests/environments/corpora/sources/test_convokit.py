"""Laws of the ConvoKit importer and of a corpus's way to ConvoKit and back."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from folkmoot.environments.corpora.demo import FOLDER
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.sources.base import ThreadSource
from folkmoot.environments.corpora.sources.convokit import open_convokit
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.sim.commands.convokit_corpus import export_corpus
from folkmoot.sim.commands.exports import export
from folkmoot.sim.errors import ConfigError, CorpusError, LogError
from folkmoot.sim.persona import Persona, Trait


@pytest.fixture
def salted(monkeypatch):
    """A salt of the test's own."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for tests")


def made(source, out, **more):
    """A store built from a source; threads stay whoever writes in them."""
    stages = {"personas": {"filters": {"keep_all": True}}}
    return build(BuildSettings(source=str(source), out=out, stages=stages, **more))


@pytest.fixture
def corpus(salted, tmp_path):
    """A corpus of raw pages, with an article and a persona."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for file in (FOLDER / "de").glob("*.wikitext"):
        (pages / file.name).write_bytes(file.read_bytes())
    store = made(pages, tmp_path / "corpus", lang="de")
    rows = list(store.rows("thread_articles"))
    article = {
        "id": "0123@77",
        "subject": "0123",
        "revision": 77,
        "time": 5,
        "text": "An ''article''  of 1785.\n\n\nEnd",
    }
    store.write("articles", [article])
    store.write("thread_articles", [{**rows[0], "article": "0123@77", "reason": None}, *rows[1:]])
    actor = next(store.threads()).comments[0].actor
    trait = {"policy_usage": Trait(values=("Occasional citation",), reasoning="Once.")}
    store.write_personas([Persona(id=actor, language="de", profile="Likes mills.", traits=trait, rate_per_day=0.5)])
    return store


def write(folder, utterances, **files):
    """A ConvoKit folder."""
    folder.mkdir(exist_ok=True)
    (folder / "utterances.jsonl").write_text("".join(json.dumps(each) + "\n" for each in utterances), "utf-8")
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder


def read(folder):
    """The threads of a folder, and what was lost."""
    source = open_convokit(Request(str(folder)))
    return list(source.threads()), source.losses


def comparable(thread):
    """What ConvoKit has a place for: not where a text stands on its page."""
    comments = tuple(replace(comment, source=None, span=None) for comment in thread.comments)
    return replace(thread, page_id="", number=0, source=None, span=None, comments=comments)


# --- there and back -------------------------------------------------------------------------------


def test_a_corpus_comes_back_from_convokit(corpus, tmp_path):
    """Law: threads, comments with all that was known of them, articles and personas are the same after the way back."""
    done = export_corpus(corpus, tmp_path / "convokit")
    again = made(f"convokit:{tmp_path / 'convokit'}", tmp_path / "again")
    assert (again.manifest.language, again.manifest.name) == ("de", corpus.manifest.name)
    threads = [comparable(thread) for thread in corpus.threads()]
    assert [comparable(thread) for thread in again.threads()] == threads
    assert done.counts["utterances"] == sum(len(thread.comments) for thread in threads)
    assert {comment.by for thread in threads for comment in thread.comments} >= {"signed"}
    assert [row["text"] for row in again.rows("articles")] == [row["text"] for row in corpus.rows("articles")]
    assert [(row["revision"], row["time"]) for row in again.rows("articles")] == [(77, 5)]
    there, back = ([row["reason"] for row in store.rows("thread_articles")] for store in (corpus, again))
    assert there == back
    people = {
        each.author: each.fields for each in open_source(f"convokit:{tmp_path / 'convokit'}", Request("")).people()
    }
    assert [Persona.model_validate(people[persona.id]) for persona in corpus.personas()] == list(corpus.personas())
    assert list(again.personas()) == list(corpus.personas())


def test_what_was_kept_once_is_kept_again(corpus, tmp_path):
    """Law: a corpus that comes back keeps its threads without being asked to, though few of its people have traits."""
    export_corpus(corpus, tmp_path / "convokit")
    source = f"convokit:{tmp_path / 'convokit'}"
    again = build(BuildSettings(source=source, out=tmp_path / "again"))
    assert [thread.id for thread in again.threads()] == [thread.id for thread in corpus.threads()]
    assert list(again.personas()) == list(corpus.personas())


def test_the_second_export_is_the_first(corpus, tmp_path):
    """Law: exported, imported and exported again: the same utterances, speakers and conversations, byte for byte."""
    export_corpus(corpus, tmp_path / "one")
    again = made(f"convokit:{tmp_path / 'one'}", tmp_path / "again")
    export_corpus(again, tmp_path / "two")
    for name in ("utterances.jsonl", "speakers.json"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    one, two = (json.loads((tmp_path / which / "conversations.json").read_text()) for which in ("one", "two"))
    strip = {"article_id"}
    for name, entry in one.items():
        assert {k: v for k, v in entry["meta"].items() if k not in strip} == {
            k: v for k, v in two[name]["meta"].items() if k not in strip
        }


def test_names_that_dont_look_hidden_are_hidden(corpus, tmp_path):
    """Law: a folder's word that its names are pseudonyms counts only if every speaker looks like one."""
    export_corpus(corpus, tmp_path / "convokit")
    assert open_convokit(Request(str(tmp_path / "convokit"))).pseudonymous
    path = tmp_path / "convokit" / "speakers.json"
    speakers = json.loads(path.read_text())
    path.write_text(json.dumps({"Ada Rad": {"meta": {}}, **speakers}))
    assert not open_convokit(Request(str(tmp_path / "convokit"))).pseudonymous


def test_an_export_without_its_speakers_is_hidden(corpus, tmp_path):
    """Law: where speakers.json is gone nothing vouches for the names, and all become pseudonyms once more."""
    export_corpus(corpus, tmp_path / "convokit")
    (tmp_path / "convokit" / "speakers.json").unlink()
    source = open_convokit(Request(str(tmp_path / "convokit")))
    assert not source.pseudonymous
    with (tmp_path / "convokit" / "utterances.jsonl").open("a") as file:
        file.write(json.dumps({"id": "x", "speaker": "Ada Rad", "timestamp": 5, "text": "Ada Rad writes"}) + "\n")
    again = made(f"convokit:{tmp_path / 'convokit'}", tmp_path / "again")
    (said,) = [c for thread in again.threads(dropped=True) for c in thread.comments if c.text.endswith(" writes")]
    assert said.actor == pseudonym("Ada Rad", b"a salt for tests")
    assert said.text == f"{said.actor} writes"


def test_a_name_among_pseudonyms_is_refused(corpus, tmp_path):
    """Law: an utterance of our export by a name that isn't hidden stops the build; a raw mention is left out, counted."""
    export_corpus(corpus, tmp_path / "convokit")
    path = tmp_path / "convokit" / "utterances.jsonl"
    lines = path.read_text().splitlines()
    called = json.loads(lines[0])
    called["meta"]["mentions"] = ["0123456789", "Ada Rad"]
    path.write_text("\n".join([json.dumps(called), *lines[1:]]) + "\n")
    threads, losses = read(tmp_path / "convokit")
    assert threads[0].comments[0].mentions == ("0123456789",)
    assert losses["mentions that are no pseudonyms (kept without)"] == 1
    with path.open("a") as file:
        file.write(json.dumps({"id": "x", "speaker": "Ada Rad", "timestamp": 5, "text": "Hello"}) + "\n")
    with pytest.raises(CorpusError, match="utterance x is by a name that is no pseudonym"):
        read(tmp_path / "convokit")


def test_a_revised_comment_comes_back(corpus, tmp_path):
    """Law: who names the author comes back, a model that revised the thread included."""
    export_corpus(corpus, tmp_path / "convokit")
    path = tmp_path / "convokit" / "utterances.jsonl"
    path.write_text(path.read_text().replace('"by": "signed"', '"by": "revised"'))
    assert "revised" in {comment.by for thread in read(tmp_path / "convokit")[0] for comment in thread.comments}


def test_the_command_takes_a_corpus(corpus, tmp_path):
    """Law: `export` tells a corpus from a run; it refuses what is there already, and Parquet, which it is."""
    said = export(corpus.path, "convokit", None)
    assert said.startswith(f"{corpus.path}-convokit: {corpus.manifest.tables['comments'].rows} utterances")
    with pytest.raises(LogError, match="is there already"):
        export(corpus.path, "convokit", None)
    assert export(corpus.path, "convokit", None, force=True) == said
    with pytest.raises(ConfigError, match="its tables are Parquet already"):
        export(corpus.path, "parquet", None)


@pytest.mark.optional
def test_convokit_itself_reads_a_corpus_and_we_read_what_it_writes(corpus, tmp_path):
    """Law: the real package loads the export with every text, reply and metadata, and its own dump reads back the same."""
    convokit = pytest.importorskip("convokit", reason="the optional package convokit isn't installed")
    export_corpus(corpus, tmp_path / "convokit")
    loaded = convokit.Corpus(filename=str(tmp_path / "convokit"))
    loaded.print_summary_stats()
    comments = {comment.id: comment for thread in corpus.threads() for comment in thread.comments}
    assert set(loaded.get_utterance_ids()) == set(comments)
    for utterance in loaded.iter_utterances():
        comment = comments[utterance.id]
        assert (utterance.text, utterance.speaker.id) == (comment.text, comment.actor)
        assert utterance.timestamp == comment.time // 1000
        assert utterance.meta["by"] == comment.by
    for conversation in loaded.iter_conversations():
        assert conversation.check_integrity(verbose=False)
    assert len(loaded.get_conversation_ids()) == corpus.manifest.tables["threads"].rows
    loaded.dump("dumped", base_path=str(tmp_path))
    (tmp_path / "dumped" / "articles.jsonl").write_bytes((tmp_path / "convokit" / "articles.jsonl").read_bytes())
    again = made(f"convokit:{tmp_path / 'dumped'}", tmp_path / "again")
    assert [comparable(t) for t in again.threads()] == [comparable(t) for t in corpus.threads()]


# --- folders by others ----------------------------------------------------------------------------


def test_scattered_utterances_of_two_ages_are_read(tmp_path):
    """Law: old and new names of fields, numbers as ids, string times and scattered lines give the same threads."""
    new = [
        {
            "id": 1,
            "speaker": "Ada",
            "conversation_id": 1,
            "reply-to": None,
            "timestamp": 100,
            "text": "Why?",
            "meta": {"x": 2},
        },
        {
            "id": "9",
            "speaker": {"id": "Cleo"},
            "conversation_id": "9",
            "timestamp": "2006-03-10 14:50:43 UTC",
            "text": "Else",
        },
        {"id": "2", "speaker": "Bodo", "conversation_id": 1, "reply-to": 1, "timestamp": "160.5", "text": "So."},
    ]
    old = [{"user": e["speaker"], "root": e["conversation_id"], "reply_to": e.get("reply-to"), **e} for e in new]
    for each in old:
        for name in ("speaker", "conversation_id", "reply-to"):
            each.pop(name, None)
    source = open_convokit(Request(str(write(tmp_path / "new", new))))
    assert isinstance(source, ThreadSource)
    threads = list(source.threads())
    assert [[(c.id, c.author, c.time, c.parent, c.text) for c in thread.comments] for thread in threads] == [
        [("1", "Ada", 100_000, None, "Why?"), ("2", "Bodo", 160_500, "1", "So.")],
        [("9", "Cleo", 1_142_002_243_000, None, "Else")],
    ]
    assert threads[0].comments[0].facts == {"x": 2}
    assert source.position() == (3, 3)
    listed = tmp_path / "old"
    listed.mkdir()
    (listed / "utterances.json").write_text(json.dumps(old))
    assert [t.comments for t in read(listed)[0]] == [t.comments for t in threads]


def test_odd_utterances_are_counted_or_mended(tmp_path):
    """Law: what can't be read is counted with its line; a missing time, parent or speaker costs only itself."""
    folder = write(
        tmp_path / "odd",
        [
            {"id": "a", "conversation_id": "a", "speaker": None, "timestamp": None, "text": "no one, no time"},
            {
                "id": "b",
                "conversation_id": "a",
                "speaker": "[deleted]",
                "timestamp": "soon",
                "reply-to": "zz",
                "text": None,
            },
            {"id": "c", "conversation_id": "a", "speaker": "Ada", "reply-to": "d", "text": "ring", "meta": None},
            {"id": "d", "conversation_id": "a", "speaker": "Ada", "reply-to": "c", "text": "ring", "vectors": ["v"]},
            {
                "id": "c",
                "conversation_id": "a",
                "speaker": "Ada",
                "reply-to": "d",
                "text": "again",
                "meta": {"p": "<##bin{0}&&@**>"},
            },
            {"speaker": "Ada", "text": "without id"},
            {"id": ["x"], "text": "not an id"},
        ],
    )
    with (folder / "utterances.jsonl").open("ab") as file:
        file.write(
            b'{"id": "e", "text": "\xff"}\n{"id": "f"\n' + b"[" * 10_000 + b'\n{"id": "g", "text": "\\ud800"}\n"h"\n'
        )
    (thread,), losses = read(folder)
    assert [(c.id, c.author, c.time, c.parent, c.text) for c in thread.comments] == [
        ("a", "", None, None, "no one, no time"),
        ("b", "", None, None, ""),
        ("d", "Ada", None, None, "ring"),
        ("c", "Ada", None, "d", "again"),
    ]
    assert sum(losses.values()) == 1 + 1 + 1 + 1 + 1 + 1 + 1 + 5
    assert losses["utterances without an id (line 6)"] == 1
    assert any("line 7" in reason for reason in losses)
    assert losses["pickled metadata 'p' (kept without; no pickle is opened)"] == 1


def test_a_source_goes_on_behind_any_thread(tmp_path):
    """Law: what follows a key is the same as in one go, and counts add up."""
    lines = [
        {"id": str(n), "conversation_id": str(n % 5), "speaker": "A", "reply-to": "gone", "text": "x"}
        for n in range(20)
    ]
    folder = write(tmp_path / "c", [*lines, {"text": "no id"}])
    whole, losses = read(folder)
    for cut in range(5):
        first, second = (open_convokit(Request(str(folder))) for _ in range(2))
        steps = first.threads()
        head = [next(steps) for _ in range(cut + 1)]
        assert head + list(second.threads(after=head[-1].key)) == whole
        assert Counter(first.losses) + Counter(second.losses) == losses
    assert first.identity() == second.identity()


def test_people_have_what_a_persona_has_a_field_for(tmp_path):
    """Law: of a speaker's metadata what a persona has a field for is handed on, in the old form and the new one."""
    speakers = {
        "Ada": {"meta": {"profile": "Miller.", "karma": 7}},
        "Bodo": {"attributes": {"gender": "man"}},
        "Cleo": {"meta": {}},
    }
    folder = write(tmp_path / "c", [{"id": "a", "speaker": "Ada", "text": "x"}], speakers=speakers)
    people = list(open_convokit(Request(str(folder))).people())
    assert [(each.author, each.fields) for each in people] == [
        ("Ada", {"profile": "Miller."}),
        ("Bodo", {"attributes": {"gender": "man"}}),
    ]


def test_a_folder_without_utterances_is_an_error(tmp_path):
    """Law: a wrong folder is told apart from a damaged file, with the way out."""
    with pytest.raises(CorpusError, match="isn't a folder"):
        open_convokit(Request(str(tmp_path / "nowhere")))
    write(tmp_path / "inner", [{"id": "a", "text": "x"}], conversations=[1, 2])
    with pytest.raises(CorpusError, match="so it isn't a corpus of ConvoKit's; did you mean .*inner?"):
        open_convokit(Request(str(tmp_path)))
    with pytest.raises(CorpusError, match="conversations.json isn't a JSON object"):
        open_convokit(Request(str(tmp_path / "inner")))


@pytest.mark.shared
def test_a_thousand_real_conversations(shared, salted, tmp_path):
    """Law: 1,000 conversations of WikiConv, as a ConvoKit folder with string times, give as many threads and comments."""
    raw = (shared / "dialog" / "wikidetox-conversations" / "conversations_job1_x1000.js").read_text("utf-8")
    conversations = json.loads(
        raw.partition("=")[2].strip().rstrip(";").rstrip().removesuffix(",\n]").rstrip("]").rstrip().rstrip(",") + "]"
    )
    utterances = [
        {
            "id": each["id"],
            "conversation_id": next(iter(talk)),
            "reply-to": each["parent_id"] or None,
            "speaker": each["user_text"],
            "timestamp": each["timestamp"],
            "text": each["content"],
            "meta": {"comment_type": each["comment_type"]},
        }
        for talk in conversations
        for each in talk.values()
    ]
    threads, losses = read(write(tmp_path / "wiki", utterances))
    assert sum(len(t.comments) for t in threads) == len({u["id"] for u in utterances}) > 3000
    assert all(comment.time for thread in threads for comment in thread.comments)
    assert not any("can't be read" in reason for reason in losses)
    store = made(f"convokit:{tmp_path / 'wiki'}", tmp_path / "built", lang="en", limit=300)
    assert store.manifest.tables["threads"].rows == 300
    assert len(threads) == len({each["conversation_id"] for each in utterances}) > 900
