"""A language model as a reader of people: the implementation of `sim.readings.PersonReader`.

>>> from folkmoot.agents.llm.scripted import ScriptedModel
>>> from folkmoot.sim.readings import UserPage
>>> with ModelReader(ScriptedModel()) as reader:
...     reading, = reader.profiles([UserPage("ab12cd34ef", "en", "I am a baker from Leeds and write about [[Bread]].")])
>>> reading.reason, reading.attributes.contribution_topics
('', ('Bread',))
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import Field

from folkmoot.agents.profiles.asking import read_object, reading_asker
from folkmoot.agents.profiles.messages import profile_messages, trait_messages
from folkmoot.agents.profiles.profile import read_profile
from folkmoot.agents.profiles.traits import read_traits
from folkmoot.sim.asking import TOO_LONG, UnusableAnswer
from folkmoot.sim.persona import Attributes, Frozen, Trait
from folkmoot.sim.protocols import Answer, LanguageModel
from folkmoot.sim.readings import ProfileReading, TraitReading, UserPage, UserTalk
from folkmoot.sim.together import together

Given = TypeVar("Given")
Made = TypeVar("Made")
Check = Callable[[str, str], Sequence[str]]
"""(profile, user page) -> kinds of what must not stand in the profile."""

NOT_RELEVANT = "the page says nothing of the person"


class ReaderConfig(Frozen):
    """How a model reads people.

    Attributes:
        profile_tokens, trait_tokens: of an answer, at most.
        in_flight: calls that are made at once (the pool may allow fewer).
        skip_failures: count users whose call failed for good, instead of stopping the build.
    """

    profile_tokens: int = Field(default=800, ge=50)
    trait_tokens: int = Field(default=1200, ge=50)
    in_flight: int = Field(default=16, ge=1)
    skip_failures: bool = False


class ModelReader:
    """Reads people with a model; a context manager, since calls share one event loop.

    Args:
        model: a backend, or the pool around one, whose cache makes reading again free.
        config: its settings.
        seed: names the calls' seeds.
        check: kinds of private things in a profile; an answer that holds one is repaired once, else refused.
    """

    def __init__(
        self, model: LanguageModel, config: ReaderConfig | None = None, seed: int = 0, check: Check | None = None
    ) -> None:
        self._config = config or ReaderConfig()
        self._check = check or _unchecked
        self._profiles, self._traits = (
            reading_asker(model, tokens, seed, self._config.skip_failures)
            for tokens in (self._config.profile_tokens, self._config.trait_tokens)
        )
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.close()

    def run(self, call: Coroutine[None, None, Made]) -> Made:
        """Something else on the calls' event loop: closing the pool."""
        return self._runner.run(call)

    def profiles(self, pages: Iterable[UserPage]) -> Iterator[ProfileReading]:
        """A profile from each page, in order.

        Raises:
            ModelError: a call failed for good (not with `skip_failures`).
        """
        return self._each(self._profile, pages)

    def traits(self, users: Iterable[UserTalk]) -> Iterator[TraitReading]:
        """Eight traits from each user's threads, in order; raises as `profiles` does."""
        return self._each(self._trait, users)

    def _each(self, read: Callable[[Given], Coroutine[Any, Any, Made]], given: Iterable[Given]) -> Iterator[Made]:
        """So many at once, a few batches ahead of nothing: what is read is handed on before more is asked for."""
        items = iter(given)
        while batch := list(islice(items, self._config.in_flight)):
            yield from self._runner.run(together(read(item) for item in batch))

    async def _profile(self, page: UserPage) -> ProfileReading:
        messages, notes = profile_messages(page, self._profiles.fits)
        if messages is None:
            return ProfileReading(page.user, TOO_LONG, notes=notes)

        def read(answer: Answer) -> tuple[bool, str, Attributes]:
            relevant, profile, attributes = read_profile(read_object(answer))
            if found := self._check(profile, page.text):
                raise UnusableAnswer(f"private: {found[0]}", f"the profile holds {', '.join(found)}; leave that out")
            return relevant, profile, attributes

        reply = await self._profiles.ask(messages, read, ("profile", page.user))
        if reply.value is None:
            return ProfileReading(page.user, reply.reason, notes=notes)
        relevant, profile, attributes = reply.value
        reason = "" if relevant else NOT_RELEVANT
        return ProfileReading(page.user, reason, profile, attributes, reply.repaired, notes)

    async def _trait(self, talk: UserTalk) -> TraitReading:
        messages, shown, notes = trait_messages(talk, self._traits.fits)
        if messages is None:
            return TraitReading(talk.user, TOO_LONG, notes=notes)
        kept: list[tuple[dict[str, Trait], dict[str, str]]] = []

        def read(answer: Answer) -> tuple[dict[str, Trait], dict[str, str]]:
            """The first answer must be whole; then what can be read of the better one is taken."""
            found = read_traits(read_object(answer))
            kept.append(found)
            if found[1] and len(kept) == 1:
                raise UnusableAnswer("some habits can't be read", "; ".join(found[1].values()))
            return found

        reply = await self._traits.ask(messages, read, ("traits", talk.user))
        if not kept:
            return TraitReading(talk.user, reply.reason, threads=shown, notes=notes)
        traits, wrong = best = min(kept, key=lambda found: len(found[1]))
        repaired = reply.repaired and best is kept[-1]
        return TraitReading(talk.user, "", traits, tuple(wrong), shown, repaired, notes)


def _unchecked(profile: str, page: str) -> Sequence[str]:
    del profile, page
    return ()
