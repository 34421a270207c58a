"""Answers about interests, checked field by field: what can't be used is dropped and counted, or asked for again."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

from pydantic import ConfigDict, Field, ValidationError, field_validator

from folkmoot.sim.asking import UnusableAnswer
from folkmoot.sim.persona import DOMAINS, Domain, Frozen, Interests

Value = TypeVar("Value")

LONGEST = 60
"""Characters of a tag."""

MOST = 30
"""Tags of a bucket, signs of a domain."""

Modality = Literal["text", "image", "both"]

_NOTHING = {"", "none", "n/a", "null", "unknown", "inactive", "..."}


class Read(NamedTuple, Generic[Value]):
    """What was read from an answer, and what of it was dropped, by reason."""

    value: Value
    dropped: Counter[str]


class Signal(Frozen):
    """One observable sign of an interest in one post.

    Attributes:
        post: number of the post.
        modality: where it shows.
        confidence: 0 to 1.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    post: int
    domain: Domain
    tag: str = Field(min_length=1, max_length=LONGEST)
    modality: Modality = "text"
    confidence: float = Field(ge=0, le=1)

    @field_validator("domain", mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        return domain_name(value) or value

    @field_validator("tag", mode="before")
    @classmethod
    def _one_line(cls, value: Any) -> Any:
        return plain_tag(value) if isinstance(value, str) else value


def domain_name(text: Any) -> Domain | None:
    """The domain that a key names, in whatever spelling of case, spaces and signs.

    >>> domain_name("Food & Drink"), domain_name("politics")
    ('food_drink', None)
    """
    key = "_".join("".join(c if c.isalnum() else " " for c in str(text).lower()).replace(" and ", " ").split())
    return next((name for name in DOMAINS if name == key), None)


def plain_tag(text: str) -> str:
    """A tag on one line, without a leading # and quotes; "" where it says "none" in some way.

    >>> plain_tag(" #trail  running"), plain_tag("None")
    ('trail running', '')
    """
    tag = " ".join(text.split()).strip("#\"'` ")
    return "" if tag.lower() in _NOTHING else tag


def read_profile(answer: Mapping[str, Any]) -> Read[Interests]:
    """Tags by domain and bucket; a domain that isn't named is inactive.

    Raises:
        UnusableAnswer: no key is a domain, or a value isn't a list of words.
    """
    dropped: Counter[str] = Counter()
    buckets: dict[str, dict[Domain, tuple[str, ...]]] = {"stable": {}, "recent": {}}
    for domain, value in _domains(answer, dropped).items():
        if not isinstance(value, dict):
            raise UnusableAnswer("a domain isn't an object", f'{domain} must hold {{"stable": [...], "recent": [...]}}')
        for bucket, found in buckets.items():
            if words := _tags(value.get(bucket), f"{domain}.{bucket}", dropped):
                found[domain] = words
        dropped["buckets that don't exist"] += len(value.keys() - buckets.keys())
    return Read(Interests(stable=buckets["stable"], recent=buckets["recent"]), +dropped)


def read_signs(answer: Mapping[str, Any]) -> Read[dict[Domain, tuple[str, ...]]]:
    """Signs of interests by domain, each a short phrase.

    Raises:
        UnusableAnswer: no key is a domain, or a value isn't a list of words.
    """
    dropped: Counter[str] = Counter()
    found = {domain: _tags(value, domain, dropped, longest=200) for domain, value in _domains(answer, dropped).items()}
    return Read({domain: words for domain, words in found.items() if words}, +dropped)


def read_selection(answer: Mapping[str, Any], known: Collection[int], most: int) -> Read[dict[Domain, tuple[int, ...]]]:
    """Numbers of posts by domain, at most so many of each.

    Raises:
        UnusableAnswer: no key is a domain, or a value isn't a list of numbers.
    """
    dropped: Counter[str] = Counter()
    found: dict[Domain, tuple[int, ...]] = {}
    for domain, value in _domains(answer, dropped).items():
        if not isinstance(value, list) or not all(isinstance(one, int) for one in value):
            raise UnusableAnswer("post numbers aren't a list", f"{domain} must hold a list of post numbers")
        real = [one for one in dict.fromkeys(value) if one in known]
        dropped["posts that don't exist"] += len(set(value)) - len(real)
        dropped["posts beyond the most of a domain"] += max(0, len(real) - most)
        if real:
            found[domain] = tuple(real[:most])
    return Read(found, +dropped)


def read_signals(answer: Mapping[str, Any], known: Collection[int]) -> Read[list[Signal]]:
    """The signals that can be used; the others are counted by their fault.

    Raises:
        UnusableAnswer: there is no list of signals, or none of it can be used.
    """
    given = answer.get("signals")
    if not isinstance(given, list):
        raise UnusableAnswer("signals is missing", 'the key "signals" must hold a list')
    signals: list[Signal] = []
    dropped: Counter[str] = Counter()
    for one in given:
        try:
            signal = Signal.model_validate(one)
        except ValidationError as error:
            first = error.errors()[0]
            dropped[f"signal: {first['loc'][0] if first['loc'] else 'object'} isn't allowed"] += 1
            continue
        if signal.post in known:
            signals.append(signal)
        else:
            dropped["signal: of a post that doesn't exist"] += 1
    if given and not signals:
        fault = next(iter(dropped))
        domains, sources = ", ".join(DOMAINS), ", ".join(get_args(Modality))
        raise UnusableAnswer(
            fault, f"{fault}; domain is one of {domains}; modality one of {sources}; confidence 0 to 1"
        )
    return Read(signals, dropped)


def _domains(answer: Mapping[str, Any], dropped: Counter[str]) -> dict[Domain, Any]:
    found = {name: value for key, value in answer.items() if (name := domain_name(key))}
    dropped["domains that don't exist"] += len(answer) - len(found)
    if not found:
        raise UnusableAnswer("no domain is named", f"no key of it is one of the domains {', '.join(DOMAINS)}")
    return found


def _tags(value: Any, where: str, dropped: Counter[str], longest: int = LONGEST) -> tuple[str, ...]:
    if value is None:
        return ()
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UnusableAnswer("tags aren't a list of words", f"{where} must hold a list of short texts")
    clean = [tag for word in words if (tag := plain_tag(word))]
    kept = [tag for tag in dict.fromkeys(clean) if len(tag) <= longest]
    dropped[f"tags of more than {longest} characters"] += sum(len(tag) > longest for tag in clean)
    dropped["tags beyond the most of a list"] += max(0, len(kept) - MOST)
    return tuple(kept[:MOST])


def added(counts: Iterable[Counter[str]]) -> Counter[str]:
    """All counts together."""
    whole: Counter[str] = Counter()
    for one in counts:
        whole.update(one)
    return whole
