"""The demo corpus, the shipped one and a tiny one."""

import json
import re
import subprocess
import sys
import time

import pytest

from folkmoot.environments.corpora.demo import FOLDER, SALT, demo_languages, load_demo
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.splits import split
from folkmoot.environments.talk_page.wikitext import known_languages
from folkmoot.sim.errors import CorpusError

WIKITEXT = """== Weir ==
When was it built? [[Benutzer:Ada Fels|Ada]] 10:00, 1. Jul. 2020 (CEST)
:1820, @Ada Fels. [[Benutzer:Bo Grund|Bo]] 11:00, 1. Jul. 2020 (CEST)
"""
GOLD = [
    {"page": "Diskussion:Wehr", "thread": "Weir", "author": "Ada Fels", "time": "2020-07-01T08:00Z", "acts": ["ASK"], "sentiment": 3},
    {"page": "Diskussion:Wehr", "thread": "Weir", "author": "Bo Grund", "time": "2020-07-01T09:00Z", "acts": ["INFORM"], "sentiment": 4},
]  # fmt: skip
PERSONA = {"id": "Ada Fels", "language": "de", "profile": "Ada Fels likes weirs.", "history": [{"thread": "h", "title": "Bo Grund", "comments": [{"time": 1, "text": "hello bo_grund"}]}]}  # fmt: skip


@pytest.fixture
def tiny(tmp_path):
    """A demo folder with one German page."""
    home = tmp_path / "de"
    home.mkdir()
    (home / "1.wikitext").write_text(WIKITEXT)
    (home / "articles.json").write_text(json.dumps({"Diskussion:Wehr": {"file": "1.wikitext", "article": "Ein Wehr."}}))
    (home / "personas.json").write_text(json.dumps([PERSONA]))
    (home / "gold.json").write_text(json.dumps(GOLD))
    return tmp_path


def test_tiny(tiny):
    """Pages, personas and gold come together; names are replaced alike in all of them."""
    corpus = load_demo("de", tiny)
    ada, bo = pseudonym("Ada Fels", SALT), pseudonym("Bo Grund", SALT)
    assert [event.actor for event in corpus.events] == [ada, bo]
    assert corpus.events[1].text == f"1820, @{ada}."
    assert {seq: (gold.acts, gold.sentiment) for seq, gold in corpus.gold.items()} == {
        0: (("ASK",), 3),
        1: (("INFORM",), 4),
    }
    persona = corpus.personas[ada]
    assert persona.profile == f"{ada} likes weirs."
    assert persona.history[0].title == bo
    assert persona.history[0].comments[0].text == f"hello {bo}"
    assert corpus.pages["Diskussion:Wehr"].article == "Ein Wehr."
    assert corpus.timezone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda gold: gold[:1], "line 2 of gold.json is missing, but comment 2"),
        (lambda gold: [*gold, gold[0]], "line 3 .* comment 3 on the pages is missing"),
        (lambda gold: [gold[0], {**gold[1], "author": "Nobody"}], "line 2 .*author='Nobody'.*author='Bo Grund'"),
        (lambda gold: [{**gold[0], "time": "2020-07-01T10:00Z"}, gold[1]], "line 1 .*10:00Z.*08:00Z"),
        (lambda gold: [{**gold[0], "mood": 1}, gold[1]], "can't be read.*mood"),
    ],
)
def test_gold_must_match(tiny, change, message):
    """The first line of gold that says something else than the page is named, with both sides."""
    (tiny / "de" / "gold.json").write_text(json.dumps(change(GOLD)))
    with pytest.raises(CorpusError, match=message):
        load_demo("de", tiny)


def test_unknown_language():
    """A language without a demo is named, and those that have one."""
    with pytest.raises(CorpusError, match="no demo corpus in 'xx'; known: 'de', 'en'"):
        load_demo("xx")


@pytest.mark.parametrize("lang", demo_languages())
def test_shipped(lang):
    """The shipped pages load without loss; all is labelled; every author has a persona with a history from before."""
    corpus = load_demo(lang)
    assert corpus.losses == {}
    assert len(corpus.gold) == len(corpus.events)
    assert len(corpus.personas) >= 12
    start = min(event.time for event in corpus.events)
    assert all(c.time < start for p in corpus.personas.values() for item in p.history for c in item.comments)
    names = [record["id"] for record in json.loads((FOLDER / lang / "personas.json").read_text(encoding="utf-8"))]
    whole = repr(corpus.events) + repr(corpus.personas)
    assert [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", whole, re.IGNORECASE)] == []
    assert load_demo(lang).digest == corpus.digest
    assert len(split(corpus).openings) >= 4


def test_all_languages_ship():
    """Each language of the parser has a demo, 40 threads in all, with all ten acts and five points of sentiment."""
    corpora = [load_demo(lang) for lang in demo_languages()]
    assert set(demo_languages()) <= set(known_languages())
    assert sum(len(corpus.threads()) for corpus in corpora) >= 40
    gold = [label for corpus in corpora for label in corpus.gold.values()]
    assert len({act for label in gold for act in label.acts}) == 10
    assert {label.sentiment for label in gold} == {1, 2, 3, 4, 5}


def test_light():
    """Loading a demo needs no torch, scipy, numpy or language model: it is light and quick."""
    code = (
        "import sys, folkmoot.environments.corpora.demo as d; d.load_demo('en');"
        "print([m for m in ('torch', 'scipy', 'numpy', 'py3langid', 'transformers') if m in sys.modules])"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert time.monotonic() - start < 5
