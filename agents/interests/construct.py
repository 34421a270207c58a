"""A profile of stable and recent interests from a timeline, in four settings (SocialPersona 4.2, and one more).

`direct`: the whole timeline at once. `hierarchical`: parts of 20 posts, each noted, then put together.
`extractive_abstractive`: the most telling posts of each domain, then a profile from those alone. `temporal`: candidate
tags post by post, each with its dates and counts computed, then a profile from those.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.interests.answers import (
    Read,
    Signal,
    added,
    read_profile,
    read_selection,
    read_signals,
    read_signs,
)
from folkmoot.agents.interests.candidates import candidates, show_candidates
from folkmoot.agents.interests.posts import Input, Post, date, fitted, show, usable
from folkmoot.agents.interests.prompts import domains_text, interest_prompt
from folkmoot.agents.profiles.asking import read_object
from folkmoot.sim.asking import TOO_LONG, Asker
from folkmoot.sim.persona import DOMAINS, Interests
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote
from folkmoot.sim.together import together

Setting = Literal["direct", "hierarchical", "extractive_abstractive", "temporal"]
Style = Literal["conservative", "neutral"]
Value = TypeVar("Value")

NO_POSTS = "no post shows anything in this input mode"
NO_EVIDENCE = "no part of the timeline could be read"


@dataclass(slots=True)
class Built:
    """A profile, and how it came about.

    Attributes:
        profile: empty where none could be made.
        reason: why none could be made; "" where one was.
        notes: what was left out or dropped on the way, counted by reason.
    """

    profile: Interests = field(default_factory=Interests)
    reason: str = ""
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Builder:
    """Makes profiles with one model.

    Attributes:
        asker: asks the model.
        style: conservative (few, broad tags) or neutral.
        mode: what is shown of a post.
        part: posts of a part (hierarchical, temporal).
        most: posts picked for a domain (extractive_abstractive).
        language: ISO 639-1 code of the posts.
    """

    asker: Asker
    style: Style = "conservative"
    mode: Input = "full"
    part: int = 20
    most: int = 12
    language: str = "en"

    async def build(self, user: str, posts: Sequence[Post], setting: Setting) -> Built:
        """The profile of one user.

        Args:
            user: names the calls' seeds.
            posts: the timeline, oldest first.
            setting: how.

        Raises:
            ModelError: a call failed for good, unless the asker skips failures.
        """
        notes: Counter[str] = Counter()
        shown = usable(posts, self.mode)
        notes["posts that show nothing in this input mode"] = len(posts) - len(shown)
        if not shown:
            return Built(reason=NO_POSTS, notes=+notes)
        make = {
            "direct": self._direct,
            "hierarchical": self._hierarchical,
            "extractive_abstractive": self._extractive,
            "temporal": self._temporal,
        }[setting]
        built = await make(user, shown)
        built.notes.update(+notes)
        return built

    async def signals(self, user: str, posts: Sequence[Post], at_once: int) -> tuple[list[Signal], Counter[str]]:
        """Signals of interests, `at_once` posts a call, and what was lost on the way."""
        parts = [posts[k : k + at_once] for k in range(0, len(posts), at_once)]
        found = await together(self._signals(user, part) for part in parts)
        return [one for signals, _ in found for one in signals or ()], added(notes for _, notes in found)

    # --- settings --------------------------------------------------------------------------------

    async def _direct(self, user: str, posts: Sequence[Post]) -> Built:
        return await self._profile_of_posts(user, posts, "timeline")

    async def _hierarchical(self, user: str, posts: Sequence[Post]) -> Built:
        parts = [posts[k : k + self.part] for k in range(0, len(posts), self.part)]
        found = await together(self._signs(user, part) for part in parts)
        notes = added(one for _, one in found)
        blocks = [block for block, _ in found if block]
        if not blocks:
            return _nothing(notes)
        evidence = interest_prompt("summaries").render(notes="\n".join(blocks))
        return await self._profile(user, evidence, notes)

    async def _extractive(self, user: str, posts: Sequence[Post]) -> Built:
        numbers = {post.number for post in posts}
        picked, notes = await self._about_posts(
            "select", user, posts, partial(read_selection, known=numbers, most=self.most), most=str(self.most)
        )
        if picked is None:
            return Built(reason=NO_EVIDENCE, notes=notes)
        chosen = {number for one in picked.value.values() for number in one}
        if not chosen:
            return Built(notes=notes)
        built = await self._profile_of_posts(user, [post for post in posts if post.number in chosen], "selected")
        built.notes.update(notes)
        return built

    async def _temporal(self, user: str, posts: Sequence[Post]) -> Built:
        signals, notes = await self.signals(user, posts, self.part)
        found = candidates(signals, {post.number: post.time for post in posts})
        if not found:
            return _nothing(notes)
        evidence = interest_prompt("candidates").render(candidates=show_candidates(found), last=date(posts[-1].time))
        return await self._profile(user, evidence, notes)

    # --- steps -----------------------------------------------------------------------------------

    async def _signs(self, user: str, posts: Sequence[Post]) -> tuple[str, Counter[str]]:
        found, notes = await self._about_posts("chunk", user, posts, read_signs)
        if found is None or not found.value:
            return "", notes
        signs = found.value
        lines = [f"{name}: {'; '.join(signs[name])}" for name in DOMAINS if name in signs]
        return f"{self._part_title(posts)}\n{quote(chr(10).join(lines))}", notes

    def _part_title(self, posts: Sequence[Post]) -> str:
        numbers = f"Posts {posts[0].number} to {posts[-1].number}"
        return f"{numbers}, {date(posts[0].time)} to {date(posts[-1].time)}:" if self.mode == "full" else f"{numbers}:"

    async def _signals(self, user: str, posts: Sequence[Post]) -> tuple[list[Signal] | None, Counter[str]]:
        found, notes = await self._about_posts(
            "signals", user, posts, partial(read_signals, known={post.number for post in posts})
        )
        return (None if found is None else found.value), notes

    async def _about_posts(
        self,
        prompt: str,
        user: str,
        posts: Sequence[Post],
        read: Callable[[dict[str, Any]], Read[Value]],
        **slots: str,
    ) -> tuple[Read[Value] | None, Counter[str]]:
        """What was read about some posts, None where nothing was, and what was lost."""

        def build(some: Sequence[Post]) -> list[Message]:
            return self._messages(interest_prompt(prompt), domains=domains_text(), **self._posts(some), **slots)

        fit = fitted(posts, build, self.asker.fits)
        if fit is None:
            return None, Counter({f"{LOST}{prompt}: {TOO_LONG}": 1})
        messages, shown, note = fit
        reply = await self.asker.ask(
            messages, lambda answer: read(read_object(answer)), (f"interests {prompt} {posts[0].number}", user)
        )
        notes = Counter({"posts left out, or cut, to fit the window": len(posts) - len(shown) or bool(note)})
        if reply.value is None:
            return None, notes + Counter({f"{LOST}{prompt}: {reply.reason}": 1})
        notes["answers repaired"] += reply.repaired
        return reply.value, +(notes + reply.value.dropped)

    def _posts(self, posts: Sequence[Post]) -> dict[str, str]:
        written = "" if self.language == "en" else f", in {language_name(self.language)}"
        return {"posts": show(posts, self.mode), "written": written}

    async def _profile_of_posts(self, user: str, posts: Sequence[Post], prompt: str) -> Built:
        def build(some: Sequence[Post]) -> list[Message]:
            return self._question(interest_prompt(prompt).render(**self._posts(some)))

        fit = fitted(posts, build, self.asker.fits)
        if fit is None:
            return Built(reason=TOO_LONG)
        messages, shown, note = fit
        notes = Counter({"posts left out, or cut, to fit the window": len(posts) - len(shown) or bool(note)})
        return await self._answered(user, messages, notes)

    async def _profile(self, user: str, evidence: str, notes: Counter[str]) -> Built:
        messages = self._question(evidence)
        if not self.asker.fits(messages):
            return Built(reason=TOO_LONG, notes=notes)
        return await self._answered(user, messages, notes)

    def _question(self, evidence: str) -> list[Message]:
        style = interest_prompt(self.style).render()
        return self._messages(interest_prompt("profile"), evidence=evidence, domains=domains_text(), style=style)

    @staticmethod
    def _messages(template: Any, **slots: str) -> list[Message]:
        return [Message("system", interest_prompt("system").render()), Message("user", template.render(**slots))]

    async def _answered(self, user: str, messages: Sequence[Message], notes: Counter[str]) -> Built:
        reply = await self.asker.ask(
            messages, lambda answer: read_profile(read_object(answer)), ("interests profile", user)
        )
        if reply.value is None:
            return Built(reason=reply.reason, notes=+notes)
        notes["answers repaired"] += reply.repaired
        return Built(reply.value.value, notes=+(notes + reply.value.dropped))


def _nothing(notes: Counter[str]) -> Built:
    """An empty profile: nothing shows in what was read, or nothing could be read."""
    lost = any(reason.startswith(LOST) for reason in notes)
    return Built(reason=NO_EVIDENCE if lost else "", notes=notes)


LOST = "parts lost, "
"""Begins the reasons for which a part of a timeline has no answer."""
