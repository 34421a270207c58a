"""A corpus of timelines with captions of images that had none, beside the one it was made of."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from folkmoot.environments.corpora.captions.captioner import DESCRIBED, Captioner, Described
from folkmoot.environments.corpora.modelpass import Pass, rewrite_posts, timelines_alone
from folkmoot.environments.corpora.records import CommentRecord
from folkmoot.environments.corpora.store import StageRecord, Store

STAGE = "captions"
BY = "caption_models"
"""Fact of a post: for each image the model that its caption is by; "" for its author's, or none."""

AUTHOR, MODEL = "captioned by their authors", "captioned by a model before"
NOTES = {why: f"images {why} (kept)" for why in (AUTHOR, MODEL)}


class Spot(NamedTuple):
    """An image of a post: its caption, whose that is, and the hash of its file."""

    caption: str
    by: str
    key: str


def wanted_media(store: Store) -> frozenset[str]:
    """Hashes of the files whose images have no caption.

    Raises:
        CorpusError: the corpus holds Talk pages.
    """
    timelines_alone(store)
    posts = (
        comment for part in store.parts("pages") for thread in store.shard(part.name) for comment in thread.comments
    )
    return frozenset(spot.key for post in posts for spot in spots(post) if not spot.caption)


def spots(post: CommentRecord) -> list[Spot]:
    """The images of a post."""
    captions, by, media = (post.facts.get(key, ()) for key in ("captions", BY, "media"))
    size = len(captions)
    return [Spot(*each) for each in zip(captions, _long(by, size), _long(media, size), strict=True)]


def _long(values: Sequence[str], size: int) -> list[str]:
    return [*values, *[""] * size][:size]


def caption_store(
    store: Store,
    out: Path,
    captioner: Captioner,
    runner: asyncio.Runner,
    facts: Mapping[str, Any] | None = None,
    in_flight: int = 16,
) -> Store:
    """Write the corpus with captions; images that aren't described stay without one and are counted by reason.

    Args:
        store: a complete corpus of timelines.
        out: folder of the new one.
        captioner: asks the model.
        runner: on whose event loop the calls are made.
        facts: of the model, for the manifest.
        in_flight: images that are asked about at once.

    Raises:
        CorpusError: something is at `out`, or the corpus holds Talk pages.
        ModelError: a call failed for good; with a cache, the same call again makes only the missing ones.
    """
    told = {"of": store.manifest.digest, **(facts or {})}
    asked: Pass[Spot, Described] = Pass(lambda spot: _described(spot, captioner), runner, in_flight)

    def change(posts: Sequence[CommentRecord]) -> Iterator[CommentRecord]:
        found = asked.over(spot for post in posts for spot in spots(post))
        return (_captioned(post, found, captioner.name) for post in posts)

    def record() -> StageRecord:
        made = asked.record(STAGE, "images to describe", [DESCRIBED], NOTES, told)
        return msgspec.structs.replace(made, notes={**made.notes, **captioner.notes})

    return rewrite_posts(store, out, change, record)


async def _described(spot: Spot, captioner: Captioner) -> Described:
    if spot.caption:
        return Described(spot.caption, MODEL if spot.by else AUTHOR)
    done = await captioner.describe(spot.key)
    return replace(done, reason=done.reason if done.reason == DESCRIBED else f"images {done.reason}")


def _captioned(post: CommentRecord, found: Iterator[Described], model: str) -> CommentRecord:
    """The post with what became of its images, each taken from `found`."""
    own = [(spot, next(found)) for spot in spots(post)]
    if not any(done.reason == DESCRIBED for _, done in own):
        return post
    by = [model if done.reason == DESCRIBED else spot.by for spot, done in own]
    return replace(post, facts={**post.facts, "captions": [done.caption for _, done in own], BY: by})
