"""Three disjoint parts, and no leak between them."""

import dataclasses

import msgspec
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.splits import SplitSettings, check_leakage, split
from folkmoot.environments.corpora.wikitext import load_wikitext
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

LONG = "a sentence of ten words that nobody would write twice by chance"


def corpus_of(threads, personas=()):
    """A corpus from threads of (time, actor, text)."""
    events = []
    for number, comments in enumerate(threads):
        first = len(events)
        for time, actor, text in comments:
            common = {"seq": len(events), "time": time, "actor": actor, "community": "x", "origin": "recorded", "thread": str(number), "text": text, "language": "en", "page": "P", "source_id": f"p#{len(events)}"}  # fmt: skip
            events.append(
                ThreadOpened(title=str(number), **common)
                if len(events) == first
                else CommentPosted(parent=first, **common)
            )
    return Corpus("x", "en", "UTC", {}, tuple(events), {p.id: p for p in personas}, "0")


def test_a_page_by_time(page, salt):
    """Earlier threads are history and openings (the latest), later ones the reference; the rest is counted."""
    corpus = load_wikitext(page, "en", salt)
    parts = split(corpus, SplitSettings(fraction=0.6))
    ids = list(corpus.threads())
    assert parts.history == tuple(ids[:2])
    assert parts.openings == (ids[2],)
    assert parts.reference == tuple(ids[3:])
    assert [event.text for event in parts.opening_events(corpus)] == [corpus.threads()[ids[2]][0].text]
    assert parts.losses["later comments of openings"] == 1
    assert parts.before == corpus.threads()[ids[3]][0].time
    assert len(parts.personas) == 4
    assert "unattributed" not in parts.personas
    remembered = {item.thread for p in parts.personas.values() for item in p.history}
    assert remembered == set(parts.history)
    ada = parts.personas[corpus.events[0].actor]
    assert ada.history_size == 2
    assert ada.rate_per_day == pytest.approx(2 / 58.833333, abs=1e-6)


def test_late_comments_of_early_threads_are_in_no_part():
    """A comment posted after the instant in a thread from before it is neither remembered nor compared with."""
    threads = [[(1, "a", "one"), (2, "b", "two"), (900, "b", "late")], [(10, "a", "x")], [(100, "b", "y")]]
    parts = split(corpus_of(threads))
    assert parts.before == 100
    assert parts.losses["comments after the instant of the split in threads from before it"] == 1
    texts = {c.text for p in parts.personas.values() for item in p.history for c in item.comments}
    assert texts == {"one", "two"}


def test_a_text_repeated_in_the_reference_is_not_remembered():
    """Boilerplate that stands in the reference too leaves the personas' memories and the openings, and is counted."""
    threads = [[(1, "a", LONG), (2, "b", "b"), (3, "a", "c")], [(8, "a", "d")], [(9, "b", LONG.upper())], [(99, "a", f"{LONG}!")], [(100, "a", "z")]]  # fmt: skip
    parts = split(corpus_of(threads), SplitSettings(fraction=0.6))
    assert parts.openings == ("1",)
    assert parts.losses["history comments whose text stands in the reference too"] == 2
    assert parts.losses["openings passed over: their text stands in the reference too"] == 2


def test_personas_bring_their_history():
    """With personas, the earliest third of the threads are openings, the others the reference."""
    persona = Persona(id="a", language="en")
    threads = [[(n, "a", str(n)), (n, "b", "r")] for n in (5, 4, 3, 2, 1, 0)]
    parts = split(corpus_of(threads, [persona]))
    assert parts.openings == ("5", "4")
    assert parts.reference == ("3", "2", "1", "0")
    assert (parts.history, parts.before) == ((), None)
    assert parts.personas == {"a": persona}


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        ([[(1, "a", "x"), (2, "b", "y")]], "1 thread, at least 3"),
        (
            [[(1, "a", "x")], [(1, "b", "y")], [(1, "b", "z")]],
            "0 threads that opened before the instant .*, at least 2",
        ),
        (
            [[(n, "a", "x"), (n, "a", "y")] for n in range(9)],
            "1 user with at least one comment in the history part, at least 2",
        ),
    ],
)
def test_too_little(threads, message):
    """A corpus that can't give three parts or two users is refused with value, bound and way out."""
    with pytest.raises(
        CorpusError,
        match=rf"x: {message} needed .*; take a longer page .* population.fraction or population.min_history",
    ):
        split(corpus_of(threads))


def test_too_many_openings():
    """Openings leave at least one thread."""
    with pytest.raises(CorpusError, match="3 openings asked for, at most 2 .*; lower population.openings"):
        split(corpus_of([[(n, "a", "x"), (n, "b", "y")] for n in range(5)]), SplitSettings(openings=3))


def test_a_leak_is_found():
    """The check raises for a memory, an opening or an id that the reference holds too, and not for short texts."""
    memory = HistoryThread(thread="h", title="", comments=(HistoryComment(time=0, text="Done."), HistoryComment(time=0, text=LONG)))  # fmt: skip
    persona = Persona(id="a", language="en", history=(memory,))
    with pytest.raises(CorpusError, match="the text 'a sentence of ten"):
        split(corpus_of([[(1, "a", "x")], [(2, "b", "y")], [(3, "b", f"'{LONG.title()}'")]], [persona]))
    with pytest.raises(CorpusError, match="the text 'a sentence of ten"):
        split(corpus_of([[(1, "a", LONG)], [(2, "b", "y")], [(3, "b", LONG)]], [Persona(id="a", language="en")]))
    short = corpus_of([[(1, "a", "Done.")], [(2, "b", "Done.")], [(3, "b", "Done.")]], [persona])
    parts = split(short)
    twice = [msgspec.structs.replace(event, source_id="same") for event in short.events]
    with pytest.raises(CorpusError, match="comment 'same'"):
        check_leakage(dataclasses.replace(short, events=tuple(twice)), parts)


