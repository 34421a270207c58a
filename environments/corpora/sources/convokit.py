"""Corpora in ConvoKit's format, those that we wrote and those by others.

Facts of the format (ConvoKit's documentation, "Data Format"): `utterances.jsonl` (once `utterances.json`) has id,
speaker (once `user`), conversation_id (once `root`), reply-to (`reply_to`), timestamp, text, meta; `speakers.json`
(once `users.json`) and `conversations.json` map ids to {meta, vectors} or, once, to the metadata itself; `corpus.json`
is the corpus's own metadata. Metadata that was pickled stands as a mark "<##bin{N}&&@**>"; no pickle is opened here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.sources.base import SourceComment, SourcePerson, SourceThread
from folkmoot.environments.corpora.sources.convokit_files import (
    Articles,
    Utterance,
    find_utterances,
    read_map,
    read_utterances,
)
from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.sources.ordering import in_order
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.spooled import SpooledThreads
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Persona

MARK = "folkmoot"
"""Key in corpus.json that says that a folder is our export; under it names are pseudonyms."""
NOBODIES = frozenset({"", "(unknown)", "[deleted]", "unattributed"})
"""Speakers that stand for nobody."""

BY = ("signed", "unsigned_template", "unattributed", "source", "revised")
"""What `by` may be."""
TITLES = ("title", "page_title", "subject", "name")
PLACES = ("page", "page_title", "subreddit", "movie_name", "case_name")

_PSEUDONYM = re.compile(r"[0-9a-f]{10}|unattributed")
_PICKLED = re.compile(r"<##bin\{\d+\}&&@\*\*>")


def open_convokit(request: Request) -> "ConvoKit":
    """The corpus in a folder.

    Raises:
        CorpusError: no such folder, no utterances in it, or a file of it is damaged.
    """
    return ConvoKit(Path(request.value), request.language)


class ConvoKit(SpooledThreads):
    """A folder of ConvoKit's (a `ThreadSource`).

    Attributes:
        pseudonymous: whether its names are pseudonyms: it is our export that lists its speakers, all of whom look so.
            An utterance by a name that doesn't look like one is an error then.
    """

    def __init__(self, folder: Path, language: str | None) -> None:
        utterances = find_utterances(folder)
        others = [path for name in _OTHERS if (path := folder / name).is_file()]
        about = read_map(folder, "corpus.json")
        super().__init__(str(about.get("name") or folder.resolve().name), language, [utterances, *others])
        self.language = language or _text(about.get("language")) or None
        self._utterances = utterances
        self._speakers = read_map(folder, "speakers.json", "users.json")
        self._conversations = read_map(folder, "conversations.json")
        hidden = bool(self._speakers) and all(_PSEUDONYM.fullmatch(name) for name in self._speakers)
        self.pseudonymous = self._ours = MARK in about and about.get("names") == "pseudonyms" and hidden
        self._articles = Articles(folder / "articles.jsonl") if self._ours else None

    def people(self) -> Iterator[SourcePerson]:
        """Speakers of whom the metadata says something that a persona has a field for."""
        for name, entry in self._speakers.items():
            meta = _meta(entry)
            given = meta.get("persona")
            fields = given if isinstance(given, dict) else {k: v for k, v in meta.items() if k in _PERSONA}
            if fields:
                yield SourcePerson(name, fields)

    def _records(self) -> Iterator[tuple[str, bytes]]:
        for raw, utterance in read_utterances(self._utterances, self._faults):
            if self._ours and utterance.name not in NOBODIES and not _PSEUDONYM.fullmatch(utterance.name):
                raise CorpusError(
                    f"utterance {utterance.id} is by a name that is no pseudonym, and corpus.json says that all are; "
                    'export the corpus again, or take "names" out of corpus.json to have all names hidden'
                )
            self._community.add(utterance.name)
            yield utterance.conversation, raw

    def _thread(self, key: str, name: str, records: list[bytes]) -> SourceThread | None:
        found = [msgspec.json.decode(raw, type=Utterance) for raw in records]
        opening = next((each for each in found if each.id == name), found[0])
        ordered = [opening, *(each for each in found if each is not opening)]
        comments = in_order([self._comment(each, opening.id) for each in ordered], self.losses)
        meta = _meta(self._conversations.get(name) or {})
        page, title = _first(meta, PLACES) or self.name, _first(meta, TITLES)
        if not self._ours:
            named = self._community.named_around(title, comments)
            return SourceThread(key, name, page, title, comments, _text(meta.get("article")), named=named)
        article = self._articles.get(_text(meta.get("article_id"))) if self._articles else None
        thread = SourceThread(key, _text(meta.get("thread")) or name, page, _text(meta.get("title")), comments)
        if article is None:
            return replace(thread, no_article=_text(meta.get("no_article")))
        return replace(thread, article=article.text, revision=article.revision, revised=article.time)

    def _comment(self, utterance: Utterance, opening: str) -> SourceComment:
        meta = utterance.meta if isinstance(utterance.meta, dict) else {}
        parent = utterance.parent if utterance.id != opening else None
        author = "" if utterance.name in NOBODIES else utterance.name
        comment = SourceComment(
            utterance.id, author, self._time(utterance, meta), parent, _text(utterance.text), self._facts(meta)
        )
        return _as_exported(comment, meta, self.losses) if self._ours else comment

    def _time(self, utterance: Utterance, meta: Mapping[str, Any]) -> int | None:
        exact = meta.get("time_ms")
        if self._ours and isinstance(exact, int):
            return exact
        try:
            return read_instant(utterance.timestamp)
        except CorpusError:
            self.losses["times that can't be read (kept without)"] += 1
            return None

    def _facts(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """The metadata, without pickles."""
        facts = {}
        for name, value in meta.items():
            if isinstance(value, str) and _PICKLED.fullmatch(value):
                self.losses[f"pickled metadata {name!r} (kept without; no pickle is opened)"] += 1
            elif value is not None:
                facts[name] = value
        return facts


def _as_exported(comment: SourceComment, meta: Mapping[str, Any], losses: Counter[str]) -> SourceComment:
    """A comment of our own export, as its corpus had it."""
    facts, called = meta.get("facts"), meta.get("mentions")
    mentions = [name for name in map(str, called) if _PSEUDONYM.fullmatch(name)] if isinstance(called, list) else []
    if isinstance(called, list) and len(mentions) < len(called):
        losses["mentions that are no pseudonyms (kept without)"] += len(called) - len(mentions)
    return replace(
        comment,
        parent=None if meta.get("alone") else comment.parent,
        facts=facts if isinstance(facts, dict) else {},
        by=meta["by"] if meta.get("by") in BY else None,
        mentions=tuple(mentions),
        dated=meta.get("dated") is not False,
    )


_OTHERS = ("speakers.json", "users.json", "conversations.json", "corpus.json", "articles.jsonl")
_PERSONA = frozenset(Persona.model_fields) - {"id", "language"}


def _meta(entry: Any) -> dict[str, Any]:
    """The metadata of a speaker or conversation, in the old form or the new one."""
    if not isinstance(entry, dict):
        return {}
    meta = entry.get("meta")
    return meta if isinstance(meta, dict) else entry


def _first(meta: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _text(meta.get(name)))), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
