"""A built corpus as a ConvoKit corpus folder, which `--from convokit:FOLDER` reads back.

Everything that threads, people and articles say is in it, and comes back; the wikitext of pages, and where in it a
comment stands, is not: ConvoKit has no place for it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.commands.convokit_writer import FILES, Object, Writer
from folkmoot.sim.commands.export import Export
from folkmoot.sim.commands.folders import fresh_folder

ARTICLES = "articles.jsonl"
"""Beside ConvoKit's own files: an article at a revision a line; conversations name it by its id."""


def export_corpus(store: Store, out: Path, *, force: bool = False) -> Export:
    """Write the threads of a corpus that its filters kept, with all that is known of their people, and their articles.

    Args:
        store: a complete corpus.
        out: folder to make.
        force: replace an earlier export.

    Raises:
        LogError: `out` is there already, or the disk refuses.
        CorpusError: a file of the corpus is damaged.
    """
    with (
        fresh_folder(out, (*FILES, ARTICLES), force=force) as folder,
        (folder / FILES[0]).open("w", encoding="ascii") as file,
    ):
        teller = _Teller(Writer(folder, file), store.manifest.name)
        dropped = 0
        articles = {row["thread"]: row for row in store.rows("thread_articles")}
        for thread, reason in zip(store.threads(dropped=True), store.reasons(), strict=True):
            dropped += bool(reason)
            if not reason:
                teller.tell(thread, articles.get(thread.id, {}))
        for persona in store.personas():
            teller.speaker(persona.id)["persona"] = persona.model_dump(mode="json")
        written = _articles(store, folder / ARTICLES, teller.articles)
        teller.writer.finish(_about(store))
    notices = [f"{dropped} threads that a filter had dropped were left out"] if dropped else []
    return Export(out, {**teller.writer.counts, "articles": written}, notices)


@dataclass(slots=True)
class _Teller:
    """Turns threads into conversations."""

    writer: Writer
    community: str
    articles: set[str] = field(default_factory=set)

    def tell(self, thread: ThreadRecord, article: Mapping[str, str | None]) -> None:
        """One thread."""
        names = [comment.id for comment in thread.comments]
        meta: Object = {"thread": thread.id, "community": self.community, "page": thread.page, "title": thread.title}
        if article.get("article"):
            meta["article_id"] = article["article"]
            self.articles.add(str(article["article"]))
        elif article.get("reason"):
            meta["no_article"] = article["reason"]
        self.writer.conversations[names[0]] = meta
        for index, comment in enumerate(thread.comments):
            parent = names[comment.parent or 0] if index else None
            self.speaker(comment.actor)["comments"] += 1
            said = _meta(comment, alone=index > 0 and comment.parent is None)
            self.writer.utterance(comment.id, names[0], comment.actor, parent, comment.time, comment.text, said)

    def speaker(self, name: str) -> Object:
        """The metadata of a speaker."""
        return self.writer.speakers.setdefault(name, {"community": self.community, "comments": 0})


def _meta(comment: CommentRecord, *, alone: bool) -> Object:
    """What a comment's record has beside ConvoKit's fields; `alone`: it answers the first one only for ConvoKit."""
    meta: Object = {"by": comment.by, "dated": comment.dated, "time_ms": comment.time, "alone": alone}
    if comment.mentions:
        meta["mentions"] = list(comment.mentions)
    if comment.facts:
        meta["facts"] = dict(comment.facts)
    return meta


def _articles(store: Store, path: Path, wanted: set[str]) -> int:
    """Write those that are wanted, one a line, each once."""
    count = 0
    with path.open("w", encoding="ascii") as file:
        for row in store.rows("articles"):
            if row["id"] in wanted:
                wanted.discard(row["id"])
                file.write(json.dumps({name: row[name] for name in ("id", "revision", "time", "text")}) + "\n")
                count += 1
    return count


def _about(store: Store) -> Object:
    manifest = store.manifest
    return {
        "name": manifest.name,
        "language": manifest.language,
        "timezone": manifest.timezone,
        "schema": manifest.schema,
        "digest": manifest.digest,
        "folkmoot": manifest.folkmoot,
        "names": "pseudonyms",
    }
