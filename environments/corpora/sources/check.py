"""Conformance checks for any importer, for your own tests too."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from pydantic import ValidationError

from folkmoot.environments.corpora.sources.base import SourcePage, SourceThread, ThreadSource, WikiSource
from folkmoot.environments.corpora.sources.registry import Source
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Persona


def check_source(make: Callable[[], Source], places: int = 5) -> None:
    """Read a source in every way in which a build reads it.

    Args:
        make: opens the source anew.
        places: at how many places a build is interrupted.

    Raises:
        CorpusError: the first thing in which it breaks the contract, in words.
    """
    source = make()
    items, losses = _read(source), Counter(source.losses)
    keys = [item.key for item in items]
    _that(isinstance(source, (WikiSource, ThreadSource)), "it is neither a WikiSource nor a ThreadSource")
    _that(len(set(keys)) == len(keys), "two of its items have one key")
    for item in items:
        _that(item.key not in _names(item), f"key {item.key!r} is a title or a name; it would be written down")
        if isinstance(item, SourceThread):
            _check_thread(item)
    again = make()
    _that(_read(again) == items and Counter(again.losses) == losses, "read twice, it doesn't give the same")
    step = max(1, len(items) // max(1, places))
    for cut in range(0, len(items), step):
        _check_going_on(make, items, losses, cut)
    _check_people(source)


def _check_going_on(
    make: Callable[[], Source], items: list[SourcePage | SourceThread], losses: Counter[str], cut: int
) -> None:
    first, second = make(), make()
    head = list(islice(_stream(first), cut + 1))
    tail = _read(second, head[-1].key)
    _that(head + tail == items, f"behind its item {cut} it doesn't go on with the next one")
    both = Counter(first.losses) + Counter(second.losses)
    _that(both == +losses, f"interrupted behind its item {cut}, its losses don't add up: {both} and not {+losses}")


def _check_thread(thread: SourceThread) -> None:
    seen: set[str] = set()
    for comment in thread.comments:
        _that(comment.id not in seen, f"thread {thread.key}: two comments have the id {comment.id!r}")
        known = comment.parent is None or comment.parent in seen
        _that(known, f"thread {thread.key}: comment {comment.id!r} answers {comment.parent!r}, which isn't before it")
        seen.add(comment.id)


def _check_people(source: Source) -> None:
    """Their fields are a persona's."""
    if not isinstance(source, ThreadSource):
        return
    for person in source.people():
        try:
            Persona.model_validate({"id": "0", "language": "en", **person.fields})
        except ValidationError as error:
            raise CorpusError(f"source {source.name}: a person's fields aren't a persona's: {error}") from error


def _names(item: SourcePage | SourceThread) -> set[str]:
    if isinstance(item, SourcePage):
        return {item.title}
    return {item.title, item.page, *(comment.author for comment in item.comments)} - {""}


def _stream(source: Source, after: str | None = None) -> Iterator[SourcePage | SourceThread]:
    return source.threads(after) if isinstance(source, ThreadSource) else source.pages(after)


def _read(source: Source, after: str | None = None) -> list[SourcePage | SourceThread]:
    return list(_stream(source, after))


def _that(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CorpusError(f"a source breaks its contract: {otherwise}")
