"""What gives a machine away in a comment, and how to take it off. A language is one record of `WORDS`."""

import re
from typing import NamedTuple

from folkmoot.sim.quoting import MARK


class Words(NamedTuple):
    """Patterns of one language, as alternatives of a regular expression.

    Attributes:
        user: names of the user namespaces.
        talk: labels of the link to a user's talk page.
        ai: someone says of oneself to be a machine.
        machine: parts of every way to name the machine in `ai`; a text without any needs no search.
        preface: an announcement of the comment instead of the comment.
    """

    user: str
    talk: str
    ai: str
    machine: tuple[str, ...]
    preface: str


WORDS = {
    "en": Words(
        user=r"User(?:[ _]talk)?",
        talk=r"talk|contribs",
        ai=r"as an? (?:AI|artificial intelligence|(?:large )?language model)\b"
        r"|\bI(?:'m|\u2019m| am) (?:just |only )?(?:an?|your) "
        r"(?:AI|artificial intelligence|(?:large )?language model)\b",
        machine=("AI", "ntelligence", "anguage model"),
        preface=r"here(?:\u2019s|'s| is) (?:my|the|a) (?:\w+ ){0,4}(?:comment|reply|answer|response)",
    ),
    "de": Words(
        user=r"Benutzer(?:in)?(?:[ _]Diskussion)?|BD",
        talk=r"Diskussion|Disk\.?|Beiträge",
        ai=r"\bals (?:eine? )?(?:KI|künstliche Intelligenz|(?:großes )?Sprachmodell)\b"
        r"|\bich bin (?:nur )?(?:eine? )?(?:KI|künstliche Intelligenz|(?:großes )?Sprachmodell)\b",
        machine=("KI", "ntelligenz", "prachmodell"),
        preface=r"hier ist (?:mein|meine|der|die|ein|eine) (?:\w+ ){0,4}(?:Kommentar|Antwort|Beitrag)",
    ),
    "es": Words(
        user=r"Usuari[oa](?:[ _]discusión)?",
        talk=r"discusión|disc\.?|contribuciones",
        ai=r"\bcomo (?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje)\b"
        r"|\bsoy (?:solo )?(?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje)\b",
        machine=("IA", "nteligencia", "odelo de lenguaje"),
        preface=r"(?:aquí (?:está|tienes)|este es) (?:mi|el|la|un|una) (?:\w+ ){0,4}(?:comentario|respuesta)",
    ),
    "fr": Words(
        user=r"(?:Discussion[ _])?[Uu]tilisat(?:eur|rice)",
        talk=r"discuter|d|contributions",
        ai=r"\ben tant qu(?:e |'|\u2019)(?:une? )?(?:IA|intelligence artificielle|(?:grand )?modèle de langage)\b"
        r"|\bje suis (?:juste )?(?:une? )?(?:IA|intelligence artificielle|(?:grand )?modèle de langage)\b",
        machine=("IA", "ntelligence", "odèle de langage"),
        preface=r"voici (?:mon|ma|le|la|un|une) (?:\w+ ){0,4}(?:commentaire|réponse)",
    ),
    "it": Words(
        user=r"(?:Discussioni[ _])?[Uu]tente",
        talk=r"msg|discussioni|disc\.?|contributi",
        ai=r"\b(?:come|in quanto) (?:un'|una )?(?:IA|intelligenza artificiale|modello linguistico)\b"
        r"|\b(?:io )?sono (?:solo )?(?:un |un'|una )?(?:IA|intelligenza artificiale|modello linguistico)\b",
        machine=("IA", "ntelligenza", "odello linguistico"),
        preface=r"ecco (?:il mio|la mia|il|la|un|una) (?:\w+ ){0,4}(?:commento|risposta)",
    ),
}


def _any(field: str) -> str:
    return "|".join(getattr(words, field) for words in WORDS.values())


_TIME = r"\d{1,2}[:.h]\d{2}(?::\d{2})?"
_DATE = r"(?:\d{1,2}\.?(?:er)? [^\W\d_]{3,10}\.? \d{4}|[^\W\d_]{3,10} \d{1,2}, \d{4}|\d{4}-\d{2}-\d{2})"
_ZONE = r"\(?(?:UTC|GMT|CES?T|MES?Z)\)?"
_STAMP = (
    rf"(?:{_TIME},? (?:le )?{_DATE}|{_DATE},? (?:à |alle |a las )?{_TIME}"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d\S*)"
)
_LINK = rf"\[\[:?(?:{_any('user')}):[^\]\n]+\]\]"
_TALK_LINK = rf"\((?:\[\[[^\]\n]*\||\[\[)?(?:{_any('talk')})(?:\]\])?\)"
_SIGNED = rf"(?:{_LINK}\s*(?:{_TALK_LINK})?\s*{_STAMP}(?: {_ZONE})?|{_LINK}\s*{_TALK_LINK}|~{{3,5}})"

