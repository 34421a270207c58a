"""What a run says of its authors' traits, which are not as of the target.

A target's history ends before it. Traits and their reasoning are the persona's own: a built corpus reads them from
threads of any time, the target's among them. So the conditions that show traits may show what was learned from the
target; a run counts how often its thread was read.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.sim.experiments.next_turn_sample import Candidate
from folkmoot.sim.experiments.settings import BuiltCorpus, DemoCorpus, WikitextCorpus

Drawn = Mapping[str, Collection[str]]
"""User -> threads that the traits were read from."""


def drawn_of(config: DemoCorpus | WikitextCorpus | BuiltCorpus, corpus: Corpus) -> Drawn:
    """The threads that a built corpus read its traits from; nobody's where its source or its authors gave them.

    Raises:
        CorpusError: the corpus can't be read.
    """
    if not isinstance(config, BuiltCorpus):
        return {}
    from folkmoot.environments.corpora.built import find_stores
    from folkmoot.environments.corpora.persons.talk import TABLE, drawn_threads

    stores = find_stores(Path(config.path).expanduser(), config.languages)
    mine = next((store for store in stores if store.manifest.digest == corpus.facts.get("store")), None)
    return {} if mine is None else drawn_threads(mine.rows(TABLE, ["id", "threads"]))


def trait_facts(targets: Sequence[Candidate], corpus: Corpus, drawn: Drawn) -> dict[str, Any]:
    """Counts for the manifest, under `traits`; nothing where no persona of the corpus has traits.

    `as_of_target` is false; `targets`: the targets by authors with traits; `thread_read`: of these, those in a thread
    that the author's traits were read from; `unknown`: of these, those by authors whose traits came from elsewhere.
    """
    known = {user for user, persona in corpus.personas.items() if persona.traits}
    if not known:
        return {}
    mine = [target.event for target in targets if target.event.actor in known]
    return {
        "traits": {
            "as_of_target": False,
            "targets": len(mine),
            "thread_read": sum(event.thread in drawn.get(event.actor, ()) for event in mine),
            "unknown": sum(event.actor not in drawn for event in mine),
        }
    }
