"""What may be sent as an image: known by its first bytes, not its name, of a bounded size, the picture alone."""

import struct
import zlib
from pathlib import Path

from folkmoot.environments.corpora.captions.stripping import Malformed, stripped
from folkmoot.sim.vision import Image, ImageKind

LARGEST = 20_000_000
"""Bytes; servers take no larger ones."""

NO_IMAGE = "that are no JPEG, PNG, GIF or WebP"
TOO_LARGE = f"of over {LARGEST // 1_000_000} MB"
UNREADABLE = "whose file can't be read"

HEAD = 12


class NotShown(ValueError):
    """A file that isn't sent; the message is the reason to count by."""


def kind_of(head: bytes) -> ImageKind | None:
    r"""The kind of image that begins so; None for anything else.

    >>> kind_of(b"\x89PNG\r\n\x1a\n"), kind_of(b"<svg xmlns=")
    ('image/png', None)
    """
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def begins_as_image(path: Path) -> bool:
    """Whether the file can be opened and begins as an image."""
    try:
        with path.open("rb") as file:
            return kind_of(file.read(HEAD)) is not None
    except OSError:
        return False


def read_image(path: Path) -> Image:
    """The image in a file, without what the file tells beside it.

    Raises:
        NotShown: it is too large, no image, broken, or can't be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise NotShown(UNREADABLE) from error
    kind = kind_of(data[:HEAD])
    if kind is None:
        raise NotShown(NO_IMAGE)
    if len(data) > LARGEST:
        raise NotShown(TOO_LARGE)
    try:
        return Image(kind, stripped(kind, data))
    except Malformed as error:
        raise NotShown(UNREADABLE) from error


def grey(side: int = 64) -> Image:
    """A grey square as PNG: what a model is shown first, to know whether it takes images at all.

    >>> kind_of(grey().data)
    'image/png'
    """
    rows = (b"\0" + b"\x80" * side) * side
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""),
    )  # fmt: skip
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
    return Image("image/png", b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
