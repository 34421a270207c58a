"""What the scripted model says of images: something that it knows, chosen by their bytes. It sees nothing."""

from collections.abc import Sequence

from folkmoot.agents.llm.recognition import vocabulary
from folkmoot.agents.llm.vision import image_digests
from folkmoot.sim.vision import Image


def caption(images: Sequence[Image]) -> str:
    """A sentence about each image; the same image, the same sentence.

    >>> caption([Image("image/png", b"a")]) == caption([Image("image/png", b"a")])
    True
    """
    tags = sorted(vocabulary())
    return " ".join(f"An image about {tags[int(digest[:8], 16) % len(tags)]}." for digest in image_digests(images))
