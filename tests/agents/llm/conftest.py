"""Real servers and models for the backends' tests, started once."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.embedded import EmbeddedConfig, EmbeddedModel
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.transformers_ import TransformersConfig, TransformersModel
from folkmoot.agents.llm.weights import gguf_path

KEY = "folkmoot-secret-4711"


@pytest.fixture(scope="session")
def llama():
    """Address of a llama.cpp server with the embedded weights, asking for `KEY`."""
    pytest.importorskip("xllamacpp", reason="the test server needs xllamacpp (x86-64 only)", exc_type=ImportError)
    script = Path(__file__).with_name("llama_server.py")
    command = [sys.executable, str(script), str(gguf_path()), KEY]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    yield process.stdout.readline().strip() + "/v1"
    process.kill()
    process.communicate()


@pytest.fixture
def key(monkeypatch):
    """The key, in an environment variable whose name is returned."""
    monkeypatch.setenv("FOLKMOOT_TEST_KEY", KEY)
    return "FOLKMOOT_TEST_KEY"


@pytest.fixture
def patient():
    """Puts the pool's retries before a backend: a real server may hang up an idle connection as it is used again."""
    return lambda model: Pool(model, PoolConfig(retries=6))


@pytest.fixture(scope="session")
def embedded():
    """The embedded model, shared by the tests; one thread, because test machines are busy."""
    model = EmbeddedModel(EmbeddedConfig(threads=1))
    yield model
    asyncio.run(model.close())


@pytest.fixture(scope="session")
def torch_model():
    """The same weights through transformers, in float32."""
    model = TransformersModel(TransformersConfig(device="cpu", batch=8))
    yield model
    asyncio.run(model.close())


class BadServer:
    """A server that answers as told: (status, headers, body, seconds to wait), one after the other, then the last."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.bodies = []
        self.headers = []

    async def __aenter__(self):
        """Start on a free port."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, shutdown_timeout=0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *exc):
        """Stop."""
        await self._runner.cleanup()

    async def _answer(self, request):
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        status, headers, body, wait = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await asyncio.sleep(wait)
        if status == 0:  # hang up
            request.transport.close()
            return web.Response()
        return web.Response(status=status, headers=headers, body=body, content_type="application/json")


@pytest.fixture
def bad_server():
    """The class of servers that misbehave."""
    return BadServer
