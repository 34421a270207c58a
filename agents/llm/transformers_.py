"""Any causal model of transformers on any torch device; the embedded weights by default."""

import logging
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from folkmoot.agents.llm.base import BackendConfig, cache_folder
from folkmoot.agents.llm.batcher import Batcher
from folkmoot.agents.llm.chat import ChatTokenizer
from folkmoot.agents.llm.decoding import Decoder, Row
from folkmoot.agents.llm.embedded import WINDOW, EmbeddedConfig
from folkmoot.agents.llm.gguf_torch import load_llama
from folkmoot.agents.llm.hf_chat import HubChat
from folkmoot.agents.llm.local import LocalModel
from folkmoot.agents.llm.scoring import Group, Scoring
from folkmoot.agents.llm.stops import until
from folkmoot.agents.llm.weights import gguf_path, save_tokenizer
from folkmoot.sim.errors import ModelMissing
from folkmoot.sim.protocols import Answer, Message, Sampling

logger = logging.getLogger(__name__)


class TransformersConfig(BackendConfig):
    """Settings of a model of transformers.

    Attributes:
        model: hub name or local folder; "" for the embedded weights.
        device: torch device; "auto" takes a GPU where there is one.
        dtype: torch dtype by name; "auto" is bfloat16 on a GPU, float32 else.
        window: context window in tokens; 0 takes the model's own.
        batch: requests in one batch at most.
    """

    backend: Literal["transformers"] = "transformers"
    model: str = ""
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    window: int = Field(default=0, ge=0)
    batch: int = Field(default=16, ge=1)


class TransformersModel(LocalModel):
    """A causal language model on a torch device, with exact label log-probabilities.

    Weights are loaded by the first call, in the worker thread.

    Args:
        config: its settings.

    Raises:
        ModelMissing: the weights or the tokenizer aren't to be had.
    """

    def __init__(self, config: TransformersConfig | None = None) -> None:
        self._config = config or TransformersConfig()
        source = self._config.model
        chat = _hub(source) if source else _embedded_tokenizer()
        self._ends = {chat.end} if isinstance(chat, ChatTokenizer) else chat.ends
        self._decoder: Decoder | None = None
        window = self._config.window or (_hub_window(source) if source else WINDOW)
        super().__init__(chat, window, "up to what the model allows")
        self._work: Batcher[Row | Scoring | Group, Any] = Batcher(
            "folkmoot-transformers", self._run, self._config.batch, type
        )

    @property
    def name(self) -> str:
        """Backend and model."""
        return f"transformers/{self._config.model or 'smollm2-135m-instruct'}"

    @property
    def repeatable(self) -> bool:
        """Only one at a time on a CPU: sums in a batch depend on its shape."""
        return self._config.batch == 1 and self._config.device == "cpu"

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion.

        Raises:
            ModelError: the prompt doesn't fit into the window, or the device failed (memory, for one).
        """
        ids = self._fitting(messages)
        row = Row(ids, self._within(sampling, ids), seed, until(sampling.stop, self._chat.text))
        made, finish = await self._work(row)
        return self._answer(ids, made, finish, sampling)

    async def close(self) -> None:
        """End the thread and free the weights."""
        self._work.close()
        self._decoder = None

    async def _scored(self, item: Scoring | Group) -> Any:
        return await self._work(item)

    def _run(self, items: Sequence[Row | Scoring | Group]) -> Sequence[Any]:
        if self._decoder is None:
            self._decoder = Decoder(_load(self._config), self._ends)
        decoder = self._decoder
        if groups := [item for item in items if isinstance(item, Group)]:
            return [decoder.shared_logprobs(*group) for group in groups]
        scorings = [item for item in items if isinstance(item, Scoring)]
        if scorings:
            return decoder.label_logprobs([s.prompt for s in scorings], [s.labels for s in scorings])
        return decoder.generate([item for item in items if isinstance(item, Row)])


def without_openvino(config: EmbeddedConfig) -> TransformersModel:
    """The embedded model where the platform has no OpenVINO wheel; says so."""
    logger.warning(
        "no OpenVINO wheel on this platform: the embedded model runs on transformers instead, some three times slower"
    )
    return TransformersModel(TransformersConfig(device="cpu", window=config.window, batch=config.label_batch))


def _hub(source: str) -> HubChat:
    try:
        return HubChat(source)
    except OSError as error:
        raise ModelMissing(
            f"llm.model={source!r} can't be loaded ({error}); give a hub name or a local folder"
        ) from error


def _hub_window(source: str) -> int:
    from transformers import AutoConfig

    return int(getattr(AutoConfig.from_pretrained(source), "max_position_embeddings", WINDOW))


def _embedded_tokenizer() -> ChatTokenizer:
    source = gguf_path()
    target = cache_folder() / f"smollm2-tokenizer-{source.stat().st_size}.json"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        save_tokenizer(source, target)
    return ChatTokenizer(target)


def _load(config: TransformersConfig) -> Any:
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging as hub_logging

    hub_logging.disable_progress_bar()
    device = ("cuda" if torch.cuda.is_available() else "cpu") if config.device == "auto" else config.device
    name = ("bfloat16" if device.startswith("cuda") else "float32") if config.dtype == "auto" else config.dtype
    dtype = getattr(torch, name)
    if config.model:
        return AutoModelForCausalLM.from_pretrained(config.model, dtype=dtype).to(device).eval()
    return load_llama(gguf_path()).to(device, dtype).eval()
