"""From a built corpus to its population, offline."""

from collections import Counter

import pytest

from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.profiles import ModelReader
from folkmoot.environments.corpora.filters import LONG, OUTSIDE, FilterSettings
from folkmoot.environments.corpora.persons import PersonSettings, add_personas
from folkmoot.environments.corpora.persons.stage import GIVEN
from folkmoot.environments.corpora.persons.talk import draw_threads, own_thread
from folkmoot.environments.corpora.privacy import check_profile
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.statistics import measure
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.userpages import APPARATUS
from folkmoot.sim.persona import TRAITS, Persona

SALT = b"a salt for tests only"
ADA, BOB, CAROL, DORA = (pseudonym(name, SALT) for name in ("Ada Lovely", "Bob the 2nd", "Carol", "Dora"))


def _run(store, settings=None):
    with ModelReader(ScriptedModel(), check=check_profile) as reader:
        record = add_personas(store, settings, reader, {"model": "scripted"})
    store.finish(record)
    return record


def test_people_of_a_wiki(small_store):
    """Profiles, choice, traits and personas of a small wiki; every count adds up."""
    record = _run(small_store)
    pages, threads, users, traits = (record.counts[k] for k in ("user pages", "threads", "users", "traits"))
    assert (pages.kept, pages.dropped) == (3, {APPARATUS: 1})
    assert (threads.kept, threads.dropped) == (4, {LONG: 1, OUTSIDE: 1})
    assert (users.kept, users.dropped) == (3, {"without a profile, or not among the chosen": 1})
    assert (traits.kept, traits.dropped) == (3, {})
    personas = {persona.id: persona for persona in small_store.personas()}
    assert set(personas) == {ADA, BOB, DORA}
    ada = personas[ADA]
    assert (ada.attributes.gender, ada.attributes.contribution_topics) == ("woman", ("Bread", "Rye"))
    assert set(ada.traits) == set(TRAITS)
    assert ada.traits["policy_usage"].values == ("Occasional citation",)
    assert {comment.actor for thread in small_store.threads() for comment in thread.comments} == {ADA, BOB, DORA}


def test_again_is_the_same(small_store):
    """A second run replaces the first with the same tables; another limit gives another choice."""
    _run(small_store)
    before = dict(small_store.manifest.tables)
    _run(small_store)
    assert small_store.manifest.tables == before
    record = _run(small_store, PersonSettings(filters=FilterSettings(max_users=2)))
    assert record.counts["users"].kept == 2
    assert {persona.id for persona in small_store.personas()} == {ADA, BOB}


def test_without_a_model(small_store):
    """Without a reader only overlong threads go, and nobody gets a persona."""
    record = add_personas(small_store)
    assert record.counts["threads"].dropped == {LONG: 1}
    assert record.counts["users"].kept == 4
    assert not list(small_store.personas())


def test_personas_of_the_source_stay(small_store):
    """What the source says of its people is chosen from, and isn't overwritten by a model, however often it runs."""
    own = Persona(id=BOB, language="en", profile="Builds bridges.")
    small_store.write(GIVEN, [{"id": own.id, "persona": own.model_dump_json()}], {"id": "string", "persona": "string"})
    for _ in range(2):
        _run(small_store)
        personas = {persona.id: persona for persona in small_store.personas()}
        assert personas[BOB].profile == "Builds bridges."
        assert set(personas[BOB].traits) == set(TRAITS)
        assert ADA in personas


@pytest.mark.parametrize("at_once", [1, 2, 1000])
def test_blocks_change_nothing(small_store, at_once):
    """How many users are in memory at once changes nothing."""
    _run(small_store, PersonSettings(at_once=at_once))
    assert [row["id"] for row in small_store.rows("traits")] == sorted([ADA, BOB, DORA])
    assert small_store.manifest.tables["traits"].digest == _digest(small_store)


def _digest(store):
    other = Store.open(store.path)
    with ModelReader(ScriptedModel()) as reader:
        add_personas(other, None, reader)
    return other.manifest.tables["traits"].digest


def test_threads_are_drawn_by_the_seed(small_store):
    """At most so many, the same for the same seed, only before the instant."""
    settings = PersonSettings(trait_threads=2)
    drawn = draw_threads(small_store, {ADA, BOB}, settings)
    assert {user: len(threads) for user, threads in drawn.items()} == {ADA: 2, BOB: 2}
    assert drawn == draw_threads(small_store, {ADA, BOB}, settings)
    all_of_ada = draw_threads(small_store, {ADA}, PersonSettings())[ADA]
    assert len(all_of_ada) == 4
    first = min(thread.comments[0].time for thread in small_store.threads())
    assert draw_threads(small_store, {ADA}, PersonSettings(until=first + 1))[ADA] == (next(small_store.threads()).id,)


def test_who_is_not_asked_about_is_counted(small_store):
    """Law: a chosen user without enough comments, or with none before the instant, has a row with the reason and no traits."""
    _run(small_store)
    own = Counter(c.actor for thread in small_store.threads() for c in thread.comments if c.text)
    least = min(own.values()) + 1
    few = {user for user in (ADA, BOB, DORA) if own[user] < least}
    assert 0 < len(few) < 3
    record = _run(small_store, PersonSettings(least_comments=least))
    told = "too few comments of their own (personas.least_comments)"
    assert {row["id"]: row["reason"] for row in small_store.rows("traits")} == {
        user: told if user in few else "" for user in (ADA, BOB, DORA)
    }
    assert (record.counts["traits"].kept, record.counts["traits"].dropped) == (3 - len(few), {told: len(few)})
    assert {persona.id for persona in small_store.personas() if persona.traits} == {ADA, BOB, DORA} - few
    assert measure(small_store, len).read == 3 - len(few)
    first = min(thread.comments[0].time for thread in small_store.threads())
    traits = _run(small_store, PersonSettings(until=first)).counts["traits"]
    assert (traits.kept, traits.dropped) == (0, {"no thread before the instant (personas.until)": 3})


def test_own_thread_ends_with_the_user(small_store):
    """A reader sees the thread up to the user's last comment, and whose each is."""
    thread = next(small_store.threads())
    assert [own for own, _ in own_thread(thread, BOB).comments] == [False, True]
    assert [own for own, _ in own_thread(thread, ADA).comments] == [True, False, True]