def split_or_refuse(corpus, wanted):
    """The parts, or the words of the refusal."""
    try:
        return split(corpus, wanted)
    except CorpusError as error:
        return str(error)


comments = st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from("abcd"), st.sampled_from(["x", "y", LONG, f"{LONG} too"])), min_size=1, max_size=4)  # fmt: skip


@given(st.lists(comments, min_size=3, max_size=12), st.floats(0.1, 0.9))
@settings(max_examples=200)
def test_parts_are_disjoint(threads, fraction):
    """Whatever the corpus: either a clear refusal, or disjoint parts without a leak, ordered in time."""
    corpus = corpus_of(threads)
    parts = split_or_refuse(corpus, SplitSettings(fraction=fraction))
    if isinstance(parts, str):
        assert "needed" in parts
        return
    everything = [*parts.history, *parts.openings, *parts.reference]
    assert len(everything) == len(set(everything))
    assert all(corpus.threads()[thread][0].time < parts.before for thread in (*parts.history, *parts.openings))
    assert all(corpus.threads()[thread][0].time >= parts.before for thread in parts.reference)
    assert all(c.time < parts.before for p in parts.personas.values() for i in p.history for c in i.comments)
    assert all(event.time < parts.before for event in parts.opening_events(corpus))
    used = len(parts.opening_events(corpus)) + len(parts.reference_events(corpus)) + len(parts.history_events(corpus))
    unused = parts.losses["later comments of openings"]
    unused += parts.losses["comments after the instant of the split in threads from before it"]
    assert used + unused == len(corpus.events)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["dt-oracle/mwch-article-687993820", "split/fr.dev", "dt-oracle/de-4-8011557"])
def test_real_pages_split(shared, salt, name):
    """Each of the three real pages gives at least two personas, an opening and a reference thread by default."""
    corpus = load_wikitext(shared / "talk" / f"{name}.wikitext", None, salt)
    parts = split(corpus)
    assert len(parts.personas) >= 2
    assert len(parts.openings) >= 1
    assert len(parts.reference) >= 2


TOWN = st.lists(
    st.lists(st.tuples(st.integers(0, 99), st.sampled_from("abcdef")), min_size=1, max_size=4), min_size=6, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(TOWN, st.sampled_from(["thread", "user"]), st.integers(0, 3))
def test_lots(town, by, seed):
    """By lot: parts are disjoint, every thread is in one or counted, and the same seed gives the same parts."""
    corpus = corpus_of(
        [[(time, who, f"{n} {place}") for place, (time, who) in enumerate(t)] for n, t in enumerate(town)]
    )
    wanted = SplitSettings(by=by, seed=seed, fraction=0.5)
    try:
        parts = split(corpus, wanted)
    except CorpusError:
        reject()  # too small a town for three parts
    history, openings, reference = set(parts.history), set(parts.openings), set(parts.reference)
    assert len(history) + len(openings) + len(reference) == len(history | openings | reference)
    lost = parts.losses["threads of users on both sides of the split"]
    assert len(history | openings | reference) + lost == len(town)
    assert parts.before is None
    assert split(corpus, wanted) == parts
    if by == "user":
        assert not {event.actor for event in parts.reference_events(corpus)} & set(parts.personas)
    else:
        assert lost == 0


def test_another_seed_draws_others():
    """The lot depends on the seed, and neither on the order nor on the number of other threads."""
    corpus = corpus_of([[(n, "a", f"x{n}"), (n, "b", f"y{n}")] for n in range(40)])
    drawn = [set(split(corpus, SplitSettings(by="thread", seed=seed)).reference) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_users_with_their_own_history():
    """By user, personas that bring their history are those of one side; the other side is the reference."""
    item = HistoryThread(thread="h", title="h", comments=(HistoryComment(time=0, text="x"),))
    people = [Persona(id=user, language="en", history=(item,)) for user in "abcdef"]
    threads = [[(n, user, f"{user}{n}"), (n, user, "r")] for n in range(5) for user in "abcdef"]
    corpus = corpus_of(threads, people)
    parts = split(corpus, SplitSettings(by="user", fraction=0.5, seed=1))
    writers = {event.actor for event in parts.reference_events(corpus)}
    assert writers
    assert parts.personas
    assert writers | set(parts.personas) == set("abcdef")
    assert not writers & set(parts.personas)
    leaking = dataclasses.replace(parts, personas=corpus.personas)
    with pytest.raises(CorpusError, match="user"):
        check_leakage(corpus, leaking, apart=True)


def test_profiles_are_kept_with_any_split():
    """What the corpus tells of a user stays, whichever way the history is cut."""
    people = [Persona(id=user, language="en", profile=f"{user} bakes.") for user in "ab"]
    corpus = corpus_of([[(n, "a", f"x{n}"), (n, "b", f"y{n}")] for n in range(9)], people)
    corpus = dataclasses.replace(corpus, remembering=False)
    parts = split(corpus, SplitSettings(by="thread"))
    assert {p.profile for p in parts.personas.values()} == {"a bakes.", "b bakes."}
    assert all(p.history for p in parts.personas.values())
