"""Answers to a request that fit a person: from their timeline, or from a profile of theirs (SocialPersona, task 2)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from folkmoot.agents.interests.posts import Input, Post, fitted, show, usable
from folkmoot.agents.interests.prompts import interest_prompt
from folkmoot.sim.asking import TOO_LONG, Asker, Reply, UnusableAnswer
from folkmoot.sim.persona import DOMAINS, Interests
from folkmoot.sim.protocols import Answer, Message
from folkmoot.sim.quoting import quote
from folkmoot.sim.rng import integer

Intent = Literal["stable", "recent"]

REQUESTS: dict[Intent, tuple[str, ...]] = {
    "stable": (
        "I have a free evening and feel like doing what I always enjoy. What do you suggest?",
        "Please name me one thing that is right up my street.",
        "No experiments today, please: what would be a safe bet for me?",
        "What could I treat myself to that I'm sure to like?",
        "My weekend is empty. Give me an idea that suits my habits.",
        "If you had to pick one thing for me by what I have always liked, what would it be?",
        "I'd like more of what I love. Where should I look next?",
        "A friend wants to give me a present that really fits me. What should they get?",
        "What is something I could enjoy this week without having to get used to anything?",
        "Help me choose: I want something comfortable and familiar. Any idea?",
    ),
    "recent": (
        "I'd like to go on with what I've just got into. What comes next?",
        "Surprise me a little, but stay close to what I've been up to lately.",
        "What could I try this week that goes with my newest interest?",
        "I'm curious about new things at the moment. What would suit me?",
        "Something fresh, please, that fits what has been on my mind these weeks.",
        "What is a small step further in the direction I've taken of late?",
        "I feel like a change, though not a complete one. What do you recommend?",
        "Which thing should I look into now, given what I've picked up recently?",
        "Give me an idea for the next days that I wouldn't have asked for last year.",
        "I've started something new and want to keep it going. How?",
    ),
}
"""Ten requests for each intent."""

SHORTEST = 3
"""Words that an answer has, at least."""


def request(seed: int, user: str, intent: Intent, context: str) -> int:
    """The place of the request for this user and setting: the same at every run with this seed."""
    return integer(seed, "request", user, intent, context) % len(REQUESTS[intent])


def show_profile(profile: Interests) -> str:
    """A profile as a prompt shows it, quoted.

    >>> print(show_profile(Interests(stable={"pets": ("cats", "dogs")}, recent={"gaming": ("chess",)})))
    > gaming, recent: chess
    > pets, stable: cats, dogs
    """
    lines = [
        f"{domain}, {bucket}: {', '.join(tags)}"
        for domain in DOMAINS
        for bucket in ("stable", "recent")
        if (tags := getattr(profile, bucket).get(domain))
    ]
    return quote("\n".join(lines) or "(nothing is known of their interests)")


@dataclass(frozen=True, slots=True)
class Responder:
    """Writes answers with one model.

    Attributes:
        asker: asks the model.
        mode: what is shown of a post, where the timeline is shown.
    """

    asker: Asker
    mode: Input = "full"

    async def from_profile(self, user: str, profile: Interests, intent: Intent, number: int) -> Reply[str]:
        """An answer from a profile alone."""
        messages = _question(f"Interests, by domain:\n{show_profile(profile)}", intent, number)
        if not self.asker.fits(messages):
            return Reply(None, TOO_LONG)
        return await self.asker.ask(messages, read_response, (f"respond {intent}", user))

    async def from_timeline(
        self, user: str, posts: Sequence[Post], intent: Intent, number: int
    ) -> tuple[Reply[str], Counter[str]]:
        """An answer from the timeline itself, and what of it was left out."""

        def build(some: Sequence[Post]) -> list[Message]:
            return _question(f"What they posted, oldest first:\n{show(some, self.mode)}", intent, number)

        shown = usable(posts, self.mode)
        fit = fitted(shown, build, self.asker.fits)
        if fit is None:
            return Reply(None, TOO_LONG), Counter()
        messages, kept, note = fit
        notes = Counter({"posts left out, or cut, to fit the window": len(shown) - len(kept) or bool(note)})
        return await self.asker.ask(messages, read_response, (f"respond {intent}", user)), +notes


def read_response(answer: Answer) -> str:
    """The text of an answer.

    Raises:
        UnusableAnswer: it is empty, or no sentence.
    """
    text = answer.text.strip()
    if len(text.split()) < SHORTEST:
        raise UnusableAnswer("empty answer", f"it has fewer than {SHORTEST} words")
    return text


def _question(context: str, intent: Intent, number: int) -> list[Message]:
    user = interest_prompt("respond").render(
        context=context, intent=interest_prompt(intent).render(), request=quote(REQUESTS[intent][number])
    )
    return [Message("system", interest_prompt("respond_system").render()), Message("user", user)]
