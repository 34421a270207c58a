"""Configurations are checked, complete, and lead to their backend without loading any other."""

import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from typing import get_args

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

from folkmoot.agents.llm.build import LLMConfig, build_model, build_pool
from folkmoot.agents.llm.scripted import ScriptedConfig
from folkmoot.agents.llm.server import ServerConfig
from folkmoot.agents.llm.vllm_ import VLLMConfig
from folkmoot.sim.errors import ModelMissing

KINDS = {kind.model_fields["backend"].default: kind for kind in get_args(get_args(LLMConfig)[0])}
FILES = {path.name.removesuffix(".yaml"): path for path in (files("folkmoot.conf") / "llm").iterdir()}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_yaml_holds_exactly_the_fields(name):
    """Each backend's YAML names every field of its model, no other, and is accepted by the union."""
    raw = yaml.safe_load(FILES[name].read_text("utf-8"))
    config = TypeAdapter(LLMConfig).validate_python(raw)
    assert type(config) is KINDS[name]
    assert set(raw) == set(KINDS[name].model_fields)
    assert set(raw["pool"]) == set(type(config.pool).model_fields)
    assert set(raw["cache"]) == set(type(config.cache).model_fields)


def test_unknown_backends_and_fields_are_refused():
    """A misspelt backend or field is an error that names it."""
    adapter = TypeAdapter(LLMConfig)
    with pytest.raises(ValidationError, match="scriptd"):
        adapter.validate_python({"backend": "scriptd"})
    with pytest.raises(ValidationError, match="latency"):
        adapter.validate_python({"backend": "scripted", "latency": 1})
    with pytest.raises(ValidationError, match="concurrency"):
        adapter.validate_python({"backend": "scripted", "pool": {"concurrency": 0}})


def test_only_costly_backends_are_cached(monkeypatch, tmp_path):
    """The scripted model skips the cache; others have one unless it is off; other settings, other keys."""
    monkeypatch.setenv("FOLKMOOT_CACHE", str(tmp_path))
    assert build_pool(ScriptedConfig(), 1).cache is None
    one, two = (build_pool(ServerConfig(extra={"k": k}), 1) for k in (1, 2))
    assert one.cache is not None
    assert one.name == two.name
    assert one._scope != two._scope
    off = ServerConfig.model_validate({"cache": {"mode": "off"}})
    assert build_pool(off, 1).cache is None
    for pool in (one, two):
        pool.cache.close()


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed here")
def test_absent_vllm_names_the_extra():
    """Without vLLM the error names the command."""
    with pytest.raises(ModelMissing, match=r"pip install 'folkmoot\[vllm\]'"):
        build_model(VLLMConfig(), 0)


@pytest.mark.optional
def test_vllm_answers():
    """With vLLM installed, it answers and scores labels."""
    import asyncio

    from folkmoot.sim.protocols import Message, Sampling

    model = build_model(VLLMConfig(), 0)
    prompt = [Message("user", "Answer with one letter. A) ant B) cat")]
    assert asyncio.run(model.generate(prompt, Sampling(max_tokens=4), 1)).text
    assert len(asyncio.run(model.label_logprobs(prompt, ("A", "B"), 1)).logprobs) == 2


def test_building_is_light():
    """Importing the builder loads none of the heavy libraries."""
    heavy = {"torch", "transformers", "openvino", "litellm", "vllm", "gguf", "tokenizers"}
    code = f"import sys, folkmoot.agents.llm.build; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
