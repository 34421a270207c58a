"""Kinds of answers that are no comment, and shared beginnings of prompts."""

import pytest

from folkmoot.agents.language import language_guesser
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.metrics.next_turn.answers import KINDS, judge, kind_of_reason, words_of
from folkmoot.metrics.next_turn.prefixes import Prefixes, Prompt, blocks


def english(text):
    """A guesser that holds everything for English but what begins in German."""
    return "de" if text.startswith("Ich") else "en"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("...", "empty"),
        ("", "empty"),
        ("I'm sorry, but I can't help with this request.", "refusal"),
        ("I cannot generate that comment.", "refusal"),
        ("I can't find that source, sorry. Which page is it on?", ""),
        ("You write the next comment of ada as an answer to comment three by ben", "prompt"),
        ("Ich halte das für falsch, die Quelle sagt es anders.", "wrong language"),
        ("Ja, gut.", ""),
        ("The survey of 1912 says 34 m, and I'd keep it.", ""),
    ],
)
def test_each_kind_is_told_by_its_rule(text, kind):
    """An answer that is no comment gets its kind; ordinary comments that look like one don't."""
    prompt = words_of("Now you write the next comment of ada, as an answer to comment three by ben. Mind the rules.")
    assert judge(text, "en", prompt, english) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "Désolé, mais je ne peux pas vous aider.",
        "Mi dispiace, ma non posso aiutarti.",
    ],
)
def test_refusals_are_told_in_every_language(text):
    """A model that declines is recognised in each of the five languages."""
    assert judge(text, "xx", "", lambda _: None) == "refusal"


def test_every_reason_of_the_checks_has_a_kind():
    """What an agent's own check refuses is one of the kinds."""
    reasons = ("empty", "leaked delimiter", "AI talk", "signature", "timestamp", "over-long", "wrong language")
    assert {kind_of_reason(reason) for reason in (*reasons, "prompt over window", "text over 10 characters")} <= set(
        KINDS
    )


@pytest.mark.parametrize("lang", ["de", "en", "es", "fr", "it"])
def test_comments_by_people_are_comments(lang):
    """No comment of the demo's people is held for something else."""
    guess = language_guesser()
    assert [e.text for e in load_demo(lang).utterances() if judge(e.text, lang, "", guess)] == []


def test_prompts_queued_by_their_beginnings_share_more():
    """Two authors in turn share nothing with the prompt before; queued by author they share their beginnings."""
    found = Prefixes()
    for time in range(6):
        author = "ab"[time % 2]
        found.add(Prompt((author, time), (time,), blocks(author * 640 + str(time) * 64), 11))
    assert found.shared(found.in_time) == 0
    assert found.shared(found.queued) == pytest.approx(4 / 6 * 10 / 11)
    assert found.kept(found.in_time) == pytest.approx(4 / 6 * 10 / 11)
