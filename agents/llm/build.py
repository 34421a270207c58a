"""From a checked configuration to a model, and to the pool around it."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.cache import AnswerCache
from folkmoot.agents.llm.embedded import EmbeddedConfig, EmbeddedModel, available
from folkmoot.agents.llm.litellm_ import LiteLLMConfig, LiteLLMModel
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.llm.server import ServerConfig, ServerModel
from folkmoot.agents.llm.transformers_ import TransformersConfig, TransformersModel, without_openvino
from folkmoot.agents.llm.vllm_ import VLLMConfig, VLLMModel
from folkmoot.sim.protocols import LanguageModel

LLMConfig = Annotated[
    ScriptedConfig | EmbeddedConfig | TransformersConfig | ServerConfig | LiteLLMConfig | VLLMConfig,
    Field(discriminator="backend"),
]
"""The `llm` group of the configuration; `backend` says which."""


def build_model(config: BackendConfig, seed: int) -> LanguageModel:
    """The backend of a configuration; heavy libraries are loaded only for the one asked for.

    Args:
        config: one of the kinds of `LLMConfig`.
        seed: names the scripted model's streams; real backends get a seed with each call.

    Raises:
        ModelMissing: the backend's package or weights aren't installed.
    """
    return _builders[type(config)](config, seed)


def build_pool(config: BackendConfig, seed: int) -> Pool:
    """The backend in its pool, with the answer cache where answers cost something.

    >>> from folkmoot.agents.llm.scripted import ScriptedConfig
    >>> build_pool(ScriptedConfig(), seed=1).name
    'scripted'
    """
    free = isinstance(config, ScriptedConfig) or config.cache.mode == "off"
    cache = None if free else AnswerCache(config.cache)
    scope = config.model_dump_json(exclude={"pool", "cache"})
    return Pool(build_model(config, seed), config.pool, seed, cache, scope)


def _embedded(config: EmbeddedConfig, seed: int) -> LanguageModel:
    del seed
    return EmbeddedModel(config) if available() else without_openvino(config)


_builders: dict[type[BackendConfig], Callable[[Any, int], LanguageModel]] = {
    ScriptedConfig: ScriptedModel,
    EmbeddedConfig: _embedded,
    TransformersConfig: lambda config, _: TransformersModel(config),
    ServerConfig: lambda config, _: ServerModel(config),
    LiteLLMConfig: lambda config, _: LiteLLMModel(config),
    VLLMConfig: lambda config, _: VLLMModel(config),
}
