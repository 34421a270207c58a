"""A built corpus of timelines as a feed: posts and likes in order of time, and who follows whom."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.building import digest
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.timelines.review import taken_out
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.events import Event
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.persona import Persona

FOLLOWS, LIKES = "follows", "likes"
UNKNOWN = "follows of users without a post in the corpus"
UNSEEN = "likes of posts, or of users with posts, that aren't in the corpus"


def holds_feed(store: Store) -> bool:
    """Whether a store holds timelines rather than Talk pages."""
    return store.has(FOLLOWS)


def load_feed(store: Store, max_threads: int | None = None) -> Corpus:
    """The feed of a store.

    Its follows stand before the first post: archives give no date for them. Everybody who posts has a persona, with the
    own description as profile where there is one; personas bring no history, so the split by time gives it to them.

    Args:
        store: a complete one that holds timelines.
        max_threads: at most so many conversations, the latest; None: all.

    Raises:
        CorpusError: no post was kept.
    """
    out = taken_out(store)
    losses: Counter[str] = Counter()
    threads = sorted(_kept(store, out, losses), key=lambda thread: (thread.comments[0].time, thread.id))
    chosen = threads if max_threads is None else threads[-max_threads:]
    if not chosen:
        raise CorpusError(f"{store.path}: 0 posts were kept; see `folkmoot corpus stats {store.path}` for the reasons")
    losses["older conversations (corpus.max_threads)"] = len(threads) - len(chosen)
    manifest = store.manifest
    likes = store.rows(LIKES) if store.has(LIKES) else iter(())
    events = tuple(_Feed(manifest.name, manifest.language, chosen).events(store.rows(FOLLOWS), likes, losses))
    known = {persona.id: persona for persona in store.personas()}
    people = dict.fromkeys(event.actor for event in events if isinstance(event, PostCreated))
    personas = {user: known.get(user) or Persona(id=user, language=manifest.language) for user in people}
    return Corpus(
        name=manifest.name,
        language=manifest.language,
        timezone=manifest.timezone,
        pages={},
        events=events,
        personas=personas,
        digest=digest(events, {}, personas.values()),
        losses=+losses,
        facts={"store": manifest.digest, "threads": len(chosen), "users": len(people)},
        remembering=False,
    )


def _kept(store: Store, out: Mapping[str, str], losses: Counter[str]) -> Iterator[ThreadRecord]:
    """Conversations without the posts of those whom a review took out."""
    for thread in store.threads():
        left = tuple(comment for comment in thread.comments if comment.actor not in out)
        losses.update(f"posts of accounts judged {out[c.actor]}" for c in thread.comments if c.actor in out)
        if left:
            yield replace(thread, comments=left)


_Item = tuple[int, int, int, tuple[ThreadRecord, CommentRecord] | Mapping[str, Any]]
"""Time, 0 for a post and 1 for a like, place among its kind, and the post or the row."""


class _Feed:
    """From records to events: numbered in order of time, follows first; at one time posts come before likes."""

    def __init__(self, community: str, language: str, threads: Sequence[ThreadRecord]) -> None:
        self._common: dict[str, Any] = {"community": community, "origin": "recorded"}
        self._language = language
        posts = [(thread, comment) for thread in threads for comment in thread.comments]
        self._posts = sorted(posts, key=lambda item: item[1].facts["number"])

    def events(
        self, follows: Iterator[Mapping[str, Any]], likes: Iterator[Mapping[str, Any]], losses: Counter[str]
    ) -> Iterator[Event]:
        people = {comment.actor for _, comment in self._posts}
        given = [(row["follower"], row["followed"]) for row in follows]
        edges = [edge for edge in given if people.issuperset(edge)]
        losses[UNKNOWN] += len(given) - len(edges)
        first = self._posts[0][1].time
        for seq, (one, other) in enumerate(edges):
            yield Followed(seq=seq, time=first, actor=one, user=other, **self._common)
        known = {comment.facts["number"] for _, comment in self._posts}
        liked = list(likes)
        kept = [row for row in liked if row["user"] in people and row["post"] in known]
        losses[UNSEEN] += len(liked) - len(kept)
        yield from self._in_order(kept, len(edges))

    def _in_order(self, likes: Sequence[Mapping[str, Any]], first: int) -> Iterator[Event]:
        """Posts and likes, numbered from `first` on."""
        items: list[_Item] = [(post[1].time, 0, place, post) for place, post in enumerate(self._posts)]
        items += [(like["time"], 1, place, like) for place, like in enumerate(likes)]
        seqs: dict[int, int] = {}
        for seq, (time, _, _, item) in enumerate(sorted(items, key=lambda item: item[:3]), first):
            if isinstance(item, tuple):
                seqs[item[1].facts["number"]] = seq
                yield self._post(*item, seqs)
            else:
                yield Reacted(seq=seq, time=time, actor=item["user"], post=seqs[item["post"]], **self._common)

    def _post(self, thread: ThreadRecord, comment: CommentRecord, seqs: Mapping[int, int]) -> PostCreated:
        facts = comment.facts
        form = facts.get("form", "post")
        target = seqs.get(facts["of"]) if "of" in facts else None
        return PostCreated(
            seq=seqs[facts["number"]],
            time=comment.time,
            actor=comment.actor,
            thread=thread.id,
            parent=target if form == "reply" else None,
            of=target if form != "reply" else None,
            text=comment.text,
            language=facts.get("language") or self._language,
            source_id=comment.id,
            form=form,
            warning=facts.get("warning", ""),
            hashtags=tuple(facts.get("hashtags", ())),
            links=tuple(facts.get("links", ())),
            captions=tuple(facts.get("captions", ())),
            mentions=tuple(name for name in facts.get("mentions", ()) if name != comment.actor),
            **self._common,
        )
