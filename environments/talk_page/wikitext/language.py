"""One wiki language: how its users, dates and signatures are written. Data, not code."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from folkmoot.sim.errors import ConfigError, did_you_mean

FOLDER = Path(__file__).parent / "languages"

EVERYWHERE = ("User", "User talk"), ("Special:Contributions", "Special:Contribs")
"""MediaWiki's own names, understood on every wiki: of users' pages, and of the page of a user's edits."""

_COUNTS = {"months_long": 12, "months_short": 12, "months_genitive": 12, "weekdays_short": 7}


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
        months_genitive: twelve names as they stand in a date, where that form differs; else empty.
        month_variants: further spellings -> month 1..12.
        weekdays_short: seven abbreviations, Monday first, where timestamps hold them; else empty.
        timestamps: formats in the notation of PHP's `date` (H i j n M F xg Y D), the first is the one to write.
        zones: abbreviation -> minutes east of UTC, all that were ever written.
        foreign: codes of languages whose timestamps are copied to this wiki; read where they name a zone.
        unsigned: templates that sign for somebody else, lower case.
        unsigned_phrases: regular expressions of what such templates leave behind when substituted.
        unsigned_stems: pieces of words, lower case; each phrase that is found holds at least one of them.
        outdent: templates that bring a deep discussion back to the margin, lower case.
        archive: templates around or above archived threads, lower case.
        closed: templates around closed or collapsed discussions, lower case.
        ping: templates that call a user, lower case; the first is the one to write.
        talk_words: labels of the talk link in a signature, the first is the one to write.
        contributions_words: labels of the link to a user's edits in a signature.
        postscripts: what an addition below one's own signature begins with, lower case.
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
    unsigned_stems: tuple[str, ...] = ()
    month_variants: Mapping[str, int] = field(default_factory=dict)
    months_genitive: tuple[str, ...] = ()
    weekdays_short: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    archive: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    contributions_words: tuple[str, ...] = ()
    postscripts: tuple[str, ...] = ()
    digits: str = "0123456789"

    @cached_property
    def months(self) -> dict[str, int]:
        """Spelling in lower case, without a final dot -> month 1..12."""
        spellings = {name.lower(): number for name, number in self.month_variants.items()}
        for names in (self.months_short, self.months_genitive, self.months_long):
            spellings.update({name.lower().rstrip("."): number for number, name in enumerate(names, 1)})
        return spellings

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Zone's name in upper case -> minutes east of UTC; UTC is known everywhere."""
        return {"UTC": 0, **{" ".join(name.upper().split()): minutes for name, minutes in self.zones.items()}}

    @cached_property
    def user_namespaces(self) -> tuple[str, ...]:
        """All names under which a user or a user's talk page is linked; English ones work on every wiki."""
        return tuple(dict.fromkeys((*self.user, *self.user_talk, *EVERYWHERE[0])))

    @cached_property
    def contribution_pages(self) -> tuple[str, ...]:
        """All names of the page of a user's edits."""
        own = tuple(f"{space}:{page}" for space in (*self.special, "Special") for page in self.contributions)
        return tuple(dict.fromkeys((*own, *EVERYWHERE[1])))

    @cached_property
    def wrappers(self) -> frozenset[str]:
        """Templates that say nothing themselves: they wrap, archive or outdent what others say."""
        return frozenset((*self.archive, *self.closed, *self.outdent))

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
        ConfigError: a field is missing or unknown, or a list of months or weekdays hasn't the right length.
    """
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    try:
        language = Language(**fields)  # type: ignore[arg-type]  # checked by the tests of the shipped files
    except TypeError as error:
        raise ConfigError(f"language file {source}: {error}; see the fields of Language") from error
    for name, wanted in _COUNTS.items():
        names = getattr(language, name)
        if len(names) != wanted and (names or name in {"months_long", "months_short"}):
            raise ConfigError(f"language file {source}: {name} has {len(names)} names, not {wanted}")
    return language
