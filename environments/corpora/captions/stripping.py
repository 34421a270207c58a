"""An image without what its file tells beside the picture: places, devices, owners, comments, thumbnails.

What a picture needs is copied and all else left out, so that a block which nobody thought of, or what follows the end,
stays at home too. With it go the orientation of a photo and its colour profile. No pixel is decoded.
"""

import re
import struct
from collections.abc import Iterator

from folkmoot.sim.vision import ImageKind

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs acTL fcTL fdAT".split())
_WEBP_KEPT = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"))
_WEBP_FLAGS = 0x20 | 0x08 | 0x04
"""Of VP8X: there is a colour profile, EXIF, XMP."""
_GIF_KEPT = b"\xf9", b"\x01", b"\xff\x0bNETSCAPE2.0", b"\xff\x0bANIMEXTS1.0"
"""Extensions: how a frame is shown, words in the picture, loops."""
_MARKER = re.compile(rb"\xff+([\x01-\xfe])", re.DOTALL)
_AFTER_SCAN = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]", re.DOTALL)
_SCAN, _END, _COMMENT, _APPLICATIONS = 0xDA, 0xD9, 0xFE, range(0xE0, 0xF0)
_APPLICATIONS_KEPT = frozenset(((0xE0, b"JFIF\0"), (0xEE, b"Adobe")))
"""They tell how colours are stored."""


class Malformed(ValueError):
    """The file's structure isn't that of its kind."""


def stripped(kind: ImageKind, data: bytes) -> bytes:
    """The image alone.

    Raises:
        Malformed: the structure is broken, or ends before its end.
    """
    parts = {"image/jpeg": _jpeg, "image/png": _png, "image/webp": _webp, "image/gif": _gif}[kind]
    body = bytearray()
    try:
        for part in parts(data):  # a hostile file has millions: they aren't held apart
            body += part
    except (struct.error, IndexError) as error:
        raise Malformed("it ends within a block") from error
    head = b"RIFF" + struct.pack("<I", len(body)) if kind == "image/webp" else b""
    return head + bytes(body)


def _cut(data: bytes, start: int, end: int) -> bytes:
    if end > len(data):
        raise Malformed(f"a block ends at {end}, the file at {len(data)}")
    return data[start:end]


def _jpeg(data: bytes) -> Iterator[bytes]:
    """Segments (ITU T.81, annex B) without comments and what applications keep for themselves (APPn)."""
    yield data[:2]
    at = 2
    while marker := _MARKER.match(data, at):
        code, start = marker[1][0], marker.end()
        if code == _END:
            yield b"\xff\xd9"
            return
        end = start + max(2, *struct.unpack_from(">H", data, start))
        if code == _SCAN:
            after = _AFTER_SCAN.search(data, end)
            end = after.start() if after else len(data)
        segment = _cut(data, start, end)
        if _pictures(code, segment[2:7]):
            yield bytes((0xFF, code)) + segment
        at = end
    raise Malformed("no segment where one has to be")


def _pictures(code: int, name: bytes) -> bool:
    return (code, name) in _APPLICATIONS_KEPT if code in _APPLICATIONS else code != _COMMENT


def _png(data: bytes) -> Iterator[bytes]:
    """Chunks (ISO/IEC 15948) of pixels, colours and frames."""
    yield _PNG
    at = len(_PNG)
    while True:
        size, name = struct.unpack_from(">I4s", data, at)
        chunk = _cut(data, at, at + 12 + size)
        if name in _PNG_KEPT:
            yield chunk
        if name == b"IEND":
            return
        at += len(chunk)


def _webp(data: bytes) -> Iterator[bytes]:
    """Chunks (RFC 9649) of pixels and frames; the header's flags say so."""
    yield b"WEBP"
    at, whole = 12, 8 + struct.unpack_from("<I", data, 4)[0]
    while at < whole:
        name, size = struct.unpack_from("<4sI", data, at)
        end = at + 8 + size
        chunk = _cut(data, at, end)
        if name == b"VP8X":
            chunk = chunk[:8] + bytes((chunk[8] & ~_WEBP_FLAGS,)) + chunk[9:]
        if name in _WEBP_KEPT:
            yield chunk + b"\0" * (size % 2)
        at = end + size % 2


def _gif(data: bytes) -> Iterator[bytes]:
    """Blocks (GIF89a) without comments and what programs keep for themselves (XMP), loops aside."""
    at = 13 + _colours(data[10])
    yield _cut(data, 0, at)
    while (block := data[at : at + 1]) != b";":
        start = at
        if block == b",":
            at = _blocks_end(data, at + 11 + _colours(data[at + 9]))
        elif block == b"!":
            at = _blocks_end(data, at + 2)
        else:
            raise Malformed("no block where one has to be")
        if block == b"," or data[start + 1 : start + 14].startswith(_GIF_KEPT):
            yield data[start:at]
    yield b";"


def _colours(flags: int) -> int:
    """Bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks_end(data: bytes, at: int) -> int:
    """Where a chain of sub-blocks that begins here ends."""
    while size := data[at]:
        at += 1 + size
    return at + 1
