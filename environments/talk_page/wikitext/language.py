"""One wiki language: how its users, dates and signatures are written. Data, not code."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from folkmoot.sim.errors import ConfigError, did_you_mean

FOLDER = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Language:
    """The facts of one wiki.

    Attributes:
        code: ISO 639-1 code.
        name: the language's own name.
        timezone: IANA zone in which the wiki writes its timestamps.
        local_timezone: IANA zone in which most of its editors live (hour-of-day profiles).
        user: names of the user namespace, the first is the one to write; gendered forms and aliases follow.
        user_talk: the same for user talk pages.
        special: names of the special namespace.
        contributions: names of the special page that lists a user's edits.
        months_long: twelve names.
        months_short: twelve abbreviations.
        month_variants: further spellings -> month 1..12.
        timestamps: formats in the notation of PHP's `date` (H i j M F Y), the first is the one to write.
        zones: abbreviation -> minutes east of UTC.
        unsigned: templates that sign for somebody else, lower case.
        unsigned_phrases: regular expressions of what such templates leave behind when substituted.
        outdent: templates that bring a deep discussion back to the margin, lower case.
        ping: templates that call a user, lower case; the first is the one to write.
        talk_words: labels of the talk link in a signature, the first is the one to write.
        digits: the ten digits, where they aren't 0-9.
    """

    code: str
    name: str
    timezone: str
    local_timezone: str
    user: tuple[str, ...]
    user_talk: tuple[str, ...]
    special: tuple[str, ...]
    contributions: tuple[str, ...]
    months_long: tuple[str, ...]
    months_short: tuple[str, ...]
    timestamps: tuple[str, ...]
    zones: Mapping[str, int]
    unsigned: tuple[str, ...]
    outdent: tuple[str, ...]
    ping: tuple[str, ...]
    talk_words: tuple[str, ...]
    unsigned_phrases: tuple[str, ...] = ()
    month_variants: Mapping[str, int] = field(default_factory=dict)
    digits: str = "0123456789"

    @cached_property
    def months(self) -> dict[str, int]:
        """Spelling in lower case, without a final dot -> month 1..12."""
        spellings = {name.lower(): number for name, number in self.month_variants.items()}
        for names in (self.months_short, self.months_long):
            spellings.update({name.lower().rstrip("."): number for number, name in enumerate(names, 1)})
        return spellings

    @cached_property
    def user_namespaces(self) -> tuple[str, ...]:
        """All names under which a user or a user's talk page is linked; English ones work on every wiki."""
        return tuple(dict.fromkeys((*self.user, *self.user_talk, "User", "User talk")))

    @cached_property
    def contribution_pages(self) -> tuple[str, ...]:
        """All names of the page of a user's edits."""
        own = tuple(f"{special}:{page}" for special in self.special for page in self.contributions)
        return tuple(dict.fromkeys((*own, "Special:Contributions", "Special:Contribs")))

    @cached_property
    def unsigned_phrase(self) -> re.Pattern[str] | None:
        """What a substituted unsigned template leaves behind; None where the language names nothing."""
        if not self.unsigned_phrases:
            return None
        return re.compile("|".join(f"(?:{phrase})" for phrase in self.unsigned_phrases), re.IGNORECASE)


def known_languages() -> tuple[str, ...]:
    """Codes of all languages that have a file."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def load_language(code: str) -> Language:
    """The language of this code.

    Raises:
        ConfigError: no file describes it, or the file's fields are wrong.
    """
    path = FOLDER / f"{code}.json"
    if code not in known_languages():
        hint = did_you_mean(code, known_languages())
        raise ConfigError(f"no language data for {code!r}; {hint}; a new language is one more file in {FOLDER.name}/")
    return language_from(json.loads(path.read_text(encoding="utf-8")), path.name)


def language_from(record: Mapping[str, object], source: str) -> Language:
    """A language from its JSON record; lists become tuples.

    Raises:
        ConfigError: a field is missing or unknown, or there aren't twelve months.
    """
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    try:
        language = Language(**fields)  # type: ignore[arg-type]  # checked by the tests of the shipped files
    except TypeError as error:
        raise ConfigError(f"language file {source}: {error}; see the fields of Language") from error
    for name in ("months_long", "months_short"):
        count = len(getattr(language, name))
        if count != 12:  # noqa: PLR2004 -- a year
            raise ConfigError(f"language file {source}: {name} has {count} names, not 12")
    return language
