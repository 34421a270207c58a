"""Which model backends answer. Keys are named, never printed; nothing is asked over a network unless told to."""

import asyncio
import os
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import urlsplit

from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.llm.weights import gguf_path
from folkmoot.sim.commands.doctor import Check
from folkmoot.sim.errors import FolkmootError, ModelMissing
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling

ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
"""Variables that may name an OpenAI-compatible server."""
KEY = "_API_KEY"
"""How the variables of providers' keys end."""
PATIENCE_S = 3.0
_PROMPT = (Message("system", "Language: en"), Message("user", "Thread title: The mill"))


def backends(*, deep: bool) -> Iterator[Check]:
    """One finding a backend."""
    yield _scripted()
    yield _embedded(deep=deep)
    yield _server(deep=deep)
    yield _litellm()


def _scripted() -> Check:
    answer = asyncio.run(_ask(ScriptedModel(), 64))
    if not answer.text:
        return Check("backend: scripted", "fail", "gave no text", "reinstall folkmoot: its phrase banks are missing")
    return Check("backend: scripted", "ok", f"answered, {answer.completion_tokens} tokens")


async def _ask(model: LanguageModel, tokens: int) -> Answer:
    try:
        return await model.generate(_PROMPT, Sampling(max_tokens=tokens), 1)
    finally:
        await model.close()


def _embedded(*, deep: bool) -> Check:
    name = "backend: embedded"
    try:
        gguf_path()
        if find_spec("openvino_genai") is None:
            return Check(name, "warn", "weights are there, OpenVINO isn't: it runs on transformers", "")
        if not deep:
            return Check(name, "ok", "weights and runtime are there; --deep asks it")
        from folkmoot.agents.llm.embedded import EmbeddedConfig, EmbeddedModel

        answer = asyncio.run(_ask(EmbeddedModel(EmbeddedConfig(in_flight=1)), 5))
    except ModelMissing as error:
        return Check(name, "fail", "weights are missing", str(error))
    except (FolkmootError, OSError) as error:
        return Check(
            name, "fail", f"doesn't answer: {error}", "see the lines above; then `folkmoot doctor --deep` again"
        )
    return Check(name, "ok", f"answered, {answer.completion_tokens} tokens")


def _server(*, deep: bool) -> Check:
    name = "backend: server"
    variable = next((variable for variable in ADDRESSES if os.environ.get(variable)), None)
    if variable is None:
        return Check(name, "ok", f"not configured ({', '.join(ADDRESSES)} are unset)")
    if not deep:
        return Check(name, "ok", f"address in {variable}; --deep knocks at it")
    try:
        parts = urlsplit(os.environ[variable])
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((host, port), PATIENCE_S):
            return Check(name, "ok", f"{host}:{port} ({variable}) takes connections")
    except (OSError, ValueError) as error:
        return Check(
            name, "warn", f"the address in {variable} doesn't answer ({error})", "start the server, or unset it"
        )


def _litellm() -> Check:
    keys = sorted(name for name, value in os.environ.items() if name.endswith(KEY) and value and "WANDB" not in name)
    if find_spec("litellm") is None:
        return Check("backend: litellm", "warn", "not installed", "pip install litellm")
    if not keys:
        return Check("backend: litellm", "ok", "installed; no provider's key is set")
    return Check("backend: litellm", "ok", f"installed; keys are set in {', '.join(keys)}; not asked: a call may cost")
