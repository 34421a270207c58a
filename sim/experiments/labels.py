"""Whether the recorded comments of a run can be labelled, told before anything is written."""

from collections.abc import Sequence

from folkmoot.metrics.annotators.build import kinds_of
from folkmoot.metrics.annotators.scripted import without_gold
from folkmoot.metrics.tallies import LABELLED
from folkmoot.sim.experiments.measures import real_side
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig


def check_gold(config: RunConfig, places: Sequence[Place]) -> None:
    """Make sure that a scripted annotator knows a label of every recorded comment that counts.

    Raises:
        AnnotationError: one has none.
    """
    kinds = kinds_of(config.annotator)
    if "scripted" not in {kinds[role] for role in set(LABELLED) & set(config.monitor.families)}:
        return
    for place in places:
        counts, gold = real_side(place), place.corpus.gold
        for event in place.split.reference_events(place.corpus):
            if counts(event) and event.seq not in gold:
                raise without_gold(event, len(gold))
