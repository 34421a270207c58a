"""Answers that describe no image: the word that a model is asked for then, and openings in many languages."""

import re
import unicodedata
from functools import cache
from pathlib import Path

NONE = "NONE"
"""What a model is asked to write where nothing can be described."""

_FILE = Path(__file__).with_name("refusals.txt")
_AROUND = " .!*_`()[]"


def says_none(text: str) -> bool:
    """Whether an answer is the word that was asked for.

    >>> says_none("None."), says_none("None of the chairs is taken.")
    (True, False)
    """
    return text.strip(_AROUND).upper() == NONE


def refuses(text: str) -> bool:
    """Whether an answer begins as one that speaks of the model, or of having no image.

    >>> refuses("Unfortunately, I see nothing."), refuses("Icing on a cake.")
    (True, False)
    """
    return _openings().match(_plain(text)) is not None


@cache
def _openings() -> re.Pattern[str]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    wanted = sorted(_plain(line) for line in lines if line.strip() and not line.startswith("#"))
    return re.compile("|".join(re.escape(each.rstrip("*")) + r"(?!\w)" * (not each.endswith("*")) for each in wanted))


def _plain(text: str) -> str:
    """Lower case, one kind of apostrophe, without marks over letters that have no form of their own with them."""
    folded = unicodedata.normalize("NFKC", text.replace("\u2019", "'")).casefold().strip(_AROUND[:2])
    return "".join(c for c in folded if unicodedata.category(c) != "Mn")
