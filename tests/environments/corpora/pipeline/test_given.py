"""What a source says of people, names out."""

import json

from folkmoot.environments.corpora.pipeline.given import FIXED, hide
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, pseudonym
from folkmoot.environments.talk_page.wikitext import load_language

SALT = b"a salt for tests only"
FORMAL = pseudonym("Formal", SALT)
NAMES = Pseudonyms(SALT, load_language("en"), ["Formal", "Graduate"])


def test_values_out_of_a_list_stay():
    """A user who is called like a word of an allowed value changes only free text."""
    fields = {
        "profile": "Argues with Formal.",
        "attributes": {"education_level": "graduate", "location": "with Formal", "hobbies": ["Formal", "mills"]},
        "traits": {"writing_style": {"values": ["Formal procedural tone"], "reasoning": "As Formal says."}},
        "history": [{"thread": "7", "title": "Formal", "comments": [{"time": 1, "text": "Formal!"}]}],
        "rate_per_day": 0.5,
    }
    assert hide(fields, NAMES) == {
        "profile": f"Argues with {FORMAL}.",
        "attributes": {"education_level": "graduate", "location": f"with {FORMAL}", "hobbies": [FORMAL, "mills"]},
        "traits": {"writing_style": {"values": ["Formal procedural tone"], "reasoning": f"As {FORMAL} says."}},
        "history": [{"thread": "7", "title": FORMAL, "comments": [{"time": 1, "text": f"{FORMAL}!"}]}],
        "rate_per_day": 0.5,
    }
    assert {"values", "gender", "age_range", "education_level"} == FIXED


def test_nobody_is_dropped_for_the_name_of_another(make, tmp_path):
    """Built for real: the persona with the value is there, and no reason of a drop tells a name."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "comments.jsonl").write_text(
        "".join(
            json.dumps({"thread": "t", "author": name, "time": 1714564800 + n, "text": "Good morning."}) + "\n"
            for n, name in enumerate(("Formal", "Adalovely", "Bodobert"))
        ),
        "utf-8",
    )
    people = [
        {"author": "Formal", "traits": {"writing_style": {"values": ["Formal procedural tone"]}}},
        {"author": "Adalovely", "profile": "Knows Formal."},
        {"author": "Bodobert", "traits": {"Adalovely": {"values": ["Formal"]}}},
    ]
    (tmp_path / "table" / "personas.jsonl").write_text("".join(json.dumps(each) + "\n" for each in people), "utf-8")
    store = make(f"table:{tmp_path / 'table'}", lang="en", stages={"personas": {"filters": {"keep_all": True}}})
    personas = list(store.personas())
    assert {persona.profile[:6] for persona in personas} == {"", "Knows "}
    assert [p.traits["writing_style"].values for p in personas if p.traits] == [("Formal procedural tone",)]
    given = store.manifest.stage("given")
    assert (given.counts["people"].kept, given.counts["people"].dropped) == (3, {})
    assert [count for reason, count in given.notes.items() if "unknown trait" in reason] == [1]
    written = (store.path / "manifest.json").read_text("utf-8")
    assert "Adalovely" not in written
