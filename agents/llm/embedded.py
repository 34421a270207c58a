"""The embedded model: SmolLM2-135M-Instruct on the CPU, from a package, with no hub and no network.

It is very weak: it exercises everything and must never yield findings.
"""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field

from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.batcher import Batcher, hand_back
from folkmoot.agents.llm.chat import ChatTokenizer
from folkmoot.agents.llm.openvino_engine import Engine, Request
from folkmoot.agents.llm.openvino_labels import LabelEngine
from folkmoot.agents.llm.runtime import genai
from folkmoot.agents.llm.scoring import Group, Scoring, label_tokens
from folkmoot.agents.llm.stops import cut, until
from folkmoot.agents.llm.weights import model_folder
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling

WINDOW = 8192
"""The model's context length in tokens."""

LABEL_TOKENS = 8192
"""Prompt tokens that one scoring batch may hold."""


class EmbeddedConfig(BackendConfig):
    """Settings of the embedded model.

    Attributes:
        window: context window in tokens; less than the model's 8,192 makes prompts shorter and runs faster.
        threads: CPU threads; 0 for all cores.
        in_flight: requests in one batch at most.
        label_batch: scoring requests in one batch at most.
        cache_gb: memory for the keys and values of running and recent prompts.
        prefix_caching: keep the keys and values of prompts' beginnings, which an agent's calls share.
        repetition_penalty: 1 for none; above 1 makes a weak model repeat itself less.
    """

    backend: Literal["embedded"] = "embedded"
    window: int = Field(default=WINDOW, ge=256, le=WINDOW)
    threads: int = Field(default=0, ge=0)
    in_flight: int = Field(default=32, ge=1)
    label_batch: int = Field(default=16, ge=1)
    cache_gb: int = Field(default=1, ge=1)
    prefix_caching: bool = True
    repetition_penalty: float = Field(default=1.0, ge=1, le=2)


def available() -> bool:
    """Whether this platform has the OpenVINO runtime."""
    return find_spec("openvino_genai") is not None


class EmbeddedModel:
    """SmolLM2-135M-Instruct through OpenVINO GenAI.

    Args:
        config: its settings.

    Raises:
        ModelMissing: the weights aren't installed.
    """

    name = "embedded/smollm2-135m-instruct"
    repeatable = False

    def __init__(self, config: EmbeddedConfig | None = None) -> None:
        self._config = config or EmbeddedConfig()
        self._folder = model_folder()
        self._chat = ChatTokenizer(self._folder / "tokenizer.json")
        self._engine = Engine(self._load, self._config.in_flight, self._chat.end, self._config.repetition_penalty)
        self._labels: Batcher[Scoring | Group, Any] = Batcher(
            "folkmoot-labels", self._score, self._config.label_batch, type
        )
        self._scorer: LabelEngine | None = None

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._config.window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Exact prompt tokens, chat template included."""
        return self._chat.count(messages)

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion.

        Raises:
            ModelError: the prompt doesn't fit into the window, or the runtime failed.
        """
        ids = self._fitting(messages)
        limit = min(sampling.max_tokens, self.window - len(ids))
        future: asyncio.Future[tuple[list[int], str]] = asyncio.get_running_loop().create_future()

        def done(made: list[int] | None, finish: str, error: BaseException | None) -> None:
            hand_back(future, None if made is None else (made, finish), error)

        short = Sampling(temperature=sampling.temperature, max_tokens=limit, top_p=sampling.top_p)
        request = Request(ids, short, seed, until(sampling.stop, self._chat.text), done)
        self._engine.submit(request)
        try:
            made, finish = await future
        except asyncio.CancelledError:
            request.cancelled = True
            raise
        text = cut(self._chat.text(made), sampling.stop)
        return Answer(text=text, prompt_tokens=len(ids), completion_tokens=len(made), finish=finish)

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Exact log-probabilities of the labels' tokens over the whole vocabulary; the seed plays no part."""
        del seed
        ids = self._fitting(messages)
        scores = await self._labels(Scoring(ids, label_tokens(labels, self._chat.plain)))
        return LabelScores(logprobs=scores, prompt_tokens=len(ids))

    async def label_logprobs_many(
        self, prompts: Sequence[Sequence[Message]], labels: Sequence[str], seed: int
    ) -> list[LabelScores]:
        """As `label_logprobs` for each prompt; what they begin with in common is read once."""
        del seed
        ids = [self._fitting(messages) for messages in prompts]
        found = await self._labels(Group(ids, label_tokens(labels, self._chat.plain)))
        return [LabelScores(logprobs=row, prompt_tokens=len(own)) for row, own in zip(found, ids, strict=True)]

    async def close(self) -> None:
        """End both threads and free the weights."""
        await asyncio.to_thread(self._engine.close)
        await asyncio.to_thread(self._labels.close)

    def _fitting(self, messages: Sequence[Message]) -> list[int]:
        ids = self._chat.prompt(messages)
        if len(ids) >= self.window:
            raise ModelError(
                f"{self.name}: a prompt of {len(ids)} tokens leaves no room in the window of {self.window}; "
                "shorten it, or raise llm.window (8,192 at most)"
            )
        return ids

    def _load(self) -> Any:
        library = genai()
        scheduler = library.SchedulerConfig()
        scheduler.cache_size = self._config.cache_gb
        scheduler.max_num_seqs = self._config.in_flight
        scheduler.enable_prefix_caching = self._config.prefix_caching
        threads = {"INFERENCE_NUM_THREADS": self._config.threads} if self._config.threads else {}
        return library.ContinuousBatchingPipeline(str(self._folder), scheduler, "CPU", threads)

    def _score(self, items: Sequence[Scoring | Group]) -> list[Any]:
        """Scores of one batch; a group is one by itself."""
        if self._scorer is None:
            self._scorer = LabelEngine(self._folder, self._config.threads)
        singles = [item for item in items if isinstance(item, Scoring)]
        if singles:
            return self._score_singles(self._scorer, singles)
        return [self._scorer.score_shared(*item) for item in items]

    def _score_singles(self, scorer: LabelEngine, items: Sequence[Scoring]) -> list[tuple[float, ...]]:
        """In parts that keep within `LABEL_TOKENS`, prompts of like length together."""
        order = sorted(range(len(items)), key=lambda k: len(items[k].prompt))
        scores: dict[int, tuple[float, ...]] = {}
        while order:
            width = len(items[order[-1]].prompt)
            part = order[-max(1, LABEL_TOKENS // width) :]
            order = order[: -len(part)]
            found = scorer.score([items[k].prompt for k in part], [items[k].labels for k in part])
            scores |= dict(zip(part, found, strict=True))
        return [scores[k] for k in range(len(items))]
