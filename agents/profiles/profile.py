"""A user page's answer, checked field by field."""

import re
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from folkmoot.sim.asking import UnusableAnswer
from folkmoot.sim.persona import Attributes, Frozen

UNKNOWN = "unknown"
LONGEST = 200
"""Characters of a field; the profile may have 20 times as many."""

MOST = 60
"""Entries of a list."""

_DASHES = re.compile(r"\s*[-\u2010-\u2015]+\s*")
_NOTHING = {"", "none", "n/a", "null", "not stated", "not specified", "unspecified", "unbekannt"}
_YEAR = re.compile(r"(?:19|20)\d\d")


def allowed(field: str) -> tuple[str, ...]:
    """The values that a field of `Attributes` may have; empty where any text may stand.

    >>> allowed("gender"), allowed("known_languages")
    (('man', 'woman', 'non-binary', 'unknown'), ())
    """
    return tuple(value for value in get_args(Attributes.model_fields[field].annotation) if isinstance(value, str))


def _word(value: Any) -> Any:
    """Missing things as "unknown"; dashes of any kind in ranges as plain ones."""
    if value is None or (isinstance(value, list) and not value):
        return UNKNOWN
    if isinstance(value, str):
        return UNKNOWN if value.strip().lower() in _NOTHING else " ".join(value.split())
    return value


def _choice(value: Any) -> Any:
    value = _word(value)
    return _DASHES.sub("-", value).lower() if isinstance(value, str) else value


def _words(value: Any) -> Any:
    """A list; missing things as []; a single text as a list of one."""
    if value is None or (isinstance(value, str) and value.strip().lower() in {*_NOTHING, UNKNOWN}):
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        words = (" ".join(item.split()) for item in value)
        return tuple(dict.fromkeys(word for word in words if word.lower() not in {*_NOTHING, UNKNOWN}))
    return value


def _year(value: Any) -> Any:
    if isinstance(value, str):
        found = _YEAR.search(value)
        return int(found[0]) if found else None if _word(value).lower() == UNKNOWN else value
    return value


Word = Annotated[str, BeforeValidator(_word), Field(max_length=LONGEST)]
Words = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=LONGEST)], ...], BeforeValidator(_words), Field(max_length=MOST)
]


class ProfileAnswer(Frozen):
    """The object that a page's prompt asks for; keys that nobody asked for are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    relevant_page: bool
    profile: str = Field(max_length=20 * LONGEST)
    gender: Annotated[str, BeforeValidator(_choice)] = UNKNOWN
    age_range: Annotated[str, BeforeValidator(_choice)] = UNKNOWN
    location: Word = UNKNOWN
    known_languages: Words = ()
    education_level: Annotated[str, BeforeValidator(_choice)] = UNKNOWN
    study_field: Word = UNKNOWN
    profession: Word = UNKNOWN
    hobbies: Words = ()
    stated_interests: Words = ()
    registration_year: Annotated[int | None, BeforeValidator(_year)] = Field(default=None, ge=1990, le=2100)
    contribution_topics: Words = ()


def read_profile(answer: dict[str, Any]) -> tuple[bool, str, Attributes]:
    """Relevance, profile and attributes of an answer.

    Raises:
        UnusableAnswer: a key is missing, a value isn't allowed, or a relevant page has no profile.
    """
    try:
        read = ProfileAnswer.model_validate(answer)
        fields = read.model_dump(exclude={"relevant_page", "profile"})
        attributes = Attributes.model_validate(fields)
    except ValidationError as error:
        raise _fault(error) from error
    profile = " ".join(read.profile.split())
    if read.relevant_page and not profile:
        raise UnusableAnswer("a relevant page without a profile", "relevant_page is true but profile is empty")
    return (True, profile, attributes) if read.relevant_page else (False, "", Attributes())


def _fault(error: ValidationError) -> UnusableAnswer:
    """The first fault, counted by field, told in words."""
    first = error.errors()[0]
    field = str(first["loc"][0]) if first["loc"] else "object"
    if first["type"] == "missing":
        return UnusableAnswer(f"{field} is missing", f"the key {field} is missing")
    choices = allowed(field) if field in Attributes.model_fields else ()
    hint = f"; it must be one of: {', '.join(choices)}" if choices else f": {first['msg']}"
    return UnusableAnswer(f"{field} isn't allowed", f"{field} has a value that isn't allowed{hint}")
