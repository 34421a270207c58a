"""The scripted model is a pure function of its request, and its settings do what they say."""

import asyncio
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.llm import cues, tasks
from folkmoot.agents.llm.phrases import ACTS, LANGUAGES, bank, intent, safe_topic
from folkmoot.agents.llm.scripted import JUNK, ScriptedConfig, ScriptedModel
from folkmoot.sim.errors import ModelError, TransientModelError
from folkmoot.sim.persona import TRAITS
from folkmoot.sim.protocols import LanguageModel, Message, Sampling


def prompt(system="You are an editor.", language="English", thread="Dates"):
    """A prompt in the manner of the agents' own."""
    return [
        Message("system", f"{system} You write in {language}."),
        Message("user", f"Article: Old bridge\nThread: {thread}\n\nWrite the next comment, in {language}."),
    ]


def ask(model, messages, seed=1, **sampling):
    """One answer."""
    return asyncio.run(model.generate(messages, Sampling(**sampling), seed))


def test_is_a_language_model():
    """The scripted model satisfies the protocol that all backends share."""
    assert isinstance(ScriptedModel(), LanguageModel)


def test_same_request_same_answer():
    """Answers depend on model seed, messages and call seed alone, whatever was asked before."""
    one, two = ScriptedModel(), ScriptedModel()
    ask(two, prompt(thread="Other"), seed=9)
    assert [ask(one, prompt(), s) for s in range(20)] == [ask(two, prompt(), s) for s in range(20)]
    assert len({ask(one, prompt(), s).text for s in range(20)}) > 10
    assert ask(ScriptedModel(seed=1), prompt()) != ask(one, prompt())


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_cover_acts_and_sentiment(language):
    """Each bank has twelve sentences an act (four on a feed) and all sentiment points, each read back exactly."""
    words = bank(language)
    marks = set()
    for act in ACTS:
        assert (len(words.phrases[act]) >= 12, len(words.feed[act]) >= 4) == (True, True)
        for phrase in (*words.phrases[act], *words.feed[act]):
            marks.add(phrase.sentiment)
            for policy in range(len(words.policies)):
                said = words.fill(phrase.text, "A. topic? with (signs)!", policy)
                assert intent(said, language) == ((act,), phrase.sentiment)
    assert marks == {1, 2, 3, 4, 5}
    assert sum(len(side[act]) for side in (words.phrases, words.feed) for act in ACTS) == len(words.known)


@pytest.mark.parametrize(
    ("language", "name"), [("en", "English"), ("de", "German"), ("es", "Spanish"), ("fr", "French"), ("it", "Italian")]
)
def test_comments_are_read_back_in_each_language(language, name):
    """Every comment has one to three sentences of the asked language, all of them recognised."""
    model = ScriptedModel()
    acts = Counter()
    for seed in range(200):
        text = ask(model, prompt(language=name), seed).text
        known = intent(text, language)
        assert known is not None, text
        assert all(intent(text, other) is None for other in LANGUAGES if other != language)
        acts.update(known[0])
    assert set(acts) == set(ACTS)


def test_bulleted_and_smiling_comments_are_read_back():
    """Style marks around sentences don't hide them."""
    model = ScriptedModel()
    who = "Bullet-pointed structure; Includes emojis or informal symbols; Long, detailed comments"
    texts = [ask(model, prompt(system=who), seed).text for seed in range(50)]
    assert any(text.startswith("* ") for text in texts)
    for text in texts:
        sentences = text.count(".") + text.count("!") + text.count("?")
        assert text.endswith("\N{SLIGHTLY SMILING FACE}")
        assert intent(text, "en") is not None
        assert 1 <= sentences <= 3


def share(system, act, calls=400):
    """Share of comments with this act."""
    model = ScriptedModel()
    found = [intent(ask(model, prompt(system=system), seed).text, "en") for seed in range(calls)]
    return sum(act in acts for acts, _ in found) / calls


def test_persona_moves_the_acts():
    """A confrontational persona rejects and criticises more, a polite one thanks more."""
    assert share("Tone: Confrontational", "NEGATIVE") > share("A person.", "NEGATIVE") + 0.15
    assert share("Tone: Conciliatory and polite", "POSITIVE") > share("A person.", "POSITIVE") + 0.1


def test_persona_moves_the_length():
    """Long commenters write more words than short ones."""

    def words(system):
        return sum(len(ask(ScriptedModel(), prompt(system=system), s).text.split()) for s in range(100))

    assert words("Long, detailed comments") > 1.5 * words("Short, concise comments")


def test_every_trait_effect_names_a_trait_and_an_act():
    """The table of effects speaks only of values and acts that exist."""
    values = {value for group in TRAITS.values() for value in group}
    assert set(cues.TRAIT_EFFECTS) <= values
    assert set(cues.WARM) | set(cues.COLD) <= values
    assert {act for factors in cues.TRAIT_EFFECTS.values() for act in factors} <= set(ACTS)


def test_unknown_language_falls_back_and_says_so(caplog):
    """A language without phrases is answered in English, noticed once and counted."""
    model = ScriptedModel()
    for seed in range(3):
        assert intent(ask(model, prompt(language="Portuguese"), seed).text, "en")
    assert model.fallbacks == {"portuguese": 3}
    assert len([r for r in caplog.records if "portuguese" in r.message]) == 1
    assert intent(ask(ScriptedModel(ScriptedConfig(language="pt")), prompt()).text, "en")


