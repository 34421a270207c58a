"""The scripted model's answers about interests: tags of a fixed vocabulary are recognised word for word, dates by rule.

It reads what the prompt quotes and nothing else, so what it says is true of material written with the vocabulary, and
what the prompt doesn't show (dates, captions) it doesn't know.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from functools import cache
from importlib.resources import files
from typing import NamedTuple

LATE_DAYS = 90
LASTING_POSTS, LASTING_MONTHS = 3, 2

_POST = re.compile(r"Posts? (\d+)[^:]*:$")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_FACTS = re.compile(r": (\d+) posts? in (\d+) months?, .*; (\d+) in the last 90 days$")
_WORD = re.compile(r"[^\W_]+")
_MOST_SCORE = 5


class Mention(NamedTuple):
    """A known tag in the material: its post (0: none), whether in an image's caption, and the days given with it."""

    post: int
    domain: str
    tag: str
    image: bool
    days: tuple[date, ...]


@cache
def vocabulary() -> dict[str, str]:
    """Tag -> domain, of all tags that are known."""
    text = (files(__package__) / "vocabulary.json").read_text("utf-8")
    return {tag: domain for domain, tags in json.loads(text).items() for tag in tags}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(vocabulary(), key=lambda tag: (-len(tag), tag))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def known(text: str) -> list[str]:
    """Known tags in a text, in order; a hashtag is read as its words where they are joined or parted by signs."""
    words = " ".join(_WORD.findall(text.casefold()))
    joined = {tag.replace(" ", ""): tag for tag in vocabulary() if " " in tag}
    return [*dict.fromkeys([*_pattern().findall(words), *(joined[w] for w in words.split() if w in joined)])]


def mentions(prompt: str) -> Iterator[Mention]:
    """Known tags of the quoted lines, with post and days."""
    post, image = 0, False
    days: tuple[date, ...] = ()
    for line in prompt.splitlines():
        if line.startswith("> "):
            for part in line[2:].split(";"):
                own = _days(part) or days
                yield from (Mention(post, vocabulary()[tag], tag, image, own) for tag in known(part))
        elif line == "Image:":
            image = True
        else:
            found = _POST.match(line)
            post, days, image = (int(found[1]) if found else 0), (_days(line) if found else ()), False


def _days(line: str) -> tuple[date, ...]:
    found = []
    for text in _DAY.findall(line):
        with suppress(ValueError):
            found.append(date.fromisoformat(text))
    return tuple(found)


def signals(prompt: str) -> str:
    """The signals that a prompt asks for, sure of all of them."""
    found: dict[tuple[int, str], Mention] = {}
    both: set[tuple[int, str]] = set()
    for one in mentions(prompt):
        key = one.post, one.tag
        if key in found and found[key].image != one.image:
            both.add(key)
        found.setdefault(key, one)
    listed = [
        {
            "post": one.post,
            "domain": one.domain,
            "tag": one.tag,
            "modality": "both" if key in both else "image" if one.image else "text",
            "confidence": 0.9,
        }
        for key, one in found.items()
        if one.post
    ]
    return json.dumps({"signals": listed})


def signs(prompt: str) -> str:
    """Notes on a part: each tag with the days of its posts."""
    found: dict[str, list[str]] = {}
    for one in mentions(prompt):
        found.setdefault(one.tag, []).extend(map(str, one.days))
    by_domain: dict[str, list[str]] = {}
    for tag, days in found.items():
        by_domain.setdefault(vocabulary()[tag], []).append(f"{tag} ({', '.join(dict.fromkeys(days))})")
    return json.dumps(by_domain or {"pets": []})


def selection(prompt: str, most: int = 12) -> str:
    """Posts by domain: the first and the last of each tag, then more of them."""
    posts: dict[str, dict[str, list[int]]] = {}
    for one in mentions(prompt):
        if one.post:
            posts.setdefault(one.domain, {}).setdefault(one.tag, []).append(one.post)
    picked: dict[str, list[int]] = {}
    for domain, tags in posts.items():
        order = [own[k] for k in (0, -1, 1, 2, 3) for own in tags.values() if k < len(own)]
        picked[domain] = sorted([*dict.fromkeys(order)][:most])
    return json.dumps(picked or {"pets": []})


