"""The thin client: a real server's answers, and a misbehaving server's."""

import asyncio
import json
import math

import pytest

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.server import ServerConfig, ServerModel
from folkmoot.agents.llm.toplabels import read_labels
from folkmoot.sim.errors import ConfigError, ModelError, ModelMissing, TransientModelError
from folkmoot.sim.protocols import LanguageModel, Message, Sampling

PROMPT = [Message("system", "You answer briefly."), Message("user", "Answer with one letter. A) ant B) cat")]
GOOD = json.dumps(
    {
        "choices": [{"message": {"content": "Fine."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }
)


def run(model, work):
    """The result of `work(model)`, the model closed after it."""

    async def main():
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(main())


@pytest.mark.embedded
def test_real_server_completes(llama, key, patient):
    """A real server answers, with its token counts; a greedy answer repeats; the limit on new tokens holds."""

    async def twice(model):
        assert isinstance(model.model, LanguageModel)
        return [await model.generate(PROMPT, Sampling(max_tokens=6), seed) for seed in (1, 2)]

    one, two = run(patient(ServerModel(ServerConfig(url=llama, model="smollm2", api_key_env=key))), twice)
    assert one.text == two.text
    assert one.text
    assert 0 < one.completion_tokens <= 6
    assert 20 < one.prompt_tokens < 60


@pytest.mark.embedded
def test_real_server_scores_labels(llama, key, patient):
    """Labels among the server's top tokens get their log-probability, the others its last one, marked as censored."""
    labels = ("A", "B", "\N{SNOWMAN}")
    model = patient(ServerModel(ServerConfig(url=llama, model="smollm2", api_key_env=key)))
    scores = run(model, lambda m: m.label_logprobs(PROMPT, labels, 1))
    assert scores.censored == (2,)
    assert not scores.sampled
    assert sum(math.exp(x) for x in scores.logprobs) < 1.01
    assert scores.logprobs[2] <= min(scores.logprobs[:2])


@pytest.mark.embedded
def test_wrong_key_is_final_and_never_shown(llama, monkeypatch, caplog):
    """A refused key ends the call at once; neither error, repr nor log shows any key."""
    monkeypatch.setenv("FOLKMOOT_WRONG", "wrong-secret-1234")
    config = ServerConfig(url=llama, api_key_env="FOLKMOOT_WRONG")
    model = ServerModel(config)
    with pytest.raises(ModelError, match="HTTP 401") as caught:
        run(model, lambda m: m.generate(PROMPT, Sampling(), 1))
    assert not isinstance(caught.value, TransientModelError)
    shown = f"{caught.value!r} {caught.value} {model!r} {config!r} {config.model_dump_json()} {caplog.text}"
    assert "wrong-secret" not in shown


def test_missing_key_names_the_variable(monkeypatch):
    """Without the named variable the backend refuses to be built."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ModelMissing, match="NO_SUCH_KEY"):
        ServerModel(ServerConfig(api_key_env="NO_SUCH_KEY"))


def test_url_must_be_http():
    """Anything but an http address is refused with the value and an example."""
    with pytest.raises(ConfigError, match=r"localhost:8000.*http://"):
        ServerConfig(url="localhost:8000")


@pytest.mark.parametrize("status", [429, 500, 503, 408])
def test_passing_troubles_are_transient(bad_server, status):
    """429, 5xx and time-outs of the server are worth another try; its Retry-After is handed on."""

    async def main():
        async with bad_server((status, {"Retry-After": "7"}, "busy", 0)) as server:
            model = ServerModel(ServerConfig(url=server.url))
            with pytest.raises(TransientModelError, match=f"HTTP {status}") as caught:
                await model.generate(PROMPT, Sampling(), 1)
            await model.close()
            return caught.value

    assert asyncio.run(main()).retry_after_s == 7


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_refusals_are_final(bad_server, status, monkeypatch):
    """Other refusals are final; a key that the server repeats in its text is taken out."""
    monkeypatch.setenv("ECHOED", "sk-echoed-key")

    async def main():
        async with bad_server((status, {}, "no: sk-echoed-key", 0)) as server:
            model = ServerModel(ServerConfig(url=server.url, api_key_env="ECHOED"))
            with pytest.raises(ModelError, match=f"HTTP {status}") as caught:
                await model.generate(PROMPT, Sampling(), 1)
            await model.close()
            assert server.headers[0]["Authorization"] == "Bearer sk-echoed-key"
            return caught.value

    error = asyncio.run(main())
    assert not isinstance(error, TransientModelError)
    assert "sk-echoed-key" not in str(error)


@pytest.mark.parametrize("body", ["{not json", "[]", '{"choices": []}', '{"choices": [{"message": 3}]}', "\x00" * 99])
def test_garbage_is_transient(bad_server, body):
    """What can't be read as a completion is quoted, cut short, and worth another try."""

    async def main():
        async with bad_server((200, {}, body, 0)) as server:
            model = ServerModel(ServerConfig(url=server.url))
            with pytest.raises(TransientModelError) as caught:
                await model.generate(PROMPT, Sampling(), 1)
            await model.close()
            return str(caught.value)

    assert len(asyncio.run(main())) < 1200


def test_hang_up_and_dead_server_are_transient(bad_server):
    """A connection cut in the middle and a port where nobody listens are worth another try."""

    async def main():
        async with bad_server((0, {}, "", 0)) as server:
            model = ServerModel(ServerConfig(url=server.url))
            with pytest.raises(TransientModelError):
                await model.generate(PROMPT, Sampling(), 1)
            await model.close()
        model = ServerModel(ServerConfig(url=server.url))
        with pytest.raises(TransientModelError, match="is the server running"):
            await model.generate(PROMPT, Sampling(), 1)
        await model.close()

    asyncio.run(main())


def test_pool_gets_through_a_bad_day(bad_server):
    """429, 500, garbage, a hang-up and a slow answer in a row, then a good one: the pool reports six tries."""

    async def main():
        troubles = [(429, {"Retry-After": "0.01"}, "", 0), (500, {}, "", 0), (200, {}, "{", 0), (0, {}, "", 0)]
        async with bad_server(*troubles, (200, {}, GOOD, 1), (200, {}, GOOD, 0)) as server:
            config = PoolConfig(retries=6, backoff_s=0.001, timeout_s=0.3)
            pool, notes = Pool(ServerModel(ServerConfig(url=server.url)), config), []
            answer = await pool.generate(PROMPT, Sampling(), 1, notes.append)
            await pool.close()
            return answer, notes

    answer, notes = asyncio.run(main())
    assert answer.text == "Fine."
    assert (answer.prompt_tokens, answer.completion_tokens) == (7, 2)
    assert [note.error is None for note in notes] == [False] * 5 + [True]


def test_request_says_all_that_was_asked(bad_server):
    """Messages, sampling, seed and extra fields reach the server."""

    async def main():
        async with bad_server((200, {}, GOOD, 0)) as server:
            model = ServerModel(ServerConfig(url=server.url, model="m", extra={"cache_prompt": True}))
            await model.generate(PROMPT, Sampling(temperature=0.5, max_tokens=9, top_p=0.9, stop=("x",)), 42)
            await model.close()
            return server.bodies[0]

    body = asyncio.run(main())
    assert body == {
        "model": "m",
        "messages": [{"role": role, "content": content} for role, content in PROMPT],
        "temperature": 0.5,
        "max_tokens": 9,
        "top_p": 0.9,
        "stop": ["x"],
        "seed": 42,
        "cache_prompt": True,
    }


def test_server_without_logprobs_is_named(bad_server):
    """Label scores from a server that gives no log-probabilities fail for good and say what to do."""

    async def main():
        async with bad_server((200, {}, GOOD, 0)) as server:
            model = ServerModel(ServerConfig(url=server.url))
            with pytest.raises(ModelError, match="llm=litellm"):
                await model.label_logprobs(PROMPT, ("A", "B"), 1)
            await model.close()

    asyncio.run(main())


def test_labels_that_begin_alike_are_refused():
    """A first token can't tell REPORT from REQUEST."""
    with pytest.raises(ModelError, match="begin with the same token"):
        read_labels([("RE", -0.1), ("A", -2.0)], ("REPORT", "REQUEST"), "server/x")