def test_thread_prompt_gets_a_title_line():
    """Asked to open a thread, the answer is "TITLE: ..." and a body that is read back."""
    messages = [Message("user", "Open a thread in English.\nFirst line: TITLE: and a short heading.")]
    for seed in range(20):
        first, _, body = ask(ScriptedModel(), messages, seed).text.partition("\n")
        assert first.startswith("TITLE: ")
        assert len(first) > 10
        assert intent(body, "en")


def test_choice_is_one_of_the_options():
    """Asked to choose, the answer is one of the numbers, and each is chosen at times."""
    messages = [Message("user", "1. wait\n2. answer ada\n   7. quoted\n3. open\nAnswer with the number of one option.")]
    assert {ask(ScriptedModel(), messages, seed).text for seed in range(60)} == {"1", "2", "3"}


def test_repair_request_keeps_scene_and_language():
    """Asked again after a refused answer, the model writes for the same scene, in the same language."""
    again = [*prompt(language="Italian"), Message("assistant", "x"), Message("user", "Write it once more.")]
    assert intent(ask(ScriptedModel(), again).text, "it")


def test_annotation_prompt_gets_the_intent():
    """Asked for labels, it names those of the last sentence that it knows."""
    text = f"Labels: {', '.join(ACTS)}.\nComment: I oppose this change.\nI oppose this change.\nAnswer with labels."
    assert ask(ScriptedModel(), [Message("user", text)]).text == "NEGATIVE"


@given(st.text(max_size=400))
def test_any_text_may_stand_in_the_prompt(text):
    """Whatever people wrote into the scene, the comment is still made of known sentences."""
    messages = [Message("user", f"Thread: {text}\n{text}\nWrite the next comment, in English.")]
    assert tasks.read(messages[0].content).kind == "comment"
    answer = ask(ScriptedModel(), messages).text
    assert intent(answer, "en") is not None
    assert "\n" not in answer


@given(st.text())
def test_topics_are_safe(text):
    """A topic is one short line without quotes or brackets."""
    topic = safe_topic(text)
    assert len(topic) <= 60
    assert not set(topic) & set("„“”«»[]{}|<>\n")


@given(st.text(), st.sampled_from(LANGUAGES))
def test_intent_never_fails(text, language):
    """Any text is either recognised or None."""
    known = intent(text, language)
    assert known is None or (set(known[0]) <= set(ACTS) and 1 <= known[1] <= 5)


def test_latency_is_kept_and_drawn_from_the_seed():
    """Jittered latencies stay within their bounds, repeat by seed and differ between seeds."""
    model = ScriptedModel(ScriptedConfig(latency_s=0.02, latency_jitter=0.5))

    def took(seed):
        start = time.perf_counter()
        ask(model, prompt(), seed)
        return time.perf_counter() - start

    times = [took(seed) for seed in range(8)]
    assert min(times) >= 0.0099
    assert max(times) - min(times) > 0.002


def test_transient_failures_end_and_repeat():
    """Asked again, a failed call succeeds in the end with the answer that it would have given at once."""
    model = ScriptedModel(ScriptedConfig(transient_rate=0.5))

    def tries(seed):
        for number in range(50):
            try:
                answer = ask(model, prompt(), seed)
            except TransientModelError:
                continue
            return number, answer
        raise AssertionError("never succeeded")

    first = [tries(seed) for seed in range(40)]
    assert first == [tries(seed) for seed in range(40)]
    assert [answer for _, answer in first] == [ask(ScriptedModel(), prompt(), seed) for seed in range(40)]
    assert 10 < sum(number > 0 for number, _ in first) < 30


def test_permanent_failures_have_their_rate():
    """About the set share of calls fails for good, the same calls each time."""

    def failed():
        model, out = ScriptedModel(ScriptedConfig(permanent_rate=0.3)), []
        for seed in range(200):
            try:
                ask(model, prompt(), seed)
            except TransientModelError:
                raise
            except ModelError as error:
                out.append(str(error))
        return out

    assert failed() == failed()
    assert 40 < len(failed()) < 80
    assert all("permanent_rate=0.3" in text for text in failed())


def test_garbage_is_of_three_kinds():
    """The garbage rate yields empty answers, AI talk and noise."""
    model = ScriptedModel(ScriptedConfig(garbage_rate=1))
    assert {ask(model, prompt(), seed).text for seed in range(30)} == set(JUNK)


def test_label_scores_are_log_probabilities():
    """Scores are below zero, leave some mass, depend on prompt and label and not on the call's seed."""
    model = ScriptedModel()

    def scores(messages, labels, seed=0):
        return asyncio.run(model.label_logprobs(messages, labels, seed)).logprobs

    import math

    one = scores(prompt(), ("A", "B", "C"))
    assert all(score < 0 for score in one)
    assert 0.9 < sum(math.exp(score) for score in one) < 1
    assert scores(prompt(), ("A", "B", "C"), seed=5) == one
    assert scores(prompt(thread="Other"), ("A", "B", "C")) != one
    assert scores(prompt(), ("B", "A", "C"))[1] == pytest.approx(one[0])


def test_max_tokens_cuts():
    """An answer over the limit is cut and says so."""
    answer = ask(ScriptedModel(), prompt(), max_tokens=2)
    assert (len(answer.text), answer.finish) == (6, "length")
