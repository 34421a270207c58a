"""A second model looks over the interests of a domain: weak, over-general, speculative, or in the wrong bucket."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError

from folkmoot.agents.interests.answers import LONGEST, plain_tag
from folkmoot.agents.interests.posts import Post, date
from folkmoot.agents.interests.prompts import MEANING, interest_prompt
from folkmoot.agents.profiles.asking import read_object
from folkmoot.metrics.profile.canonical import Interest
from folkmoot.sim.asking import TOO_LONG, Asker, UnusableAnswer
from folkmoot.sim.persona import DOMAINS, Domain, Frozen
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import line, quote

SHOWN = 4
"""Supporting posts of an interest that are shown, the first and the last among them."""

_CHARS = 200


class Change(Frozen):
    """What is to be done with an interest, by its number."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int
    fault: Literal["weak", "general", "speculative", "bucket"]
    action: Literal["remove", "rename", "move"]
    tag: str = ""
    bucket: Literal["stable", "recent", ""] = ""


@dataclass(frozen=True, slots=True)
class Calibrator:
    """Asks the second model about each domain of a user."""

    asker: Asker

    async def calibrate(
        self, user: str, interests: Sequence[Interest], posts: Sequence[Post]
    ) -> tuple[list[Interest], Counter[str]]:
        """The interests after its changes, and what it did or couldn't do, counted.

        Raises:
            ModelError: a call failed for good, unless the asker skips failures.
        """
        texts = {post.number: post for post in posts}
        done: Counter[str] = Counter()
        kept: list[Interest] = []
        for domain in DOMAINS:
            own = [one for one in interests if one.domain == domain and one.bucket is not None]
            changes = await self._ask(user, domain, own, texts, done) if own else []
            kept += apply_changes(own, changes, done)
        return kept, done

    async def _ask(
        self, user: str, domain: Domain, own: Sequence[Interest], texts: Mapping[int, Post], done: Counter[str]
    ) -> list[Change]:
        shown = "\n".join(_shown(number, one, texts) for number, one in enumerate(own, 1))
        text = interest_prompt("calibrate").render(domain=domain, meaning=MEANING[domain], candidates=shown)
        messages = [Message("system", interest_prompt("system").render()), Message("user", text)]
        if not self.asker.fits(messages):
            done[f"domains not calibrated: {TOO_LONG}"] += 1
            return []
        reply = await self.asker.ask(
            messages, lambda answer: read_changes(read_object(answer), len(own)), (f"calibrate {domain}", user)
        )
        if reply.value is None:
            done[f"domains not calibrated: {reply.reason}"] += 1
        return reply.value or []


def _shown(number: int, one: Interest, texts: Mapping[int, Post]) -> str:
    found, numbers = one.scores, one.posts
    some = sorted({numbers[k * (len(numbers) - 1) // max(1, SHOWN - 1)] for k in range(min(SHOWN, len(numbers)))})
    counts = f"{len(numbers)} posts in {found.months} months, {found.recent_support:.1f} in the last 90 days"
    lines = [f"{date(texts[n].time)}: {' | '.join((texts[n].text, *texts[n].captions))[:_CHARS]}" for n in some]
    head = f"Interest {number}, called {one.bucket}; {counts}:"
    return "\n".join([head, quote(line(one.tag)), "Posts:", quote("\n".join(map(line, lines)))])


def read_changes(answer: Mapping[str, Any], count: int) -> list[Change]:
    """The changes of an answer.

    Raises:
        UnusableAnswer: there is no list, or one of it names no interest, fault or action that exists.
    """
    given = answer.get("changes")
    if not isinstance(given, list):
        raise UnusableAnswer("changes is missing", 'the key "changes" must hold a list')
    found = []
    for one in given:
        try:
            change = Change.model_validate(one)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else "change"
            raise UnusableAnswer(f"{name} isn't allowed", f"{name}: {first['msg']}") from error
        if not 1 <= change.number <= count:
            raise UnusableAnswer("a number that doesn't exist", f"interests are numbered from 1 to {count}")
        found.append(change)
    return found


def apply_changes(own: Sequence[Interest], changes: Sequence[Change], done: Counter[str]) -> list[Interest]:
    """The interests of a domain after the changes; each is counted. The first change of an interest counts."""
    first: dict[int, Change] = {}
    for change in changes:
        first.setdefault(change.number, change)
    kept = []
    for number, one in enumerate(own, 1):
        changed = _changed(one, first[number], done) if number in first else one
        if changed is not None:
            kept.append(changed)
    return kept


def _changed(one: Interest, change: Change, done: Counter[str]) -> Interest | None:
    done[f"calibrated: {change.fault}, {change.action}"] += 1
    if change.action == "remove":
        return None
    if change.action == "rename":
        tag = plain_tag(change.tag)
        if not tag or len(tag) > LONGEST:
            done["calibrated: no usable name given, kept"] += 1
            return one
        return one.changed(f"{change.fault}: was {one.tag}", tag=tag, bucket=one.bucket)
    return one.changed(f"{change.fault}: was {one.bucket}", bucket="recent" if one.bucket == "stable" else "stable")
