"""Annotators around an annotator: they say of themselves what the inner one says."""

from collections.abc import Mapping, Sequence

from folkmoot.metrics.annotators.base import Labels
from folkmoot.sim.protocols import Annotator, Utterance


class Wrapped:
    """Name, version, labels, context and counts of the annotator inside."""

    def __init__(self, annotator: Annotator) -> None:
        self._inner = annotator

    @property
    def name(self) -> str:
        """Name of the annotator inside."""
        return self._inner.name

    @property
    def version(self) -> str:
        """Version of the annotator inside."""
        return self._inner.version

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the annotator inside."""
        return self._inner.labels

    @property
    def context(self) -> int:
        """Context of the annotator inside."""
        return self._inner.context

    @property
    def counts(self) -> Mapping[str, int]:
        """Counts of the annotator inside."""
        return getattr(self._inner, "counts", {})


class Once(Wrapped):
    """Labels each event of one log once: the monitors while it is written, the report when it is whole.

    So both read the same labels, also where an annotator wouldn't answer the same twice, and none is paid for twice.
    """

    def __init__(self, annotator: Annotator) -> None:
        super().__init__(annotator)
        self._given: dict[int, Labels | None] = {}

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """The labels given before, and fresh ones for the rest; a None is an answer too."""
        fresh = [utterance for utterance in batch if utterance.event.seq not in self._given]
        if fresh:
            answers = await self._inner.annotate(fresh)
            self._given |= {one.event.seq: labels for one, labels in zip(fresh, answers, strict=True)}
        return [self._given[utterance.event.seq] for utterance in batch]
