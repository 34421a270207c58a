"""The check rules: named cases in five languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.checks import Checks, ChecksConfig, mend
from folkmoot.agents.language import language_guesser

STRICT = Checks(ChecksConfig(max_words=30))

SIGNED = {
    "en": "I agree with the move. [[User:Ann|Ann]] ([[User talk:Ann|talk]]) 12:30, 5 May 2024 (UTC)",
    "en dashes": "I agree with the move. --[[User:Ann|Ann]] ([[User talk:Ann|talk]])",
    "en tildes": "I agree with the move. ~~~~",
    "en name": "I agree with the move.\n— Ann",
    "de": "Der Satz braucht einen Beleg. [[Benutzerin:Xy|Xy]] ([[Benutzer Diskussion:Xy|Diskussion]]) 12:30, 5. Mai 2024 (CEST)",
    "es": "La fecha no coincide. [[Usuario:Pep|Pep]] ([[Usuario discusión:Pep|discusión]]) 12:30 5 may 2024 (UTC)",
    "fr": "La date est fausse. [[Utilisatrice:A|A]] ([[Discussion utilisatrice:A|discuter]]) 5 mai 2024 à 12:30 (CEST)",
    "it": "La data è sbagliata. --[[Utente:B|B]] ([[Discussioni utente:B|msg]]) 12:30, 5 mag 2024 (CEST)",
}
AI_TALK = {
    "en": "As an AI language model, I have no opinion on the move.",
    "en I'm": "I'm an AI and can't check the book.",
    "de": "Als KI habe ich dazu keine Meinung.",
    "de ich bin": "Ich bin ein Sprachmodell und kann das Buch nicht prüfen.",
    "es": "Como modelo de lenguaje, no puedo comprobar el libro.",
    "fr": "En tant qu'IA, je ne peux pas vérifier le livre.",
    "it": "Come intelligenza artificiale non posso controllare il libro.",
}
PREFACED = {
    "en": "Sure! Here is my reply to ben:\n\nThe survey is right.",
    "de": "Gerne, hier ist mein Kommentar:\nDie Karte stimmt.",
    "es": "Aquí tienes mi respuesta:\n\nEl mapa es correcto.",
    "fr": "Voici mon commentaire :\n\nLa carte est juste.",
    "it": "Ecco la mia risposta:\nLa mappa è giusta.",
}
FINE = {
    "ping": "[[User:Ann]], could you look at the source again?",
    "about AI": "That paragraph was written by a language model; AI text needs a source too.",
    "a date": "The bridge was opened on 5 May 1871, at 12:30.",
    "two quotes": '"Bridge" is older than "viaduct"',
    "a list": "Sources:\n- Smith\n- Jones",
    "de KI": "Der Absatz über KI gehört in einen anderen Artikel.",
    "markup": "''Oppose'': see [[WP:RS]] and {{citation needed}}.",
}


@pytest.mark.parametrize("case", SIGNED)
def test_a_signature_at_the_end_is_taken_off(case):
    """Signature and timestamp at the end go, the comment stays, and the mend is named."""
    verdict = STRICT.examine(SIGNED[case], case[:2])
    assert verdict.text == SIGNED[case].split(". ")[0].split(".\n")[0] + "."
    assert (verdict.reason, verdict.mends) == ("", ("signature",))


@pytest.mark.parametrize("case", AI_TALK)
def test_ai_talk_is_refused(case):
    """Who says of oneself to be a machine is refused, in each language."""
    assert STRICT.examine(AI_TALK[case], case[:2]).reason == "AI talk"


@pytest.mark.parametrize("case", PREFACED)
def test_a_preface_is_taken_off(case):
    """An announcement before the comment goes, the comment stays."""
    verdict = STRICT.examine(PREFACED[case], case)
    assert verdict.text == PREFACED[case].split("\n")[-1]
    assert verdict.mends == ("preface",)


@pytest.mark.parametrize("case", FINE)
def test_ordinary_comments_pass_untouched(case):
    """Pings, dates, quotes, lists, markup and talk about machines are neither mended nor refused."""
    assert STRICT.examine(FINE[case], "en") == (FINE[case], "", (), ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("...", "empty"),
        ("Done <|im_end|> next", "leaked delimiter"),
        ("[[User:Ann|Ann]] ([[User talk:Ann|talk]]) said so before me.", "signature"),
        ("On 12:30, 5 May 2024 (UTC) he wrote that.", "timestamp"),
        ("word " * 31, "over-long"),
    ],
)
def test_each_refusal_has_its_name(text, reason):
    """Each rule that can't be mended refuses under its own name."""
    assert STRICT.examine(text, "en").reason == reason


