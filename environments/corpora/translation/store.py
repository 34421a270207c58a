"""A corpus of timelines in one language, beside the one it was made of."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.modelpass import Pass, rewrite_posts
from folkmoot.environments.corpora.records import CommentRecord
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.translation.translator import THERE, TRANSLATED, WORDLESS, Translation, Translator

STAGE = "translation"
NOTES = {why: f"posts {why} (kept)" for why in (THERE, WORDLESS)}


def translate_store(
    store: Store,
    out: Path,
    translator: Translator,
    runner: asyncio.Runner,
    facts: Mapping[str, Any] | None = None,
    in_flight: int = 16,
) -> Store:
    """Write the corpus with its posts translated; what can't be translated stays as it is and is counted by reason.

    Args:
        store: a complete corpus of timelines.
        out: folder of the new one.
        translator: asks the model.
        runner: on whose event loop the calls are made.
        facts: of the model, for the manifest.
        in_flight: posts that are asked about at once.

    Raises:
        CorpusError: something is at `out`, or the corpus holds Talk pages.
        ModelError: a call failed for good; with a cache, the same call again makes only the missing ones.
    """
    usual, told = store.manifest.language, {"of": store.manifest.digest, **(facts or {})}
    asked: Pass[CommentRecord, Translation] = Pass(lambda post: translator.translate(post, usual), runner, in_flight)

    def change(posts: Sequence[CommentRecord]) -> Iterator[CommentRecord]:
        return (done.comment for done in asked.over(posts))

    def record() -> StageRecord:
        return asked.record(STAGE, "posts to translate", [TRANSLATED], NOTES, told)

    return rewrite_posts(store, out, change, record, translator.language)
