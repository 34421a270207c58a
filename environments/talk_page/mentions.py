"""Who is pinged, linked or addressed in a comment."""

import re
from collections.abc import Iterable

USER_NAMESPACES = {
    "en": ("User",),
    "de": ("Benutzer", "Benutzerin"),
    "es": ("Usuario", "Usuaria"),
    "fr": ("Utilisateur", "Utilisatrice"),
    "it": ("Utente",),
}
"""Localized names of the user namespace; `User` works on every wiki, and any of these is understood everywhere."""

PING_TEMPLATES = ("ping", "reply to", "replyto", "re", "u", "user", "user link", "yo", "notify", "noping", "ul", "@")
"""Templates whose positional parameters are user names."""

_TALK = r"(?:[ _](?:talk|Diskussion)| discusión|_discusión)?"
_TRAILING = ".,;:!?)]}'\"»”\u2019"


def _pattern() -> re.Pattern[str]:
    templates = "|".join(re.escape(name) for name in PING_TEMPLATES)
    spaces = "|".join(sorted({name for names in USER_NAMESPACES.values() for name in names}, key=len, reverse=True))
    return re.compile(
        rf"\{{\{{\s*(?:{templates})\s*\|([^{{}}]*)\}}\}}"
        rf"|\[\[\s*:?\s*(?:{spaces}){_TALK}\s*:\s*([^\]|#/]+)"
        r"|@(?<![\w@]@)([^\s@|\[\]{}<>]+(?:[ _][^\s@|\[\]{}<>]+){0,3})",
        re.IGNORECASE,
    )


_FORMS = _pattern()


def _key(name: str) -> str:
    """Wiki names: underscores are spaces, the first letter's case doesn't count."""
    name = " ".join(name.replace("_", " ").split())
    return name[:1].upper() + name[1:]


class Mentions:
    """Finds the mentions of known users in a text.

    >>> Mentions(["Anna Berg", "Ben"]).find("{{ping|Ben}} and @Anna Berg, see [[User:Ben|him]], @Nobody")
    ('Ben', 'Anna Berg')
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Make a user known; of two names that a wiki can't tell apart the first one counts."""
        if name not in self._names:
            self._names[name] = self._names.setdefault(_key(name), name)

    def find(self, text: str) -> tuple[str, ...]:
        """Known users mentioned in the text, each once, in order of appearance."""
        if "@" not in text and "{{" not in text and "[[" not in text:
            return ()
        found: dict[str, None] = {}
        for parameters, link, address in _FORMS.findall(text):
            if address:
                names = [self._longest(address)]
            elif link:
                names = [self._known(link)]
            else:
                names = [self._known(part.removeprefix("1=")) for part in parameters.split("|")]
            for name in names:
                if name is not None:
                    found[name] = None
        return tuple(found)

    def _known(self, name: str) -> str | None:
        return self._names.get(name) or self._names.get(_key(name))

    def _longest(self, address: str) -> str | None:
        """`@` has no end mark: the longest run of words that is a known name."""
        words = address.replace("_", " ").split(" ")
        while words:
            name = " ".join(words)
            known = self._known(name) or self._known(name.rstrip(_TRAILING))
            if known is not None:
                return known
            words.pop()
        return None