@pytest.mark.parametrize(
    ("text", "mended", "name"),
    [
        ('"I agree with this."', "I agree with this.", "quotes"),
        ("„Einverstanden damit.“", "Einverstanden damit.", "quotes"),
        ("« D'accord avec cela. »", "D'accord avec cela.", "quotes"),
        ("> I agree.\n> Fully.", "I agree.\nFully.", "quoted lines"),
        ("> I agree.\n>\n> > Fully.", "I agree.\n\nFully.", "quoted lines"),
        ("The article:\n> It is 34 m.", "It is 34 m.", "quoted lines"),
        ("Comment 4 by ada (2024-05-05 12:00):\nI agree.", "I agree.", "talk of others"),
        ("I agree.\nComment 5 by ben (2024-05-05 12:00), answering 4:\nNo.", "I agree.", "talk of others"),
    ],
)
def test_wrappings_are_taken_off(text, mended, name):
    """Quotes around the whole text and echoed header lines at the start go."""
    assert mend(text) == (mended, (name,))


def test_a_cut_answer_ends_with_a_whole_sentence():
    """Where the model ran out of tokens an unfinished last sentence goes, unless that loses half of the text."""
    assert mend("The survey is right. The lead is wr", cut=True) == ("The survey is right.", ("unfinished sentence",))
    assert mend("No. The lead is wrong because of the sur", cut=True)[1] == ()
    assert mend("The survey is right. The lead is wr")[1] == ()


@given(st.text(max_size=300))
def test_mending_is_settled_and_checks_never_fail(text):
    """Any text gets a verdict; a text that passed passes again, unchanged."""
    verdict = STRICT.examine(text, "en")
    if not verdict.reason:
        again = STRICT.examine(verdict.text, "en")
        assert not again.reason
        assert again.text == verdict.text or again.mends


@pytest.fixture(scope="module")
def guess():
    """The real language guesser, loaded once."""
    return language_guesser()


GERMAN = "Der zweite Absatz stimmt nicht mit der Quelle überein, bitte prüfen."


def test_the_wrong_language_is_flagged_or_refused(guess):
    """By default a comment in another language is flagged and passes; refusing and not looking are configured."""
    flag, refuse, off = (
        Checks(ChecksConfig(language=mode), guess).examine(GERMAN, "en") for mode in ("flag", "refuse", "off")
    )
    assert (flag.reason, flag.flags) == ("", ("wrong language",))
    assert refuse.reason == "wrong language"
    assert (off.reason, off.flags) == ("", ())


def test_the_right_language_passes_in_five_languages(guess):
    """A plain comment in each language isn't flagged in its own and is flagged in another."""
    texts = {
        "en": "The second paragraph doesn't agree with the source, please check it.",
        "de": GERMAN,
        "es": "El segundo párrafo no coincide con la fuente, por favor revísalo.",
        "fr": "Le deuxième paragraphe ne correspond pas à la source, merci de vérifier.",
        "it": "Il secondo paragrafo non corrisponde alla fonte, per favore controllare.",
    }
    checks = Checks(ChecksConfig(), guess)
    for language in texts:
        flagged = {own: bool(checks.examine(text, language).flags) for own, text in texts.items()}
        assert flagged == {own: own != language for own in texts}


def test_short_texts_are_not_guessed():
    """A text under 20 characters is never given to the guesser."""

    def never(text):
        raise AssertionError(text)

    assert Checks(ChecksConfig(), never).examine("Danke dir!", "en").flags == ()
