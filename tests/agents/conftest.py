"""A tiny, deterministic world: the protocols' smallest real implementations, for tests of the agents."""

# ruff: noqa: D102, D103 -- the protocols document these methods; the fixtures hand out what is defined here

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from folkmoot.sim import rng
from folkmoot.sim.discussion import ThreadInfo
from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import Attributes, HistoryComment, HistoryThread, Interests, Persona, Trait
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling

HOUR = 3_600_000
NOON = 1_714_910_400_000  # 2024-05-05 12:00 UTC


class Turn:
    """An activation whose calls are answered by a function of the messages; it records calls and notes.

    Of lettered options the one that holds `choose` is by far the most probable.
    """

    def __init__(self, agent, *, trigger="exogenous", causes=(), number=0, now=NOON, answer=None, seed=1, choose=None):
        self.agent, self.trigger, self.causes, self.number, self.now = agent, trigger, causes, number, now
        self._answer = answer or (lambda messages: "I would keep the older figure, with its source.")
        self._seed = seed
        self._choose = choose
        self.asked: list[Sequence[Message]] = []
        self.calls: list[tuple[Sequence[Message], Sampling]] = []
        self.notes: dict[str, Any] = {}
        self.draws: list[str] = []

    def uniform(self, name: str) -> float:
        self.draws.append(name)
        return rng.uniform(self._seed, self.agent, self.number, name)

    def rng(self, name: str) -> np.random.Generator:
        self.draws.append(name)
        return rng.stream(self._seed, self.agent, self.number, name)

    def note(self, **facts: Any) -> None:
        self.notes |= facts

    async def generate(self, messages: Sequence[Message], sampling: Sampling) -> Answer:
        self.calls.append((messages, sampling))
        answer = self._answer(messages)
        return answer if isinstance(answer, Answer) else Answer(text=answer)

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str]) -> LabelScores:
        self.asked.append(messages)
        await asyncio.sleep(0)  # a model takes its time: others of the same moment are asked meanwhile
        if self._choose is None:
            return LabelScores(logprobs=tuple(-float(len(label)) for label in labels))
        listed = [row for row in messages[1].content.splitlines() if row[1:3] == ". "]
        assert [row[0] for row in listed] == list(labels)
        return LabelScores(logprobs=tuple(-0.1 if self._choose in row else -9.0 for row in listed))


class PageView:
    """A view of one list of comments; `archived` names threads that can't be answered."""

    version = 7

    def __init__(self, agent, events, *, now=NOON, language="en", article="", archived=(), pages=("Old Bridge",)):
        self.agent, self.now, self.language, self.pages = agent, now, language, pages
        self._article = article
        self._threads: dict[str, list[TextEvent]] = {}
        for event in events:
            self._threads.setdefault(event.thread, []).append(event)
        self._events = {event.seq: event for event in events}
        self._archived = set(archived)
        self.reads = ()

    def article(self, page: str, thread: str | None = None) -> str:
        return self._article

    def thread(self, thread: str) -> ThreadInfo:
        events = self._threads[thread]
        title = f"Matter {thread}"
        return ThreadInfo(thread, self.pages[0], title, len(events), events[-1].time, thread in self._archived)

    def threads(self) -> list[ThreadInfo]:
        return [self.thread(thread) for thread in self._threads]

    def recent(self, limit: int) -> list[ThreadInfo]:
        live = [info for info in self.threads() if not info.archived]
        return sorted(live, key=lambda info: -info.last_time)[:limit]

    def comments(self, thread: str) -> list[TextEvent]:
        return self._threads[thread]

    def mentions(self) -> list[TextEvent]:
        return []

    def event(self, seq: int) -> TextEvent | None:
        return self._events.get(seq)


class Words:
    """A window, and a counter of words that counts its own calls."""

    def __init__(self, window: int = 4096) -> None:
        self.window = window
        self.counts = 0

    def count_tokens(self, messages: Sequence[Message]) -> int:
        self.counts += 1
        return sum(len(message.content.split()) for message in messages) + 4 * len(messages)


def comment(seq: int, actor: str, text: str, *, thread="t1", parent=None, time=None) -> TextEvent:
    """A comment; by default one hour after the one before."""
    when = NOON - 20 * HOUR + seq * HOUR if time is None else time
    return TextEvent(
        seq=seq,
        time=when,
        actor=actor,
        community="en",
        origin="recorded",
        thread=thread,
        parent=parent,
        text=text,
        language="en",
    )


def ada() -> Persona:
    """A hand-written persona with everything that a method may show."""
    history = tuple(
        HistoryThread(
            thread=f"h{number}",
            title=f"Earlier matter {number}",
            comments=tuple(
                HistoryComment(time=NOON - (100 - 10 * number - index) * HOUR, text=f"Earlier words {number}.{index}")
                for index in range(2)
            ),
        )
        for number in range(6)
    )
    return Persona(
        id="ada",
        language="en",
        profile="A retired surveyor who looks after articles on bridges and canals.",
        attributes=Attributes(gender="woman", known_languages=("en", "fr"), contribution_topics=("bridges", "canals")),
        traits={
            "tone_management": Trait(values=("Conciliatory and polite",), reasoning="She thanks before she objects."),
            "policy_usage": Trait(values=("Not-deducible",), reasoning="Too few comments."),
            "writing_style": Trait(
                values=("Short, concise comments", "Question-led structure"), reasoning="Two lines, often a question."
            ),
        },
        interests=Interests(
            stable={"photography_creation": ("bridge photography", "pinhole cameras"), "pets": ("an old dog",)},
            recent={"food_drink": ("sourdough",), "pets": ("a foster cat",)},
        ),
        history=history,
    )


def talk() -> list[TextEvent]:
    """A short discussion."""
    return [
        comment(1, "ben", "The lead says 38 m. The 1912 survey says 34 m."),
        comment(2, "cleo", "Which edition of the survey?", parent=1),
        comment(3, "ben", "The first one, page 12.", parent=2),
    ]


@pytest.fixture
def persona() -> Persona:
    return ada()


@pytest.fixture
def events() -> list[TextEvent]:
    return talk()


@pytest.fixture(scope="session")
def turn() -> Callable[..., Turn]:
    return Turn


@pytest.fixture(scope="session")
def view() -> Callable[..., PageView]:
    return PageView


@pytest.fixture(scope="session")
def words() -> Callable[..., Words]:
    return Words


@pytest.fixture(scope="session")
def say() -> Callable[..., TextEvent]:
    return comment
