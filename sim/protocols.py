"""All that the kernel knows of environments, agents and monitors, and what these are given.

Actions are small frozen values that an agent returns; `Environment.apply` alone turns them into events.
"""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.events import Event, TextEvent

Trigger = Literal["exogenous", "reply", "mention", "watch", "target"]


# --- actions -------------------------------------------------------------------------------------


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent wants to do.

    Attributes:
        agent: who.
        based_on: `version` of the view that the agent saw.
        causes: seqs of the events that led to it.
    """

    agent: str
    based_on: int
    causes: tuple[int, ...] = ()


class Abstain(Action, frozen=True, kw_only=True):
    """Say nothing, with a reason."""

    reason: str


class Refuse(Action, frozen=True, kw_only=True):
    """The agent's own check refused what its model wrote: recorded, never applied."""

    action: str
    reason: str
    thread: str | None = None
    text: str | None = None


class Record(Action, frozen=True, kw_only=True):
    """A recorded event enters the simulated world: an opening, or a teacher-forced turn.

    `event.seq` and what the event points to (`parent`, `of`, `post`) are numbers of the corpus; the environment maps
    them to its own.
    """

    event: Event


class Intervene(Action, frozen=True, kw_only=True):
    """The experimenter changes something; becomes an `Intervention`, and what it does right away after it.

    Attributes:
        name: what, e.g. "ban"; an environment refuses names that it doesn't know.
        value: JSON, as the intervention's config writes it.
    """

    name: str
    value: str = ""


# --- the world -----------------------------------------------------------------------------------


class View(Protocol):
    """A pure handle on one version of an environment's state, as one agent sees it."""

    @property
    def version(self) -> int: ...  # noqa: D102
    @property
    def now(self) -> int: ...  # noqa: D102
    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def reads(self) -> tuple[str, ...]:
        """Ids of the threads that have been read through this view."""


class Alert(NamedTuple):
    """Someone may react to an event: who, and why."""

    agent: str
    trigger: Trigger


class Environment(Protocol):
    """A place where events happen. Conformance checks ship in `folkmoot.environments.check`."""

    @property
    def community(self) -> str:
        """Name of the community that lives here."""

    def view(self, agent: str, now: int) -> View:
        """What the agent sees: a pure read, O(1); later applies never show through it."""

    def apply(self, action: Action, now: int, seq: int) -> Sequence[Event]:
        """The only mutation. Returns the events, numbered seq, seq + 1, ...; at least one.

        A rule may refuse: then the one event is an ActionRefused with its reason.
        """

    def alerts(self, event: Event) -> Sequence[Alert]:
        """Who may react to this committed event (reply, mention, watched page): a pure read."""

    def state(self) -> Any:
        """A JSON-able copy of the state."""

    def restore(self, state: Any) -> None:
        """Take the state back."""


# --- models --------------------------------------------------------------------------------------


class Message(NamedTuple):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How to decode. `max_tokens` bounds the new tokens (paper: 1,024 at temperature 0)."""

    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1.0
    stop: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model said, and what it cost. `cost` in US dollars, `latency` in seconds (wall clock)."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: str = "stop"
    latency: float = 0.0
    cost: float = 0.0


class LabelScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Log-probabilities (nats) of label completions after a prompt.

    Attributes:
        logprobs: one a label, in the order asked, over the model's whole vocabulary.
        censored: labels outside the backend's top-k; their value is the k-th, an upper bound.
        sampled: the backend has no log-probabilities; these are logs of sampled frequencies.
    """

    logprobs: tuple[float, ...]
    censored: tuple[int, ...] = ()
    sampled: bool = False
    prompt_tokens: int = 0
    latency: float = 0.0
    cost: float = 0.0


@runtime_checkable
class LanguageModel(Protocol):
    """One small interface in front of every backend."""

    @property
    def name(self) -> str:
        """Backend and model, e.g. "embedded/smollm2-135m-instruct"."""

    @property
    def repeatable(self) -> bool:
        """True if the same request always gets the same answer, at any batch and machine load."""

    @property
    def window(self) -> int:
        """Context window in tokens."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Prompt tokens of these messages, chat template included (an upper estimate where unknown)."""

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion. Raises ModelError, or TransientModelError where another try may help."""

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Scores of each label as the assistant's completion."""

    async def close(self) -> None:
        """Free threads, memory and connections."""


