"""What a run says of its authors' traits, which are not as of the target.

A target's history ends before it. Traits and their reasoning are the persona's own, one reading for all targets: a
built corpus reads them from threads of any time, the target's among them. So the conditions that show traits may show
what was learned from the target; a run counts how often its thread was read. Read until an instant (`personas.until`)
and with targets from there on (`experiment.since`) they are as of the target, and the run says that.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from folkmoot.environments.corpora.base import Corpus
from folkmoot.sim.experiments.next_turn_sample import Candidate
from folkmoot.sim.experiments.settings import BuiltCorpus, CorpusConfig


class Reading(NamedTuple):
    """What traits were read from.

    Attributes:
        threads: user -> threads; users whose traits came from elsewhere aren't in it.
        until: only comments before this instant, ms; None: of any time.
    """

    threads: Mapping[str, Collection[str]] = {}
    until: int | None = None


def reading_of(config: CorpusConfig, corpus: Corpus) -> Reading:
    """What a built corpus read its traits from; of nobody where its source or its authors gave them.

    Raises:
        CorpusError: the corpus can't be read.
    """
    if not isinstance(config, BuiltCorpus):
        return Reading()
    from folkmoot.environments.corpora.built import find_stores
    from folkmoot.environments.corpora.persons.talk import TABLE, drawn_threads

    stores = find_stores(Path(config.path).expanduser(), config.languages)
    mine = next((store for store in stores if store.manifest.digest == corpus.facts.get("store")), None)
    if mine is None:
        return Reading()
    settings = next((stage.settings for stage in mine.manifest.stages if stage.name == "personas"), {})
    return Reading(drawn_threads(mine.rows(TABLE, ["id", "threads"])), settings.get("until"))


def trait_facts(targets: Sequence[Candidate], corpus: Corpus, read: Reading) -> dict[str, Any]:
    """Counts for the manifest, under `traits`; nothing where no persona of the corpus has traits.

    `as_of_target`: nothing of a target or of what came after it was read; `targets`: the targets by authors with
    traits; `thread_read`: of these, those in a thread that the author's traits were read from; `unknown`: of these,
    those by authors whose traits came from elsewhere.
    """
    known = {user for user, persona in corpus.personas.items() if persona.traits}
    if not known:
        return {}
    mine = [target.event for target in targets if target.event.actor in known]
    unknown = sum(event.actor not in read.threads for event in mine)
    earlier = read.until is not None and all(event.time >= read.until for event in mine)
    return {
        "traits": {
            "as_of_target": earlier and not unknown,
            "targets": len(mine),
            "thread_read": sum(event.thread in read.threads.get(event.actor, ()) for event in mine),
            "unknown": unknown,
        }
    }
