"""Scene and persona text to messages, in the order of the paper's prompt parts, fitted to the window."""

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from folkmoot.agents.conditioning.acts import in_words
from folkmoot.agents.conditioning.fit import SHRINK, Fit, shrunk
from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.conditioning.scene import Scene, SceneComment, clock
from folkmoot.agents.prompts import template
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import line, name, neutral, quote

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

    # A short article with the marker of a cut may be longer than uncut, and the search takes later steps for shorter.
    may_grow = len(frame.article) * (1 - SHRINK) <= len(template("truncated").render()) + 1
    step = 0 if may_grow and fit.fits(at(0)) else fit.first(steps, at)
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


def system_text(author: str, language: str, persona: str) -> str:
    """What all calls share, then what an agent's calls share: backends keep what prompts begin with."""
    system = template("system").render(language=language_name(language))
    who = template("author").render(author=name(author))
    return "\n\n".join(part for part in (system, template("rules").render(), who, persona) if part)


class _Frame:
    """The parts of a prompt that stay, rendered once; the article and the history vary."""

    def __init__(self, scene: Scene, persona: str, max_comments: int | None) -> None:
        self.article = neutral(scene.article)
        self._author = name(scene.author)
        self._language = language_name(scene.language)
        self._system = system_text(scene.author, scene.language, persona)
        shown = _shown(len(scene.comments), scene.answered, max_comments)
        omitted = len(scene.comments) - len(shown)
        self.facts = {"comments_omitted": omitted} if omitted else {}
        self._before = _titles(scene)
        self._after = self._tail(scene, shown)

    def _tail(self, scene: Scene, shown: Sequence[int]) -> tuple[str, ...]:
        values = {"now": clock(scene.now), "author": self._author, "language": self._language}
        if scene.answered is None:
            return (template("open").render(**values),)
        values |= {"number": str(scene.answered + 1), "other": name(scene.comments[scene.answered].author)}
        talk = template("discussion").render(block=discussion(scene.comments, shown))
        reply = template("reply").render(**values)
        return talk, f"{reply} {template('acts').render(acts=in_words(scene.acts))}" if scene.acts else reply

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


def _shown(size: int, answered: int | None, most: int | None) -> list[int]:
    """Positions of the comments shown: the opening, the one answered, and the newest, `most` in all (2 at least)."""
    if most is None or size <= most:
        return list(range(size))
    kept = {0} if answered is None else {0, answered}
    newest = (index for index in reversed(range(size)) if index not in kept)
    return sorted([*kept, *islice(newest, max(0, most - len(kept)))])


def discussion(comments: Sequence[SceneComment], shown: Sequence[int]) -> str:
    """The comments at these positions, each under a line of ours, with what is left out counted; all text quoted."""
    out: list[str] = []
    for before, index in pairwise([-1, *shown]):
        if index > before + 1:
            out.append(f"({index - before - 1} comments left out)")
        comment = comments[index]
        answers = "" if comment.answers is None else f", answering {comment.answers + 1}"
        out.append(f"Comment {index + 1} by {name(comment.author)} ({clock(comment.time)}){answers}:")
        out.append(quote(comment.text))
    if shown and shown[-1] < len(comments) - 1:
        out.append(f"({len(comments) - 1 - shown[-1]} comments left out)")
    return "\n".join(out)
