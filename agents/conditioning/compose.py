"""Scene and persona text to messages, in the order of the paper's prompt parts, fitted to the window."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from folkmoot.agents.conditioning.fit import Fit, shrunk
from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.conditioning.quoting import line, name, neutral, quote
from folkmoot.agents.conditioning.scene import Scene, SceneComment, clock
from folkmoot.agents.prompts import template
from folkmoot.sim.protocols import Message

SHORT_HISTORY = 5
"""A history of fewer threads is flagged (Wiki-Talkie)."""


class Prompt(NamedTuple):
    """Messages for the model.

    Attributes:
        messages: one system and one user message.
        facts: what was shortened, for the records: `article_chars`, `article_kept`, `history_threads`,
            `history_dropped`, `history_short`, `comments_omitted`; only those that say something.
        fits: False if the prompt is over the window after every shortening.
    """

    messages: tuple[Message, ...]
    facts: dict[str, Any]
    fits: bool


def compose(scene: Scene, persona: str, fit: Fit, history: Sequence[str] = (), most: int | None = None) -> Prompt:
    """The prompt of a scene.

    Args:
        scene: what the author sees.
        persona: the finished persona block, "" for none.
        fit: the limit.
        history: the finished history items, oldest first; the oldest are dropped first.
        most: show only the opening and the newest comments, so many in all; None shows all.
    """
    frame = _Frame(scene, persona, most)
    facts = dict(frame.facts)
    lengths = shrunk(len(frame.article))
    steps = len(lengths) + len(history)

    def at(step: int) -> tuple[Message, ...]:
        cut = min(step, len(lengths) - 1)
        return frame.messages(lengths[cut], history[step - cut :])

    step = fit.first(steps, at)
    if step is None:
        return Prompt(at(steps - 1), {**facts, "prompt_limit": fit.limit}, fits=False)
    cut = min(step, len(lengths) - 1)
    if cut:
        facts |= {"article_chars": lengths[0], "article_kept": lengths[cut]}
    if history:
        facts |= _history_facts(len(history), step - cut)
    return Prompt(at(step), facts, fits=True)


def _history_facts(threads: int, dropped: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"history_threads": threads - dropped}
    if dropped:
        facts["history_dropped"] = dropped
    if threads - dropped < SHORT_HISTORY:
        facts["history_short"] = True
    return facts


class _Frame:
    """The parts of a prompt that stay, rendered once; the article and the history vary."""

    def __init__(self, scene: Scene, persona: str, max_comments: int | None) -> None:
        self.article = neutral(scene.article)
        self._author = name(scene.author)
        self._language = language_name(scene.language)
        self._system = self._system_text(persona)
        omitted = _omitted(len(scene.comments), scene.answered, max_comments)
        self.facts = {"comments_omitted": len(omitted)} if omitted else {}
        self._before = _titles(scene)
        self._after = self._tail(scene, omitted)

    def _system_text(self, persona: str) -> str:
        system = template("system").render(author=self._author, language=self._language)
        return f"{system}\n\n{persona}" if persona else system

    def _tail(self, scene: Scene, omitted: range) -> tuple[str, ...]:
        values = {"now": clock(scene.now), "author": self._author, "language": self._language}
        if scene.answered is None:
            return (template("open").render(**values),)
        values |= {"number": str(scene.answered + 1), "other": name(scene.comments[scene.answered].author)}
        talk = template("discussion").render(block=_discussion(scene.comments, omitted))
        return talk, template("reply").render(**values)

    def messages(self, kept: int, history: Sequence[str]) -> tuple[Message, ...]:
        """With the first `kept` characters of the article, and these history items."""
        parts = [self._before]
        if self.article:
            parts.append(template("article").render(block=quote(self._cut(kept))))
        if history:
            parts.append(template("history").render(block="\n\n".join(history)))
        return Message("system", self._system), Message("user", "\n\n".join((*parts, *self._after)))

    def _cut(self, kept: int) -> str:
        if kept == len(self.article):
            return self.article
        return self.article[:kept] + "\n" + template("truncated").render()


def _titles(scene: Scene) -> str:
    if scene.opens:
        return template("page").render(page=line(scene.page))
    return template("titles").render(page=line(scene.page), title=line(scene.title))


def _omitted(size: int, answered: int | None, most: int | None) -> range:
    """Positions after the opening that are left out; the comment answered is always shown."""
    if most is None or size <= most:
        return range(0)
    last = size - max(1, most - 1)
    return range(1, last if answered is None or answered == 0 else min(last, answered))


def _discussion(comments: Sequence[SceneComment], omitted: range) -> str:
    out: list[str] = []
    for index, comment in enumerate(comments):
        if index in omitted:
            if index == omitted.start:
                out.append(f"({len(omitted)} comments left out)")
            continue
        answers = "" if comment.answers is None else f", answering {comment.answers + 1}"
        out.append(f"Comment {index + 1} by {name(comment.author)} ({clock(comment.time)}){answers}:")
        out.append(quote(comment.text))
    return "\n".join(out)
