"""The questions: a user page, or a user's threads, shortened until they fit."""

from collections.abc import Callable, Sequence
from functools import partial

from folkmoot.agents.conditioning.languages import language_name
from folkmoot.agents.profiles.profile import allowed
from folkmoot.agents.profiles.prompts import reading_prompt
from folkmoot.agents.profiles.traits import options
from folkmoot.sim.persona import MANY_VALUED, NOT_DEDUCIBLE, TRAITS
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import line, name, quote
from folkmoot.sim.readings import OwnThread, UserPage, UserTalk

SHORTER = 0.9
"""What is too long is cut to so much of its length, again and again."""

MARKER = "[cut here]"
LEAST = 200
"""Characters below which nothing is cut further."""

Fits = Callable[[Sequence[Message]], bool]


def profile_messages(page: UserPage, fits: Fits) -> tuple[list[Message] | None, tuple[str, ...]]:
    """The question about a page, and what was done to it; None where even 200 characters don't fit."""
    text = page.text
    notes: tuple[str, ...] = ()
    while not fits(messages := _profile(page, text)):
        if len(text) <= LEAST:
            return None, notes
        text = text[: int(len(text) * SHORTER)]
        notes = (f"page cut to {len(text)} of {len(page.text)} characters",)
    return messages, notes


def _profile(page: UserPage, text: str) -> list[Message]:
    language = language_name(page.language)
    shown = text if text == page.text else f"{text}\n{MARKER}"
    question = reading_prompt("profile").render(
        language=language,
        page=quote(shown),
        genders=_listed(allowed("gender")),
        ages=_listed(allowed("age_range")),
        educations=_listed(allowed("education_level")),
    )
    return [Message("system", reading_prompt("profile_system").render(language=language)), Message("user", question)]


def trait_messages(talk: UserTalk, fits: Fits) -> tuple[list[Message] | None, tuple[str, ...], tuple[str, ...]]:
    """The question about a user's threads, the ids of those in it, and what was done to them; None where none fits."""
    threads = list(talk.threads)
    notes: tuple[str, ...] = ()
    while not fits(messages := _traits(talk, threads)):
        if len(threads) > 1:
            threads = threads[: max(1, int(len(threads) * SHORTER))]
            notes = (f"{len(threads)} of {len(talk.threads)} threads shown",)
        elif threads and (shorter := _cut(threads[0])) is not None:
            threads = [shorter]
            notes = (*notes[:1], "comments cut")
        else:
            return None, (), notes
    return messages, tuple(thread.thread for thread in threads), notes


def _cut(thread: OwnThread) -> OwnThread | None:
    """The thread with its longest comment cut; None where nothing is left to cut."""
    lengths = [len(text) for _, text in thread.comments]
    longest = max(range(len(lengths)), key=lengths.__getitem__, default=0)
    if not lengths or lengths[longest] <= LEAST:
        return None
    own, text = thread.comments[longest]
    cut = (own, f"{text[: int(len(text) * SHORTER) - len(MARKER)]}{MARKER}")
    return OwnThread(thread.thread, thread.title, (*thread.comments[:longest], cut, *thread.comments[longest + 1 :]))


def _traits(talk: UserTalk, threads: Sequence[OwnThread]) -> list[Message]:
    language, user = language_name(talk.language), name(talk.user)
    question = reading_prompt("traits").render(
        user=user,
        threads="\n\n".join(map(partial(_thread, user), threads)),
        options=options(),
        many=" and ".join(MANY_VALUED),
        unknown=NOT_DEDUCIBLE,
        keys=", ".join(TRAITS),
    )
    return [Message("system", reading_prompt("traits_system").render(language=language)), Message("user", question)]


def _thread(user: str, thread: OwnThread) -> str:
    blocks = [f"By {user if own else 'somebody else'}:\n{quote(text)}" for own, text in thread.comments]
    return "\n".join([f"Discussion: {line(thread.title) or '(untitled)'}", *blocks])


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)
