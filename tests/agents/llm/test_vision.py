"""Images in requests: as data URLs where a backend sees, refused before a call where it doesn't, kept by their bytes."""

import asyncio
import json
from base64 import b64decode
from hashlib import sha256

import msgspec
import pytest

from folkmoot.agents.llm.base import CacheConfig
from folkmoot.agents.llm.cache import SCHEMA, AnswerCache, call_key
from folkmoot.agents.llm.litellm_ import LiteLLMConfig, LiteLLMModel
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.llm.server import ServerConfig, ServerModel
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, Message, Sampling
from folkmoot.sim.vision import Image, VisionModel

PROMPT = [Message("system", "You describe."), Message("user", "What is it?")]
REPAIR = [*PROMPT, Message("assistant", "no"), Message("user", "Again.")]
DOT, LINE = Image("image/png", b"\x89PNG dot"), Image("image/jpeg", b"\xff\xd8\xff line")
GOOD = json.dumps({"choices": [{"message": {"content": "A dot."}}], "model": "m", "object": "chat.completion"})


def sent(bad_server, build, images, messages=PROMPT):
    """The body that a real server got, and the answer."""

    async def main():
        async with bad_server((200, {}, GOOD, 0)) as server:
            model = build(server.url)
            assert isinstance(model, VisionModel)
            answer = await model.look(messages, images, Sampling(max_tokens=9), 1)
            await model.close()
            return server.bodies[0], answer.text

    return asyncio.run(main())


def server(url):
    """The thin client."""
    return ServerModel(ServerConfig(url=url, model="m"))


@pytest.mark.parametrize(
    "build",
    [server, pytest.param(lambda url: LiteLLMModel(LiteLLMConfig(model="openai/m", api_base=url)), marks=pytest.mark.slow)],
)  # fmt: skip
def test_images_are_parts_of_the_first_question(bad_server, build, monkeypatch):
    """Images stand before the words of the first user message as data URLs, in a repair too; other messages are texts."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    body, text = sent(bad_server, build, [DOT, LINE], REPAIR)
    assert text == "A dot."
    one, other, words = body["messages"][1]["content"]
    assert words == {"type": "text", "text": "What is it?"}
    for part, image in ((one, DOT), (other, LINE)):
        head, data = part["image_url"]["url"].split(",")
        assert (part["type"], head, b64decode(data)) == ("image_url", f"data:{image.kind};base64", image.data)
    assert [message["content"] for message in body["messages"][2:]] == ["no", "Again."]


def test_without_images_a_request_is_as_ever(bad_server):
    """No image, no parts: servers that know texts alone are asked in texts."""
    body, _ = sent(bad_server, server, [])
    assert [message["content"] for message in body["messages"]] == ["You describe.", "What is it?"]


class Reads(ScriptedModel):
    """A backend that sees, and counts."""

    def __init__(self):
        super().__init__()
        self.shown = []

    async def look(self, messages, images, sampling, seed):
        """The scripted caption."""
        self.shown.append(images)
        return await super().look(messages, images, sampling, seed)


def test_answers_are_kept_by_the_bytes_of_images(tmp_path):
    """The same bytes are asked about once, under any kind or in any run; other bytes, or none, are another question."""

    def asked(*shown):
        model = Reads()
        pool = Pool(model, cache=AnswerCache(CacheConfig(path=str(tmp_path / "answers.sqlite"))))
        answers = [asyncio.run(pool.look(PROMPT, images, Sampling(), 1)).text for images in shown]
        asyncio.run(pool.close())
        return answers, len(model.shown)

    first, calls = asked([DOT], [LINE], [DOT])
    assert (first[0] == first[2] != first[1], calls) == (True, 2)
    assert asked([LINE], [DOT]) == ([first[1], first[0]], 0)
    assert asked([DOT, LINE])[1] == 1


def test_keys_without_images_are_as_they_were():
    """What was kept before there were images is still found."""
    whole = msgspec.json.encode((SCHEMA, "generate", "m", PROMPT, Sampling(), None))
    assert call_key("m", PROMPT, Sampling(), None) == sha256(whole).hexdigest()
    assert call_key("m", PROMPT, Sampling(), None, ["a"]) != sha256(whole).hexdigest()


def test_who_reads_texts_alone_says_so():
    """A backend without eyes is known before a call, and its refusal names one that sees."""

    class Blind:
        name, repeatable, window = "blind", True, 100

        def count_tokens(self, messages):
            return 1

        async def generate(self, messages, sampling, seed):
            return Answer(text="?")

    pool = Pool(Blind())
    assert not pool.sees
    assert Pool(ScriptedModel()).sees
    with pytest.raises(ModelError, match=r"blind reads text alone; take llm=server"):
        asyncio.run(pool.look(PROMPT, [DOT], Sampling(), 1))
    assert pool.counters.attempts == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "base", "sees"),
    [
        ("openai/gpt-4o", "", True),
        ("gpt-3.5-turbo", "", False),
        ("openai/gpt-3.5-turbo", "", False),
        ("openai/unheard-of", "", True),
        ("openai/gpt-3.5-turbo", "http://127.0.0.1:1/v1", True),
    ],
)
def test_what_litellm_knows(model, base, sees):
    """A model that LiteLLM knows as blind is; one that it doesn't know, or of an own server, is asked."""
    assert LiteLLMModel(LiteLLMConfig(model=model, api_base=base)).sees is sees


def test_scripted_captions_repeat():
    """The same image, the same sentence, on every machine and for every seed."""
    one = [asyncio.run(ScriptedModel(seed=seed).look(PROMPT, [DOT], Sampling(), seed)).text for seed in (1, 2)]
    assert one[0] == one[1] == "An image about choral singing."
