"""Where the image of a post lies: as a keyed hash of its path in the archive, so that a corpus holds no file name.

File names tell who it was: those of X begin with the post's id. Whoever has the archive and the salt finds the file.
"""

from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from folkmoot.environments.corpora.pipeline.rows import long_hash

OUTSIDE = ".."
"""Stands for a path that leads out of its archive; no file is looked for."""

_ROOT = "media_attachments/"
"""Where Mastodon keeps media; servers put folders of their own before it."""


def media_path(value: Any) -> str:
    """The path in an archive that an address or a path means; "" where it means none.

    >>> media_path("/bucket/media_attachments/files/1/a.jpg"), media_path("https://a.example/media/b%20c.png")
    ('media_attachments/files/1/a.jpg', 'media/b c.png')
    """
    if not isinstance(value, str):
        return ""
    path = value.strip().replace("\\", "/")
    with suppress(ValueError):  # what is no address is a path
        path = unquote(urlsplit(path).path) if "://" in path else path
    before, root, rest = path.partition(_ROOT)
    return root + rest if root and ".." not in before else path.lstrip("/")


def media_key(path: str, salt: bytes) -> str:
    """16 hex digits for the file, whatever its ending: a video's cover is called as the video is.

    OUTSIDE for a path that leads out of its archive, "" for none or one that isn't UTF-8.

    >>> media_key("a/b.mp4", b"pepper and salt") == media_key("./a//b.jpg", b"pepper and salt")
    True
    >>> media_key("a/../../b.jpg", b"pepper and salt")
    '..'
    """
    steps = [step for step in normalize("NFC", path).split("/") if step not in {"", "."}]
    if not steps:
        return ""
    if ".." in steps:
        return OUTSIDE
    try:
        return long_hash(f"media\0{PurePosixPath(*steps).with_suffix('')}", salt)
    except UnicodeEncodeError:  # a file's name may hold bytes that aren't UTF-8
        return ""