_ai = re.compile(_any("ai"), re.IGNORECASE)
_machines = tuple(sorted({part for words in WORDS.values() for part in words.machine}))
_zones = ("UTC", "GMT", "CET", "CEST", "MEZ", "MESZ")
_stamp = re.compile(rf"{_STAMP} {_ZONE}")
_signed = re.compile(_SIGNED)
_dashed = re.compile(rf"\n(?:--|[\u2013\u2014])\s?(?:{_LINK}|[^\s.!?]{{2,40}})\Z")
_tail = re.compile(rf"(?:[\s\-\u2013\u2014]*(?:{_SIGNED}|{_STAMP} {_ZONE})|\n\s*{_STAMP})\s*\Z")
_preface = re.compile(rf"\A(?:[^\W\d_]+[,!.:]? ){{0,3}}(?:{_any('preface')})[^\n]{{0,60}}:[ \t]*\n+", re.IGNORECASE)
_header = re.compile(r"^(?:Comment|Post) \d+ by [^\n]{1,160}:[ \t]*$", re.MULTILINE)
_echo = re.compile(rf"\A(?:[^\n]{{1,160}}:[ \t]*\n)?(?={MARK})")
_sentence_end = re.compile(r"[.!?…。！？][\"'”»)\]]*(?=\s)")  # noqa: RUF001 -- the full-width marks are meant
_SIGN_ENDS = tuple("~)]ZCT0123456789")
_SIGN_CHARS = 200
_PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}


def talks_of_ai(text: str) -> bool:
    """Someone says of oneself to be a machine.

    >>> talks_of_ai("As an AI language model, I can't"), talks_of_ai("AI wrote that paragraph")
    (True, False)
    """
    return any(map(text.__contains__, _machines)) and _ai.search(text) is not None


def has_signature(text: str) -> bool:
    """A signature anywhere: tildes, or a user link with a talk link or a time; a ping isn't one."""
    return ("~~~" in text or "[[" in text) and _signed.search(text) is not None


def has_timestamp(text: str) -> bool:
    """A time, a date and a zone together; a bare date or time isn't one."""
    return any(map(text.__contains__, _zones)) and _stamp.search(text) is not None


def has_header(text: str) -> bool:
    """A line that stands above a comment in the prompt."""
    return ("Comment " in text or "Post " in text) and _header.search(text) is not None


def without_quoting(text: str) -> str:
    r"""Without the quotation marks of the prompt's data lines, and without the line above where they begin the text.

    >>> without_quoting("The article:\n> It is 34 m.\n> Yes.")
    'It is 34 m.\nYes.'
    """
    if not text.startswith(MARK) and f"\n{MARK}" not in text:
        return text
    lines = _echo.sub("", text).splitlines()
    return "\n".join(line.lstrip(MARK) for line in lines).strip()


def own_words(text: str) -> str:
    r"""Without a comment header at the start, and without the comments of others that a model goes on to make up.

    >>> own_words("I agree.\nComment 4 by ben (2024-05-05 12:00):\nI don't.")
    'I agree.'
    """
    if not has_header(text):
        return text
    parts = [part.strip() for part in _header.split(text)]
    return next((part for part in parts if part), "")


def without_preface(text: str) -> str:
    r"""Without an announcement before the comment.

    >>> without_preface("Sure! Here is my reply:\n\nI agree.")
    'I agree.'
    """
    return _preface.sub("", text)


def without_quotes(text: str) -> str:
    """Without one pair of quotes around the whole text.

    >>> without_quotes('"I agree."'), without_quotes('"A" or "B"')
    ('I agree.', '"A" or "B"')
    """
    if len(text) < 2 or _PAIRS.get(text[0]) != text[-1]:  # noqa: PLR2004 -- a pair
        return text
    inner = text[1:-1]
    if text[0] in inner or text[-1] in inner or text.startswith("''"):
        return text
    return inner.strip()


def without_signature(text: str) -> str:
    """Without signatures and timestamps at the end, and a dashed name on a last line of its own."""
    while True:
        shorter = text
        if text[-1:] in _SIGN_ENDS and (match := _tail.search(text, max(0, len(text) - _SIGN_CHARS))):
            shorter = text[: match.start()]
        shorter = _dashed.sub("", shorter).rstrip()
        if shorter == text:
            return text
        text = shorter


def whole_sentences(text: str) -> str:
    """Without an unfinished last sentence, if at least half of the text stays.

    >>> whole_sentences("One two three. Four five. Si")
    'One two three. Four five.'
    """
    if text[-1:] in ".!?…":
        return text
    ends = [match.end() for match in _sentence_end.finditer(text)]
    return text[: ends[-1]] if ends and ends[-1] * 2 >= len(text) else text
