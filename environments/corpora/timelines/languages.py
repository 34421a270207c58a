"""What language a post is in: what the archive says, unless its words plainly say another.

An app writes its user's usual language into a post whatever it is in, so a tag is a claim.
"""

from collections import Counter
from dataclasses import replace
from re import compile as pattern

from folkmoot.environments.corpora.detect import SURE, classifier
from folkmoot.environments.corpora.timelines.base import TimelinePost

ENOUGH = 40
"""Letters; in shorter texts a tag is worth more than their words."""

CORRECTED = "posts whose language tag their words contradict (kept, with the language of the words)"
NAMELESS = frozenset({"und", "zxx", "qme", "qam", "qct", "qht", "qst", "art", "mul", "mis"})
"""Codes that name no language: undetermined, no words, a network's own for media and hashtags alone."""

_NO_WORDS = pattern(r"https?://\S+|[@#]\S+|:\w+:|[\W\d_]+")


def short_code(code: str) -> str:
    """The language of a tag such as `pt-BR`; "" for one that names none.

    >>> short_code("pt-BR"), short_code("zxx"), short_code("EN_us")
    ('pt', '', 'en')
    """
    code = code.replace("_", "-").partition("-")[0].lower()
    return "" if code in NAMELESS or len(code) not in {2, 3} or not code.isalpha() else code


def with_language(post: TimelinePost, losses: Counter[str]) -> TimelinePost:
    """The post with the language that counts; `losses` grows where its words contradict the archive."""
    words = _NO_WORDS.sub(" ", post.text).strip()
    if len(words) < ENOUGH:
        return post
    code, probability = classifier()(words)
    if probability < SURE or code == post.language:
        return post
    losses[CORRECTED] += bool(post.language)
    return replace(post, language=code)
