"""Labels that are known: the scripted model's own intent, and a corpus's gold for what is recorded.

For tests and benchmarks: it measures the house, not a community. It can't label what it didn't write.
"""

from collections.abc import Callable, Mapping, Sequence

from folkmoot.agents.llm.phrases import intent
from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, Counted, GoldLike, Labels, in_order
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Utterance

Intent = Callable[[str, str], tuple[tuple[str, ...], int] | None]


class _Scripted(Counted):
    """Args: gold: source id -> labels of recorded comments; read: text, language -> (acts, sentiment) or None."""

    name: str
    labels: tuple[str, ...]
    version = "1"
    context = 0

    def __init__(self, gold: Mapping[str, GoldLike] | None = None, read: Intent = intent) -> None:
        super().__init__()
        self._gold, self._read = dict(gold or {}), read

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """Gold for recorded comments, the intent for others; None (counted) where the text isn't a scripted one.

        Raises:
            AnnotationError: a recorded comment without gold.
        """
        return [self._one(utterance) for utterance in batch]

    def _one(self, utterance: Utterance) -> Labels | None:
        event = utterance.event
        if event.origin == "recorded":
            return self._pick(*self._known(event.source_id, utterance))
        said = self._read(utterance.text, utterance.language)
        if said is None:
            self.count("not a text of the scripted model")
            return None
        return self._pick(*said)

    def _known(self, source: str | None, utterance: Utterance) -> tuple[tuple[str, ...], int]:
        gold = self._gold.get(source or "")
        if gold is None:
            raise without_gold(utterance.event, len(self._gold))
        return gold.acts, gold.sentiment

    def _pick(self, acts: Sequence[str], sentiment: int) -> Labels:
        raise NotImplementedError


def without_gold(event: TextEvent, known: int) -> AnnotationError:
    """What to say of a recorded comment that has no gold label, where so many have one."""
    return AnnotationError(
        f"annotator=scripted has no gold label for the recorded comment {event.source_id!r} (seq {event.seq}, {known} "
        "comments have one): use annotator=embedded, or monitors that need no labels: monitor=[text,threads,network]"
    )


class ScriptedActs(_Scripted):
    """Acts that are known."""

    name = "scripted-acts"
    labels = ACTS

    def _pick(self, acts: Sequence[str], sentiment: int) -> Labels:  # noqa: ARG002 -- one intent, two readers
        return in_order(acts, ACTS)


class ScriptedSentiment(_Scripted):
    """Sentiment that is known."""

    name = "scripted-sentiment"
    labels = SENTIMENTS

    def _pick(self, acts: Sequence[str], sentiment: int) -> Labels:  # noqa: ARG002
        if not 1 <= sentiment <= len(SENTIMENTS):
            raise AnnotationError(
                f"sentiment {sentiment} isn't one of the points 1 to {len(SENTIMENTS)}; mend the gold"
            )
        return (SENTIMENTS[sentiment - 1],)
