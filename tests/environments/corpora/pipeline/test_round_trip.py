"""What a store gives back is what parsing in memory gives."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.building import Builder, RawPage, known_names, words_too
from folkmoot.environments.corpora.built import load_built
from folkmoot.environments.corpora.pipeline.rows import long_hash
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.environments.talk_page.wikitext.parse import parse_page
from folkmoot.sim.errors import CorpusError

SALT = b"a salt for the tests of builds"


def in_memory(source, code):
    """Events of each page by itself, parsed and named in memory, numbered through."""
    language, events = load_language(code), []
    for page in open_source(str(source), Request("")).pages():
        if page.namespace != 1:
            continue
        raw = RawPage(page.title, page.text, parse_page(page.text, language), id=long_hash(page.title, SALT))
        names, aliases = known_names([raw], language)
        builder = Builder("testwiki", language, SALT, Pseudonyms(SALT, language, names, aliases), events=events)
        builder.names.spare(words_too([raw.parsed], builder.names))
        builder.add(raw)
    return events


def test_store_to_events_equals_parsing_in_memory(wiki, make):
    """Source to store to corpus to events: the same events, field by field, as without a store."""
    corpus = load_built(make(wiki).path, max_threads=None)
    assert list(corpus.events) == in_memory(wiki, "en")
    assert len(corpus.events) == 60


@pytest.mark.shared
def test_real_pages_come_back_as_they_were_read(shared, make, tmp_path):
    """The same on real German pages, with every sign of their punctuation."""
    folder = tmp_path / "de"
    folder.mkdir()
    for path in sorted((shared / "talk/dt-oracle").glob("de-1-*.wikitext")):
        (folder / path.name).write_bytes(path.read_bytes())
    corpus = load_built(make(folder, lang="de", name="testwiki").path, max_threads=None)
    assert list(corpus.events) == in_memory(folder, "de")


def test_any_comment_can_be_shown_in_its_page(wiki, make):
    """Offsets in the source cut the comment out of the source, those in the store out of the stored page."""
    store = make(wiki)
    sources = {long_hash(p.title, SALT): p.text for p in open_source(str(wiki), Request("")).pages()}
    pages = {page.id: page.text for page in store.pages()}
    seen = 0
    for thread in store.threads():
        raw, stored = sources[thread.page_id], pages[thread.page_id]
        assert raw[slice(*thread.source)].startswith("== ")
        assert stored[slice(*thread.span)].startswith(f"== {thread.title} ==")
        for comment in thread.comments:
            assert "2011 (UTC)" in raw[slice(*comment.source)]
            assert comment.text.split(" ")[0] in stored[slice(*comment.span)]
            assert comment.actor in stored[slice(*comment.span)]
            seen += 1
    assert seen == 60


def test_spans_of_a_page_partition_it(wiki, make):
    """Threads and comments lie in the stored page in order and don't overlap."""
    store = make(wiki)
    place = {}
    for thread in store.threads():
        assert thread.span[0] >= place.get(thread.page_id, 0)
        position = thread.span[0]
        for comment in thread.comments:
            assert position <= comment.span[0] <= comment.span[1] <= thread.span[1]
            position = comment.span[1]
        place[thread.page_id] = thread.span[1]


LINES = st.lists(
    st.sampled_from(
        [
            "== Bridge ==",
            "=== More ===",
            "I agree. [[User:Ada Lovely|Ada]] 10:00, 3 May 2011 (UTC)",
            ":No. [[User:Bob the 2nd]] ([[User talk:Bob the 2nd|talk]]) 11:00, 3 May 2011 (UTC)",
            "::{{ping|Ada Lovely}} and [[User:Čapek Čas]] [[User:X|x]] 12:00, 3 May 2011 (UTC)",
            "nobody signs this line",
            "{{unsigned|Ada Lovely|13:00, 3 May 2011 (UTC)}}",
            "<nowiki>[[User:Ada Lovely]] 10:00, 3 May 2011 (UTC)</nowiki>",
            "<!-- Bob the 2nd was here -->",
            "{| a table\n|}",
            "\U0001f600 \u0301 [[ {{ ]] }}",
        ]
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, min_size=1, max_size=3), st.integers(1, 3))
def test_any_pages_round_trip(lab, make, tmp_path, pages, shard_pages):
    """Whatever stands on the pages: the store's events are those of memory, and no name is left in a stored page."""
    folder = tmp_path / str(random.Random(repr((pages, shard_pages))).random())
    folder.mkdir(exist_ok=True)
    path = folder / "wiki.xml"
    made = [lab.page(n, f"Talk:Page {n}", 1, "\n".join(lines)) for n, lines in enumerate(pages, 1)]
    path.write_text(lab.export(*made), encoding="utf-8")
    expected = in_memory(path, "en")
    try:
        store = make(path, f"{folder.name}-out", shard_pages=shard_pages)
    except CorpusError:
        assert not expected
        return
    assert list(load_built(store.path, max_threads=None).events) == expected
    assert all("[[User:Ada" not in page.text.replace("<nowiki>[[User:Ada", "") for page in store.pages())


def test_max_threads_takes_the_latest_kept_threads(wiki, make):
    """A bound keeps the threads that opened last, and counts the others."""
    store = make(wiki)
    whole, part = load_built(store.path, None), load_built(store.path, 5)
    firsts = sorted(events[0].time for events in whole.threads().values())
    assert sorted(events[0].time for events in part.threads().values()) == firsts[-5:]
    assert part.losses["older threads (corpus.max_threads)"] == 19
    assert [event.seq for event in part.events] == list(range(len(part.events)))


def test_a_filter_is_honoured_by_whoever_reads(wiki, make):
    """Threads with a reason in `selection` are passed over unless they are asked for."""
    store = make(wiki)
    ids = [thread.id for thread in store.threads()]
    store.write("selection", ({"thread": name, "reason": "a test" if n % 2 else ""} for n, name in enumerate(ids)))
    again = Store.open(store.path)
    assert [thread.id for thread in again.threads()] == ids[::2]
    assert [thread.id for thread in again.threads(dropped=True)] == ids
    assert set(load_built(store.path, None).threads()) == set(ids[::2])
