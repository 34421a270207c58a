"""The evidence behind the demo feed's gold profiles: which post shows which interest, and its near-duplicates."""

from dataclasses import dataclass
from pathlib import Path

from folkmoot.environments.corpora.demo_feed.records import FOLDER, read_files
from folkmoot.sim.persona import Domain


@dataclass(frozen=True, slots=True)
class Signal:
    """An observable interest in a post.

    Attributes:
        post: the post's `source_id`.
        domain: one of `sim.persona.DOMAINS`.
        tag: the interest.
        modality: where it shows: text, image, both.
        confidence: 0 to 1.
        near: `source_id` of the first of the post's near-duplicates, "" where it has none.
    """

    post: str
    domain: Domain
    tag: str
    modality: str
    confidence: float
    near: str = ""


def demo_signals(lang: str = "en", folder: Path = FOLDER) -> tuple[Signal, ...]:
    """All signals of the demo feed of a language, in order of the posts.

    Raises:
        CorpusError: the language has no demo feed, or a file is damaged.
    """
    files = read_files(lang, folder)
    tags = {user.name: user.tags for user in files.users}
    return tuple(
        Signal(post.id, tags[post.user][signal.tag], signal.tag, signal.modality, signal.confidence, post.near)
        for post in files.posts
        for signal in post.signals
    )
