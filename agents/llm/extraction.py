"""The scripted model's answers where a corpus asks it to read people: plain rules over what the prompt quotes.

Nothing is understood, but what is said depends on the text, is well formed, and is the same each time.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from folkmoot.agents.llm.phrases import LANGUAGES
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS

MOST_TOPICS = 5

_LINK = re.compile(r"\[\[([^\[\]|:#\n]{2,60})(?:\|[^\[\]\n]{0,80})?\]\]")
_TAG = re.compile(r"\{\{[^{}]*\}\}|<[^<>\n]*>|\[\[[^\[\]\n]*:[^\[\]\n]*\]\]|\[\S+|[\[\]']+")
_BY = re.compile(r"^By (.{1,40}):$")
_ABOUT = re.compile(r"in which (.{1,40}?) took part")
_SHORTCUT = re.compile(r"\[\[(?:WP|MOS|Wikipedia|Hilfe|H|Aide|Ayuda|Aiuto|P)\s?:[^\[\]\n]{1,60}\]\]|\bWP:[A-Z]+")
_YEAR = re.compile(r"\b(?:since|seit|desde|depuis|dal)\s+(?:\w+\s+){0,2}?((?:19|20)\d\d)\b", re.IGNORECASE)

_WOMAN = {"woman", "female", "she/her", "frau", "autorin", "mujer", "femme", "donna", "wikipedianerin"}
_MAN = {"man", "male", "he/him", "mann", "hombre", "homme", "uomo"}
_WORK = {
    "baker": ("baker", "bäcker", "boulanger", "panadero", "panettiere"),
    "teacher": ("teacher", "lehrer", "lehrerin", "profesor", "profesora", "enseignant", "enseignante", "insegnante"),
    "student": ("student", "studentin", "estudiante", "étudiant", "étudiante", "studente", "studentessa"),
    "engineer": ("engineer", "ingenieur", "ingenieurin", "ingeniero", "ingeniera", "ingénieur", "ingegnere"),
    "librarian": ("librarian", "bibliothekar", "bibliothekarin", "bibliotecario", "bibliothécaire"),
}
_SAYS = {
    "en": ("This person says on the page that", "The page names as subjects:"),
    "de": ("Die Person schreibt auf der Seite:", "Als Themen nennt die Seite:"),
    "es": ("Esta persona dice en la página:", "La página nombra como temas:"),
    "fr": ("Cette personne dit sur la page :", "La page nomme comme sujets :"),
    "it": ("Questa persona dice nella pagina:", "La pagina indica come temi:"),
}
_WORDS = 30


def quoted(text: str) -> list[str]:
    """The lines that a prompt quotes, without their marks."""
    return [line[2:] for line in text.splitlines() if line.startswith("> ")]


def profile(prompt: str, language: str) -> str:
    """The object that a user page's prompt asks for."""
    page = "\n".join(quoted(prompt))
    plain = " ".join(_TAG.sub(" ", _LINK.sub(r"\1", page)).split())
    words = re.findall(r"[^\W\d_]+(?:/\w+)?", plain.lower())
    if len(words) < 3:  # noqa: PLR2004 -- fewer say nothing
        return json.dumps({"relevant_page": False, "profile": ""})
    topics = [topic for topic, _ in Counter(" ".join(t.split()) for t in _LINK.findall(page)).most_common(MOST_TOPICS)]
    year = _YEAR.search(plain)
    work = next((name for name, forms in _WORK.items() if not set(forms).isdisjoint(words)), "unknown")
    answer = {
        "relevant_page": True,
        "profile": _told(plain, topics, language),
        "gender": "woman" if _WOMAN & set(words) else "man" if _MAN & set(words) else "unknown",
        "age_range": "unknown",
        "location": "unknown",
        "known_languages": [],
        "education_level": "unknown",
        "study_field": "unknown",
        "profession": work,
        "hobbies": [],
        "stated_interests": [],
        "registration_year": int(year[1]) if year else "unknown",
        "contribution_topics": topics,
    }
    return json.dumps(answer, ensure_ascii=False)


def _told(plain: str, topics: Sequence[str], language: str) -> str:
    """A profile of a sentence or two; links, addresses, numbers and capitals inside sentences stay out."""
    says, names = _SAYS[language if language in LANGUAGES else "en"]
    safe = [word for word in plain.split() if not re.search(r"[@/\d]|www|\.\w", word)][:_WORDS]
    told = f"{says} {' '.join(safe).lower()}."
    return f"{told} {names} {', '.join(topics)}." if topics else told


def traits(prompt: str) -> str:
    """The eight habits that a prompt asks for, by counts over the comments of the one it is about."""
    own = _own_comments(prompt)
    text = "\n".join(own)
    found = (
        dict.fromkeys(TRAITS, (NOT_DEDUCIBLE,)) if not own else {name: _habit(name, text, len(own)) for name in TRAITS}
    )
    answer: dict[str, Any] = {
        name: {"value": list(values), "reasoning": f"{len(own)} comments, {len(text.split())} words were read by rule."}
        for name, values in found.items()
    }
    return json.dumps(answer)


def _own_comments(prompt: str) -> list[str]:
    about = _ABOUT.search(prompt)
    comments: list[str] = []
    mine = False
    for line in prompt.splitlines():
        if by := _BY.match(line):
            mine = about is not None and by[1] == about[1]
            comments += [""] * mine
        elif mine and line.startswith("> "):
            comments[-1] += line[2:] + "\n"
        else:
            mine = False
    return comments


def _habit(name: str, text: str, count: int) -> tuple[str, ...]:
    """One habit by its marks in the text, each counted a comment."""
    lower = text.lower()
    asks, shouts = text.count("?") / count, text.count("!") / count
    rules, words = len(_SHORTCUT.findall(text)) / count, len(text.split()) / count
    thanks = sum(lower.count(word) for word in ("thank", "danke", "merci", "gracias", "grazie")) / count
    options = TRAITS[name]
    chosen = {
        "tone_management": 1 if thanks > 0.2 else 3 if shouts > 1 else 0,  # noqa: PLR2004 -- shares that split people about evenly
        "policy_usage": 0 if rules > 0.5 else 1 if rules else 3,  # noqa: PLR2004
        "informing_strategy": 1 if rules else 2 if "http" in lower else 4,
        "disagreement_strategy": 0 if asks > 0.5 else 1 if rules else None,  # noqa: PLR2004
        "agreement_strategy": 1 if thanks else None,
        "consensus_orientation": None,
        "editing_behavior": 0 if "[[" in text else 4,
    }
    if name == "writing_style":
        style = [0 if words > 60 else 1, 3 if asks > 0.5 else None]  # noqa: PLR2004
        return tuple(options[place] for place in style if place is not None)
    place = chosen[name]
    return (NOT_DEDUCIBLE,) if place is None else (options[place],)


def revision(prompt: str) -> str:
    """The split thread that a prompt shows, unchanged: the last line that is a JSON object."""
    return next((line for line in reversed(quoted(prompt)) if line.startswith('{"thread"')), "{}")
