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
from folkmoot.agents.llm.local import LocalModel
from folkmoot.agents.llm.openvino_engine import Engine, Request
from folkmoot.agents.llm.openvino_labels import LabelEngine
from folkmoot.agents.llm.runtime import genai
from folkmoot.agents.llm.scoring import Group, Scoring
from folkmoot.agents.llm.stops import until
from folkmoot.agents.llm.weights import model_folder
from folkmoot.sim.protocols import Answer, Message, Sampling

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


class EmbeddedModel(LocalModel):
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
        chat = ChatTokenizer(self._folder / "tokenizer.json")
        super().__init__(chat, self._config.window, "8,192 at most")
        self._engine = Engine(self._load, self._config.in_flight, chat.end, self._config.repetition_penalty)
        self._labels: Batcher[Scoring | Group, Any] = Batcher(
            "folkmoot-labels", self._score, self._config.label_batch, type
        )
        self._scorer: LabelEngine | None = None

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion.

        Raises:
            ModelError: the prompt doesn't fit into the window, or the runtime failed.
        """
        ids = self._fitting(messages)
        future: asyncio.Future[tuple[list[int], str]] = asyncio.get_running_loop().create_future()

        def done(made: list[int] | None, finish: str, error: BaseException | None) -> None:
            hand_back(future, None if made is None else (made, finish), error)

        stops = until(sampling.stop, self._chat.text)
        request = Request(ids, self._within(sampling, ids), seed, stops, done)
        self._engine.submit(request)
        try:
            made, finish = await future
        except asyncio.CancelledError:
            request.cancelled = True
            raise
        return self._answer(ids, made, finish, sampling)

    async def close(self) -> None:
        """End both threads and free the weights."""
        await asyncio.to_thread(self._engine.close)
        await asyncio.to_thread(self._labels.close)

    async def _scored(self, item: Scoring | Group) -> Any:
        return await self._labels(item)

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
