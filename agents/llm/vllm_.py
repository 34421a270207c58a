"""vLLM in process: an optional extra, loaded only when asked for."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

from pydantic import Field

from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.batcher import Batcher
from folkmoot.agents.llm.remote import estimated_tokens
from folkmoot.agents.llm.toplabels import top_scores
from folkmoot.agents.llm.vision import chat
from folkmoot.sim.errors import ModelMissing
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling


class VLLMConfig(BackendConfig):
    """Settings of a model in vLLM.

    Attributes:
        model: hub name or local folder.
        window: context window in tokens.
        batch: requests handed to the engine together.
        top_logprobs: log-probabilities that the engine gives a position (20 unless it was told otherwise).
        engine: further arguments of vllm.LLM, e.g. tensor_parallel_size.
    """

    backend: Literal["vllm"] = "vllm"
    model: str = "HuggingFaceTB/SmolLM2-135M-Instruct"
    window: int = Field(default=8192, gt=0)
    batch: int = Field(default=256, ge=1)
    top_logprobs: int = Field(default=20, ge=1)
    engine: dict[str, Any] = Field(default_factory=dict)


class _Request(NamedTuple):
    messages: Sequence[Message]
    sampling: Sampling
    seed: int
    logprobs: int | None


class VLLMModel:
    """A model in vLLM's offline engine; requests that wait together are batched together.

    Args:
        config: its settings.

    Raises:
        ModelMissing: vLLM isn't installed.
    """

    repeatable = False

    def __init__(self, config: VLLMConfig) -> None:
        if find_spec("vllm") is None:
            raise ModelMissing("llm=vllm needs vLLM, an optional extra; run: pip install 'folkmoot[vllm]'")
        self._config = config
        self._engine: Any = None
        self._work: Batcher[_Request, Any] = Batcher("folkmoot-vllm", self._run, config.batch)

    @property
    def name(self) -> str:
        """Backend and model."""
        return f"vllm/{self._config.model}"

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._config.window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """An upper estimate: a third of the characters, and eight for each message's frame."""
        return estimated_tokens(messages)

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion; raises ModelError where the engine fails."""
        output = await self._work(_Request(messages, sampling, seed, None))
        said = output.outputs[0]
        return Answer(
            text=said.text,
            prompt_tokens=len(output.prompt_token_ids),
            completion_tokens=len(said.token_ids),
            finish=said.finish_reason or "stop",
        )

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Log-probabilities of the labels' first tokens among the engine's top ones."""
        output = await self._work(_Request(messages, Sampling(max_tokens=1), seed, self._config.top_logprobs))
        top = [(entry.decoded_token or "", entry.logprob) for entry in output.outputs[0].logprobs[0].values()]
        return top_scores(top, labels, self.name, len(output.prompt_token_ids))

    async def close(self) -> None:
        """End the thread and free the engine."""
        self._work.close()
        self._engine = None

    def _run(self, items: Sequence[_Request]) -> Sequence[Any]:
        from vllm import LLM, SamplingParams

        if self._engine is None:
            options = {"max_model_len": self._config.window, "enable_prefix_caching": True} | self._config.engine
            self._engine = LLM(model=self._config.model, **options)
        chats = [chat(item.messages) for item in items]
        settings = [
            SamplingParams(
                temperature=item.sampling.temperature,
                top_p=item.sampling.top_p,
                max_tokens=item.sampling.max_tokens,
                stop=list(item.sampling.stop),
                seed=item.seed,
                logprobs=item.logprobs,
            )
            for item in items
        ]
        outputs: Sequence[Any] = self._engine.chat(chats, settings, use_tqdm=False)
        return outputs