def profile(prompt: str) -> str:
    """The profile: lasting is what has three posts in two months, new is what else shows in the last 90 days.

    Where the material has no dates, everything counts as lasting.
    """
    found: dict[str, list[date]] = {}
    facts: dict[str, str] = {}
    for one in mentions(prompt):
        found.setdefault(one.tag, []).extend(one.days)
    for line in prompt.splitlines():
        if line.startswith("> ") and (told := _FACTS.search(line)):
            posts, months, late = map(int, told.groups())
            facts |= dict.fromkeys(known(line[: told.start()]), _rule(posts, months, late))
    everything = [day for days in found.values() for day in days]
    end = max(everything, default=None)
    answer: dict[str, dict[str, list[str]]] = {}
    for tag, days in found.items():
        bucket = facts[tag] if tag in facts else _bucket(days, end)
        if bucket:
            answer.setdefault(vocabulary()[tag], {"stable": [], "recent": []})[bucket].append(tag)
    return json.dumps(answer or {"pets": {"stable": [], "recent": []}})


def _bucket(days: list[date], end: date | None) -> str:
    if not days or end is None:
        return "stable"
    late = sum((end - day).days <= LATE_DAYS for day in days)
    return _rule(len(days), len({(day.year, day.month) for day in days}), late)


def _rule(posts: int, months: int, late: int) -> str:
    if posts >= LASTING_POSTS and months >= LASTING_MONTHS:
        return "stable"
    return "recent" if late else ""


def calibration(prompt: str) -> str:  # noqa: ARG001 -- nothing is looked at
    """Every interest stays as it is."""
    return json.dumps({"changes": []})


def response(prompt: str) -> str:
    """An answer that names the interests of the kind that is wanted, by the profile or by the posts that are shown."""
    wanted = "stable" if "for a long time" in prompt else "recent"
    shown, _, _ = prompt.partition("The person asks:")
    lines = [line for line in shown.splitlines() if line.startswith("> ")]
    labelled = [line for line in lines if f", {wanted}:" in line]
    tags = [tag for line in labelled for tag in known(line)]
    if not any(", stable:" in line or ", recent:" in line for line in lines):
        told = json.loads(profile(shown))
        tags = [tag for buckets in told.values() for tag in buckets[wanted]]
    if not tags:
        return "I would just take a walk and see what comes."
    return f"How about something with {' and '.join(tags[:4])}? That would go well with this week."


def verdict(prompt: str) -> str:
    """A judge's points: the share of the gold tags that the answer names, and how many known tags it names at all."""
    gold, _, rest = prompt.partition("The answer:")
    wanted = "stable" if "for a long time" in prompt else "recent"
    lines = [line for line in gold.splitlines() if line.startswith("> ") and f", {wanted}:" in line]
    tags = {tag for line in lines for tag in _listed(line)}
    said = " ".join(_WORD.findall(" ".join(line[2:] for line in rest.splitlines() if line.startswith("> ")).casefold()))
    named = sum(f" {tag} " in f" {said} " for tag in tags)
    coverage = round(_MOST_SCORE * named / min(len(tags), 4)) if tags else 0
    return json.dumps(
        {
            "coverage": min(_MOST_SCORE, coverage),
            "concreteness": min(_MOST_SCORE, 1 + 2 * len(known(said))),
            "fluency": 4 if said else 0,
        }
    )


def _listed(line: str) -> list[str]:
    return [" ".join(_WORD.findall(tag.casefold())) for tag in line.partition(":")[2].split(",")]


def same(prompt: str) -> str:
    """Pairs of tags, by their numbers, that share a word of four letters or more."""
    sides: list[list[set[str]]] = []
    for line in prompt.splitlines():
        if line in ("List A:", "List B:"):
            sides.append([])
        elif line.startswith("> ") and sides:
            sides[-1].append({word for word in _WORD.findall(line.casefold()) if len(word) > 3})  # noqa: PLR2004
    pairs = (
        [[a, b] for a, one in enumerate(sides[0], 1) for b, other in enumerate(sides[1], 1) if one & other]
        if len(sides) > 1
        else []
    )
    return json.dumps({"same": pairs})