@runtime_checkable
class PrefixScorer(Protocol):
    """A backend that reads what several prompts have in common once."""

    async def label_logprobs_many(
        self, prompts: Sequence[Sequence[Message]], labels: Sequence[str], seed: int
    ) -> list[LabelScores]:
        """Scores of the same labels after each prompt: what `label_logprobs` gives for each, to float accuracy."""


class Encoder(Protocol):
    """Sentence embeddings."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def dimension(self) -> int: ...  # noqa: D102

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """L2-normalised embeddings, shape (len(texts), dimension)."""


class TokenStates(Protocol):
    """A text's tokens: ids (tokens,) and their L2-normalised states (tokens, dimension), as an array or a tensor."""

    @property
    def ids(self) -> NDArray[np.int64]: ...  # noqa: D102
    @property
    def vectors(self) -> Any: ...  # noqa: D102


class TokenEncoder(Protocol):
    """Token states of any layer, for token-level comparison of texts."""

    @property
    def name(self) -> str:
        """Model and the settings that change its states."""

    @property
    def depth(self) -> int:
        """Number of layers; layer 0 are the embeddings."""

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids with the special tokens and the prefix; at most as many as are encoded."""

    def token_vectors(self, texts: Sequence[str], layer: int = -1) -> Sequence[TokenStates]:
        """Ids as `token_ids` gives them, and the states of a layer."""


class Utterance(NamedTuple):
    """What an annotator sees of a comment: thread title, up to `context` comments before it, itself.

    `event` is the committed event itself, for annotators that read the author's own intent.
    """

    title: str
    context: tuple[str, ...]
    text: str
    language: str
    event: TextEvent


class Annotator(Protocol):
    """Events -> one column. Annotations never enter events."""

    @property
    def name(self) -> str:
        """E.g. "embedded-acts"."""

    @property
    def version(self) -> str:
        """Changes whenever any answer may change (weights' hash included)."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, in their fixed order."""

    @property
    def context(self) -> int:
        """Number of preceding comments that it reads."""

    async def annotate(self, batch: Sequence[Utterance]) -> Sequence[tuple[str, ...] | None]:
        """Labels of each utterance; None where none could be read (a counted parse failure)."""


# --- who acts ------------------------------------------------------------------------------------


class Activation(Protocol):
    """One turn of one agent, as the kernel hands it over: its name in the records, its randomness, its calls.

    Calls are numbered in the order made and recorded under (agent, number, call, attempt); all of
    them share the one think time.
    """

    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def number(self) -> int:
        """Counts this agent's activations from 0."""

    @property
    def now(self) -> int: ...  # noqa: D102
    @property
    def causes(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def trigger(self) -> Trigger: ...  # noqa: D102

    def uniform(self, name: str) -> float:
        """A uniform draw in (0, 1), fixed by (seed, agent, number, name)."""

    def rng(self, name: str) -> np.random.Generator:
        """A generator of its own, fixed by (seed, agent, number, name)."""

    def note(self, **facts: Any) -> None:
        """Facts for `folkmoot show --event` (what was truncated, what a check said): beside the log, never in it."""

    async def generate(self, messages: Sequence[Message], sampling: Sampling) -> Answer:
        """A recorded model call."""

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str]) -> LabelScores:
        """A recorded scoring call."""


class Agent(Protocol):
    """Who acts. Rule-driven agents return an action at once; model-driven ones return an awaitable."""

    @property
    def id(self) -> str: ...  # noqa: D102

    def act(self, activation: Activation, view: Any) -> Action | Awaitable[Action]:
        """Decide, from this view only."""


class Monitor(Protocol):
    """Reads the growing log; publishes numbers. It never changes the run."""

    @property
    def name(self) -> str: ...  # noqa: D102

    def update(self, events: Sequence[Event], columns: Mapping[int, Mapping[str, tuple[str, ...] | None]]) -> None:
        """Take the next committed events, in order; `columns[seq][annotator]` are their labels."""

    def publish(self) -> Mapping[str, float]:
        """Numbers of this moment: name -> value, with `.low`, `.high` and `.n` beside each estimate."""
