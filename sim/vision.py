"""Images in a request, and the models that can be shown them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling

ImageKind = Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
"""What OpenAI-compatible servers take."""


class Image(NamedTuple):
    """An image as its file holds it."""

    kind: ImageKind
    data: bytes


@runtime_checkable
class VisionModel(LanguageModel, Protocol):
    """A backend that takes images, beside all that a language model does."""

    @property
    def sees(self) -> bool:
        """Whether its model can see, as far as is known: False means that a call with an image would be refused."""

    async def look(self, messages: Sequence[Message], images: Sequence[Image], sampling: Sampling, seed: int) -> Answer:
        """One completion about images, which stand before the words of the first user message.

        Raises:
            ModelError: as `LanguageModel.generate` does, or the model takes no images.
        """
