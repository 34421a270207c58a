"""Threads back into wikitext that `parse_page` reads to the same threads."""

import re
from collections.abc import Iterable, Iterator, Sequence

from folkmoot.environments.talk_page.events import ThreadOpened
from folkmoot.environments.talk_page.wikitext.escape import STOP, entity, escape_text, escape_title, needs_stop
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.names import canonical_name, is_address, link_target
from folkmoot.environments.talk_page.wikitext.stamping import format_timestamp
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import TextEvent

UNATTRIBUTED = "unattributed"
"""Actor of recorded comments that nobody signed."""

_LABEL = re.compile(r"[\[\]{}|<>&']")


def render_page(events: Iterable[TextEvent], language: str | Language) -> str:
    """All threads of a page, recorded or simulated, in the order in which they first appear.

    `parse_page` reads back the same threads: titles, actors, minutes, parents and texts. Names come back in
    canonical form (`canonical_name`), texts with collapsed white space; within a thread, comments stand in reading
    order (an answer below what it answers), and where several answer the same one, the older is above.

    Args:
        events: text events of one page; a parent outside the thread counts as none.
        language: the wiki's.

    Raises:
        RuleError: an actor's name is empty.
        ConfigError: the language isn't known.
    """
    known = load_language(language) if isinstance(language, str) else language
    threads: dict[str, list[TextEvent]] = {}
    for event in events:
        threads.setdefault(event.thread, []).append(event)
    pages = (render_thread(thread, known, lead=not index) for index, thread in enumerate(threads.values()))
    return "\n".join(pages)


def render_thread(events: Sequence[TextEvent], language: Language, *, lead: bool = False) -> str:
    """One thread: its heading, then its comments. A `lead` without a title needs no heading."""
    title = next((event.title for event in events if isinstance(event, ThreadOpened)), "")
    lines = [] if lead and not title else [f"== {escape_title(title)} =="]
    for number, (event, depth) in enumerate(_reading_order(events)):
        gap = "" if depth or not number else "\n"
        lines.append(gap + render_comment(event, depth, language))
    return "\n".join(lines) + "\n"


def _reading_order(events: Sequence[TextEvent]) -> Iterator[tuple[TextEvent, int]]:
    """Each comment with its depth; without recursion, threads may be deep."""
    inside = {event.seq for event in events}
    answers: dict[int | None, list[TextEvent]] = {}
    for event in events:
        answers.setdefault(event.parent if event.parent in inside else None, []).append(event)
    stack = [(event, 0) for event in reversed(answers.get(None, []))]
    while stack:
        event, depth = stack.pop()
        yield event, depth
        below = sorted(answers.get(event.seq, []), key=lambda answer: (answer.time, answer.seq))
        stack += [(answer, depth + 1) for answer in reversed(below)]


def render_comment(event: TextEvent, depth: int, language: Language) -> str:
    """One comment with its signature, indented."""
    text = escape_text(event.text, language)
    stop = STOP if needs_stop(text, language) else ""
    newline = "<br>" if depth else "\n\n"
    space = " " if text else ""
    body = text.replace("\n", newline)
    return (
        f"{':' * depth}{space if depth else ''}{body}{stop}{space}{render_signature(event.actor, event.time, language)}"
    )


def render_signature(actor: str, time: int, language: Language) -> str:
    """User link, talk link and timestamp, as the wiki writes them; a template for what nobody signed.

    >>> render_signature("Ada", 0, load_language("en"))
    '[[User:Ada|Ada]] ([[User talk:Ada|talk]]) 00:00, 1 January 1970 (UTC)'
    """
    stamp = format_timestamp(time, language)
    if actor == UNATTRIBUTED:
        return f"{{{{{language.unsigned[0]}||{stamp}}}}}"
    name = canonical_name(actor)
    if not name:
        raise RuleError(f"actor {actor!r} leaves no name to sign with; give the agent a name with a letter or a digit")
    page = f"{language.special[0]}:{language.contributions[0]}/" if is_address(name) else f"{language.user[0]}:"
    target, label = link_target(name), _LABEL.sub(entity, name)
    talk = f"[[{language.user_talk[0]}:{target}|{language.talk_words[0]}]]"
    return f"[[{page}{target}|{label}]] ({talk}) {stamp}"
