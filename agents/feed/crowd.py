"""People by the hundred thousand: personas as columns, an agent made when somebody acts.

    crowd = FeedCrowd(names, tags=["kites", "ramen"], interests=table, policy=FeedPolicy(), rates=rates)
    World(feed, crowd, activity, crowd.rates)

A person costs some hundred bytes here, where a persona and a rule agent cost several thousand.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from folkmoot.agents.feed.decisions import Decisions
from folkmoot.agents.feed.plan import WRITTEN, action
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.feed.rules import ANSWERS, POSTS
from folkmoot.agents.feed.taste import Taste
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.feed import FeedView, PostCreated
from folkmoot.sim.persona import Interests
from folkmoot.sim.protocols import Action, Activation, Agent

T = TypeVar("T")


class _Column(Mapping[str, T], Generic[T]):
    """Name -> a value made from the person's number."""

    def __init__(self, numbers: Mapping[str, int], get: Callable[[int], T]) -> None:
        self._numbers = numbers
        self._get = get

    def __getitem__(self, name: str) -> T:
        return self._get(self._numbers[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class FeedCrowd(_Column[Agent]):
    """Rule-driven people with interests and rates of their own; what `World.agents` takes.

    Args:
        names: one a person.
        tags: all interests there are, each one word, for it is written and recognised as a hashtag.
        interests: numbers of each person's tags, shape (people, n >= 1).
        policy: what people do.
        rates: activations a day, one a person; by default 1.
        language: ISO 639-1 code of what they write.

    Raises:
        ConfigError: nobody, columns of different lengths, a name twice, or a tag that isn't there.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        tags: Sequence[str],
        interests: NDArray[np.integer[Any]],
        policy: FeedPolicy,
        rates: NDArray[np.floating[Any]] | None = None,
        language: str = "en",
    ) -> None:
        super().__init__({name: number for number, name in enumerate(names)}, self._agent)
        self._names = names
        self._tags = [tag.casefold() for tag in tags]
        self._interests = interests
        self._policy = policy
        self._decisions = Decisions()
        self._rates = np.ones(len(names), np.float32) if rates is None else rates
        self._texts = {kind: source.get(language, source["en"]) for kind, source in _TEXTS.items()}
        self._check()

    def _check(self) -> None:
        people = len(self._names)
        if not people:
            raise ConfigError("a crowd of 0 people; give a name, a row of interests and a rate for at least 1")
        if not len(self._numbers) == people == len(self._interests) == len(self._rates):
            raise ConfigError(
                f"{people} names, {len(self._numbers)} of them different, {len(self._interests)} rows of interests and "
                f"{len(self._rates)} rates; give as many of each"
            )
        if self._interests.ndim != 2 or not self._interests.size:  # noqa: PLR2004 -- people and tags
            raise ConfigError(
                f"interests of shape {self._interests.shape}; give a row a person, of at least 1 tag's number"
            )
        first, last = self._interests.min(), self._interests.max()
        if not 0 <= first <= last < len(self._tags):
            raise ConfigError(f"interests {first}..{last}; give a row a person of numbers below {len(self._tags)}")

    @property
    def rates(self) -> Mapping[str, float]:
        """What `World.rates` takes."""
        return _Column(self._numbers, lambda number: float(self._rates[number]))

    def _agent(self, number: int) -> Agent:
        tags = [self._tags[tag] for tag in self._interests[number].tolist()]
        return CrowdAgent(self._names[number], tags, self._policy, self._texts, self._decisions)


class CrowdAgent:
    """One of them, for one act: draws it and a canned text about an interest."""

    __slots__ = ("_decisions", "_policy", "_tags", "_texts", "id")

    def __init__(
        self,
        name: str,
        tags: Sequence[str],
        policy: FeedPolicy,
        texts: Mapping[str, Sequence[str]],
        decisions: Decisions,
    ) -> None:
        self.id = name
        self._decisions = decisions
        self._tags = tags
        self._policy = policy
        self._texts = texts

    def act(self, activation: Activation, view: FeedView) -> Action:
        """Decide from this view."""
        plan = self._policy.plan(activation, view, _TagTaste(self._tags), self._decisions)
        text = self._text(plan.kind, activation) if plan.kind in WRITTEN else ""
        return action(plan, activation, view.version, text)

    def _text(self, kind: str, activation: Activation) -> str:
        texts = self._texts[kind]
        text = texts[int(activation.uniform("text") * len(texts))]
        return text.replace("{topic}", "#" + self._tags[int(activation.uniform("topic") * len(self._tags))])


class _TagTaste(Taste):
    """Interests that are recognised by hashtags alone, without looking into texts."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__(Interests())
        self._tags = tags

    def meets(self, post: PostCreated, lately: Sequence[str] = ()) -> bool:
        """Whether a hashtag of the post, however it is written, is one of the interests, or of the topics of late."""
        return any(tag in self._tags or tag in lately for tag in (tag.casefold() for tag in post.hashtags))


_TEXTS = {"post": POSTS, "reply": ANSWERS, "quote": ANSWERS}
