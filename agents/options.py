"""What an agent may do at a moment, and how that is put before a model: discussions, then lettered options."""

from collections.abc import Sequence
from typing import NamedTuple

from folkmoot.agents.conditioning.compose import discussion
from folkmoot.agents.conditioning.scene import SceneComment, shown
from folkmoot.agents.plan import Plan
from folkmoot.sim.discussion import DiscussionView, ThreadInfo
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Activation
from folkmoot.sim.quoting import line, name

PAGES = 8
"""Pages among which a new thread may be opened; of more, so many are drawn."""


class Detail(NamedTuple):
    """How much is shown: threads, comments of each beside the opening, characters of a comment."""

    threads: int
    comments: int
    characters: int


DETAILS = (
    Detail(8, 8, 600),
    Detail(8, 4, 400),
    Detail(8, 2, 250),
    Detail(8, 1, 120),
    Detail(6, 1, 120),
    Detail(4, 1, 120),
    Detail(3, 1, 100),
    Detail(2, 1, 80),
    Detail(1, 1, 80),
)
"""From all to least, as the window demands."""


class Option(NamedTuple):
    """One thing to do, in words, and the plan that it stands for."""

    words: str
    plan: Plan


class Choice(NamedTuple):
    """The threads that are shown, and what may be done, in the order shown."""

    threads: tuple[ThreadInfo, ...]
    options: tuple[Option, ...]


def choice(
    activation: Activation, view: DiscussionView, cause: TextEvent | None, recent: Sequence[ThreadInfo]
) -> Choice:
    """Answer what woke the agent, answer the newest comment of others in a thread, open a thread, say nothing.

    The order of the options is drawn: a model's liking for a letter is then no liking for a thread.
    """
    answers = _answers(activation.agent, view, cause, recent)
    openings = [
        Option(f"Open a new thread about {line(page)}", Plan("open", page=page)) for page in _pages(activation, view)
    ]
    silence = Option("Say nothing", Plan("abstain", reason="chose to say nothing"))
    options = [*answers, *openings, silence]
    order = activation.rng("plan.order").permutation(len(options)).tolist()
    threads = dict.fromkeys(view.thread(option.plan.thread) for option in answers)
    return Choice(tuple(threads), tuple(options[place] for place in order))


def _answers(agent: str, view: DiscussionView, cause: TextEvent | None, recent: Sequence[ThreadInfo]) -> list[Option]:
    threads = [view.comments(info.id) for info in recent]
    newest = [next((event for event in reversed(events) if event.actor != agent), None) for events in threads]
    found: dict[int, Option] = {}
    for event in (cause, *newest):
        if event is None or event.actor == agent or view.thread(event.thread).archived:
            continue
        info = view.thread(event.thread)
        number = 1 + next(i for i, one in enumerate(view.comments(info.id)) if one.seq == event.seq)
        words = f"Answer comment {number} by {name(event.actor)} in “{line(info.title)}” ({line(info.page)})"
        found.setdefault(event.seq, Option(words, Plan("reply", info.page, info.id, event.seq)))
    return list(found.values())


def _pages(activation: Activation, view: DiscussionView) -> tuple[str, ...]:
    pages = view.pages
    if len(pages) <= PAGES:
        return pages
    places = activation.rng("plan.pages").choice(len(pages), size=PAGES, replace=False)
    return tuple(pages[place] for place in sorted(places.tolist()))


def fewer(whole: Choice, threads: int) -> Choice:
    """The choice with its first threads only, and without answers in the others."""
    kept = whole.threads[:threads]
    names = {"", *(info.id for info in kept)}
    return Choice(kept, tuple(option for option in whole.options if option.plan.thread in names))


def talk(view: DiscussionView, chosen: Choice, detail: Detail) -> str:
    """The discussions that the options speak of, each under its title, every line of data quoted."""
    answered = {option.plan.parent for option in chosen.options}
    return "\n\n".join(_thread(view, info, answered, detail) for info in chosen.threads)


def _thread(view: DiscussionView, info: ThreadInfo, answered: set[int], detail: Detail) -> str:
    events = view.comments(info.id)
    wanted = {0, *(i for i, event in enumerate(events) if event.seq in answered)}
    newest = [i for i in reversed(range(len(events))) if i not in wanted][: max(0, detail.comments - 1)]
    comments = [_excerpt(comment, detail.characters) for comment in shown(events)]
    return f"“{line(info.title)}” ({line(info.page)}):\n{discussion(comments, sorted([*wanted, *newest]))}"


def _excerpt(comment: SceneComment, characters: int) -> SceneComment:
    if len(comment.text) <= characters:
        return comment
    return comment._replace(text=comment.text[:characters].rstrip() + " …")
