"""Images in the requests of OpenAI-compatible servers: parts of a message's content, as data URLs."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from folkmoot.sim.protocols import Message
from folkmoot.sim.vision import Image

IMAGE_TOKENS = 1_000
"""About what an image takes; models differ, and large images take more."""


def chat(messages: Sequence[Message], images: Sequence[Image] = ()) -> list[dict[str, Any]]:
    """Messages as a request's body holds them, the images before the words of the first user message.

    >>> chat([Message("user", "What is it?")], [Image("image/png", b"PNG")])[0]["content"][0]
    {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,UE5H'}}
    """
    body: list[dict[str, Any]] = [{"role": role, "content": content} for role, content in messages]
    place = next((k for k, message in enumerate(messages) if message.role == "user"), None)
    if images and place is not None:
        parts = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
        body[place]["content"] = [*parts, {"type": "text", "text": messages[place].content}]
    return body


def data_url(image: Image) -> str:
    """The image as an address that holds it."""
    return f"data:{image.kind};base64,{b64encode(image.data).decode()}"


def image_digests(images: Sequence[Image]) -> tuple[str, ...]:
    """64 hex digits over each image's bytes."""
    return tuple(sha256(image.data).hexdigest() for image in images)
