"""The archives in a folder: one that is unpacked there, or several, each in a file or a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.timelines.bluesky import has_record, json_in
from folkmoot.sim.errors import CorpusError

MAIN = {
    "mastodon": ("outbox.json",),
    "x": ("tweets.js", "tweet.js", "data/tweets.js", "data/tweet.js"),
}
"""Kind -> where an unpacked archive has its posts; older archives of X call the file tweet.js."""

ENDINGS = {"mastodon": "outbox.json", "bluesky": ".car"}
"""Kind -> how the names of files end that are archives by themselves."""


def main_file(kind: str, folder: Path) -> Path | None:
    """The file with the posts of the archive that is unpacked in a folder; None where there is none."""
    return next((folder / name for name in MAIN.get(kind, ()) if (folder / name).is_file()), None)


def archives_in(kind: str, path: Path) -> list[Path]:
    """The archives that a path means: itself, or all in a folder of several, by name.

    Raises:
        CorpusError: a folder without any.
    """
    if kind not in {*MAIN, *ENDINGS} or not path.is_dir() or main_file(kind, path):
        return [path]
    several = sorted(_several(kind, path))
    if kind == "bluesky" and _is_archive(path, beside=bool(several)):
        several.append(path)  # behind repositories, which are whole: of an account that comes twice the first counts
    if not several:
        wanted = " or ".join(MAIN.get(kind, ("NAME.car", "NAME.json")))
        raise CorpusError(f"{path} holds no {wanted}, nor folders that do; name the folder of an unpacked archive")
    return several


def _is_archive(folder: Path, *, beside: bool) -> bool:
    """Whether a folder's JSON is an archive of Bluesky; `beside` repositories it may be anything else."""
    files = json_in(folder)
    return any(map(has_record, files)) if beside else bool(files)


def _several(kind: str, folder: Path) -> Iterator[Path]:
    for each in folder.iterdir():
        named = kind in ENDINGS and each.is_file() and each.name.endswith(ENDINGS[kind])
        if named or (each.is_dir() and main_file(kind, each)):
            yield each
