"""A planned act to messages, fitted to the window."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from folkmoot.agents.conditioning.compose import Prompt
from folkmoot.agents.conditioning.fit import Fit
from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.conditioning.scene import Recalled, clock
from folkmoot.agents.feed import showing
from folkmoot.agents.feed.plan import FeedPlan
from folkmoot.agents.feed.taste import topics
from folkmoot.agents.prompts import template
from folkmoot.sim.feed import FeedView, PostCreated, Shown
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import line, name, quote

PAGE = 6
"""Posts of the home page that are shown, unless `condition.max_comments` says otherwise."""
OWN = 3
"""Own posts of late that are shown."""


class Detail(NamedTuple):
    """How much is shown: shares of the posts (of the page, of a conversation, of earlier posts), characters of each."""

    share: float
    characters: int


DETAILS = (
    Detail(1.0, 500),
    Detail(1.0, 280),
    Detail(0.6, 280),
    Detail(0.4, 200),
    Detail(0.2, 140),
    Detail(0.0, 80),
)
"""From all to least, as the window demands."""


class Material(NamedTuple):
    """What a prompt may show, newest or topmost first.

    Attributes:
        conversation: the post answered and all that it answers, the first of them first.
        own: own posts of late, newest first.
        recalled: earlier posts that the conditioning method shows, oldest first.
    """

    home: Sequence[Shown] = ()
    conversation: Sequence[PostCreated] = ()
    own: Sequence[PostCreated] = ()
    recalled: Sequence[Recalled] = ()


def gather(view: FeedView, plan: FeedPlan, most: int, recalled: Sequence[Recalled] = ()) -> Material:
    """What there is to show for this plan: the page and one's own posts for a post, else the conversation."""
    own = tuple(post for post in view.own(OWN) if post.text)
    if plan.kind == "post":
        return Material(home=tuple(view.home()[:most]), own=own, recalled=recalled)
    return Material(conversation=tuple(view.conversation(plan.post)), own=own, recalled=recalled)


def system_text(author: str, language: str, persona: str) -> str:
    """What all calls share, then what a person's calls share: backends keep what prompts begin with."""
    system = template("feed_system").render(language=language_name(language))
    who = template("author").render(author=name(author))
    return "\n\n".join(part for part in (system, template("feed_rules").render(), who, persona) if part)


def compose(author: str, language: str, now: int, persona: str, plan: FeedPlan, shown: Material, fit: Fit) -> Prompt:  # noqa: PLR0917 -- what a prompt says
    """The prompt for the words of a plan.

    Args:
        author: id of who writes.
        language: ISO 639-1 code.
        now: milliseconds since the epoch, UTC.
        persona: the finished persona block, "" for none.
        plan: a post, a reply or a quote.
        shown: what there is to show.
        fit: the limit.
    """
    system = Message("system", system_text(author, language, persona))
    values = {"now": clock(now), "author": name(author), "language": language_name(language)}

    def at(step: int) -> tuple[Message, ...]:
        detail = DETAILS[step]
        parts = [*_past(shown, detail), *_place(shown, detail), _order(plan, shown, values)]
        return system, Message("user", "\n\n".join(parts))

    step = fit.first(len(DETAILS), at)
    if step is None:
        return Prompt(at(len(DETAILS) - 1), {"prompt_limit": fit.limit}, fits=False)
    return Prompt(at(step), _facts(shown, step), fits=True)


def _past(shown: Material, detail: Detail) -> list[str]:
    """Earlier posts, and those of late with what they were about: interests of late drift with what one posts."""
    parts = []
    if kept := _last(shown.recalled, detail.share):
        earlier = (comment.text for item in kept for comment in item.comments)
        parts.append(template("feed_history").render(block=quote("\n\n".join(earlier))))
    if own := shown.own[: _count(len(shown.own), detail.share)]:
        parts.append(template("feed_own").render(block=showing.bare(own, detail.characters)))
        if about := topics(shown.own):
            parts.append(template("feed_topics").render(topics=", ".join(f"#{line(topic)}" for topic in about)))
    return parts


def _place(shown: Material, detail: Detail) -> list[str]:
    if shown.conversation:
        size = len(shown.conversation)
        first = size - max(1, _count(size, detail.share))
        talk = showing.listed(shown.conversation[first:], detail.characters, first + 1)
        left = f"({first} earlier posts left out)\n" if first else ""
        return [template("feed_conversation").render(block=left + talk)]
    home = shown.home[: _count(len(shown.home), detail.share)]
    return [template("feed_home").render(block=showing.page(home, detail.characters))] if home else []


def _order(plan: FeedPlan, shown: Material, values: dict[str, str]) -> str:
    if not shown.conversation:
        return template("feed_post").render(**values)
    other = name(shown.conversation[-1].actor)
    return template(f"feed_{plan.kind}").render(**values, number=str(len(shown.conversation)), other=other)


def _facts(shown: Material, step: int) -> dict[str, Any]:
    if not step:
        return {}
    posts = len(shown.home) + len(shown.conversation) + len(shown.own) + len(shown.recalled)
    return {"shortened": step, "posts": posts}


def _count(size: int, share: float) -> int:
    return round(size * share)


def _last(items: Sequence[Recalled], share: float) -> Sequence[Recalled]:
    return items[len(items) - _count(len(items), share) :]
