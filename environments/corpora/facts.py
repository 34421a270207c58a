"""What a source says of a comment beside its text: where names stand in it, and how they are hidden.

Three rules. The value of a field that is called after people (`author`, `reply_to_user`, `speaker_id`, `approved_by`)
is a whole name, a list of them names. Every other text is hidden as a comment's text is. Keys inside of a value are
texts too; those of the outermost level are the source's columns and stay.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from folkmoot.environments.corpora.pseudonyms import Pseudonyms

Change = Callable[[str], str]

_PERSON = re.compile(
    r"(?:^|_)(?:(?:(?:user|screen|nick|author|speaker|editor)_?)name|user|author|speaker|actor|editor|sender|recipient"
    r"|addressee|poster|commenter|replier|moderator|participant|mention|nick|handle)s?(?:_?(?:ids?|fullname|names?|text))?$"
    r"|_by$"
)
LEVELS = 32
"""Levels of lists and objects within a fact that are kept; what is deeper becomes null."""

_WITHIN = frozenset({"id", "name", "login", "display_name"})
"""Fields of a person's own record that are names."""
_COUNT = re.compile(r"(?<!id)s$", re.IGNORECASE)
"""Under a plural a number counts people."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def names_people(key: str) -> bool:
    """Whether a field's values are whole names (or ids) of users.

    >>> [names_people(key) for key in ("replyToUser", "reply-to user", "user_id", "approved_by", "speakers")]
    [True, True, True, True, True]
    >>> [names_people(key) for key in ("user_score", "by", "author_flair_css_class", "url", "authority")]
    [False, False, False, False, False]
    """
    return _PERSON.search(re.sub(r"[\W_]+", "_", _HUMP.sub("_", key)).casefold()) is not None


def hide_facts(facts: Mapping[str, Any], names: Pseudonyms) -> dict[str, Any]:
    """The facts with every whole name and every known one in a text replaced."""
    return {key: _changed(value, key, names.text, names.of) for key, value in facts.items()}


def strings(facts: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """(text, whether it is a whole name) of every text in facts, keys inside of values too."""
    found: list[tuple[str, bool]] = []

    def keep(text: str, *, whole: bool) -> str:
        found.append((text, whole))
        return text

    for key, value in facts.items():
        _changed(value, key, lambda text: keep(text, whole=False), lambda name: keep(name, whole=True))
    return iter(found)


def too_deep(facts: Mapping[str, Any]) -> bool:
    """Whether facts hold more levels than are kept."""
    level: list[Any] = list(facts.values())
    for _ in range(LEVELS):
        inner = [value.values() if isinstance(value, Mapping) else value for value in level if _nests(value)]
        level = [item for items in inner for item in items]
    return any(map(_nests, level))


def _nests(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _changed(value: Any, key: str, text: Change, name: Change, *, inside: bool = False, level: int = 0) -> Any:
    """The value with its texts and whole names changed; `inside`: it belongs to what is said of a person."""
    if level >= LEVELS and _nests(value):
        return None
    whole = names_people(key) or (inside and key.casefold() in _WITHIN)
    if isinstance(value, Mapping):
        return {
            text(str(inner)): _changed(item, str(inner), text, name, inside=whole, level=level + 1)
            for inner, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_changed(item, key, text, name, inside=inside, level=level + 1) for item in value]
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    if whole and str(value).strip() and not (str(value).isdigit() and _COUNT.search(key)):
        return name(str(value))  # an id tells who it is as well as a name does
    return text(value) if isinstance(value, str) else value
