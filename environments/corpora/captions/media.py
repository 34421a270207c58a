"""The files of an archive, found by the keyed hashes that a corpus holds of them; nothing outside of it is opened."""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from folkmoot.environments.corpora.captions.images import NotShown, begins_as_image, read_image
from folkmoot.environments.corpora.timelines.media import OUTSIDE, media_key
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.vision import Image

UNNAMED = "whose file the archive doesn't name"
LEAVES = "whose path leads out of the archive"
MISSING = "whose file isn't there"
LINKS = "whose file is a link (not followed)"
NOT_UNICODE = "files whose name isn't UTF-8 (passed over)"
SEVERAL = "of whose name there are several files"


class MediaFolder:
    """The images of an unpacked archive, or of several.

    A file is known by the end of its path, so the folder may be the archive, a folder above it or the one of its media.

    Args:
        path: the folder.
        salt: that the corpus was built with.
        wanted: hashes in the corpus; other files are passed over.

    Attributes:
        notes: files that could be nobody's, by reason.

    Raises:
        CorpusError: no folder there.
    """

    def __init__(self, path: Path, salt: bytes, wanted: Collection[str]) -> None:
        if not path.is_dir():
            raise CorpusError(f"--media {path}: no folder there; name the one of the unpacked archive")
        self._root, self._salt = path.resolve(), salt
        self._exact: dict[str, list[Path]] = {}
        self._ends: dict[str, list[Path]] = {}
        self.notes: Counter[str] = Counter()
        for file in _files(self._root):
            self._take(file, wanted)

    def _take(self, file: Path, wanted: Collection[str]) -> None:
        steps = file.parts[1:]
        self.notes[NOT_UNICODE] += not media_key(file.name, self._salt)
        within = len(steps) - len(file.relative_to(self._root).parts)
        for start in range(len(steps)):
            key = media_key("/".join(steps[start:]), self._salt)
            if key in wanted:
                (self._exact if start == within else self._ends).setdefault(key, []).append(file)

    def image(self, key: str) -> Image:
        """The image of a hash; of several files of one name (a video and its cover) the one that is an image.

        Raises:
            NotShown: there is none, or it can't be sent.
        """
        if key in {"", OUTSIDE}:
            raise NotShown(LEAVES if key else UNNAMED)
        found = self._exact.get(key) or self._ends.get(key, [])
        files = [file for file in found if not file.is_symlink()]
        if not files:
            raise NotShown(LINKS if found else MISSING)
        images = [file for file in files if begins_as_image(file)] if len(files) > 1 else files
        if len(images) > 1:
            raise NotShown(SEVERAL)
        return read_image((images or files)[0])


def _files(root: Path) -> Iterator[Path]:
    """Every file below a folder, links to folders not followed; no pipes or devices."""
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_symlink() or file.is_file():
                yield file
