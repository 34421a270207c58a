"""Which comments are written again: who is eligible for which condition, and which threads are sampled.

Sample (Wiki-Talkie, section 4): threads with authors of at least six comments in the corpus, up to 5,000 a community,
taken so that the share of comments by women is as large as it can be up to one half (`corpora.sampling`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkmoot.agents.conditioning import CONDITIONS, Condition
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.corpora.sampling import Countable, SampleSettings, choose_threads, in_lot_order
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.next_turn_history import Histories
from folkmoot.sim.experiments.settings import NextTurnConfig
from folkmoot.sim.persona import Persona

WOMAN = "woman"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recorded comment that might be written again.

    Attributes:
        event: the comment, by its corpus seq.
        position: comments before it in its thread; 1 at least.
        eligible: conditions that it can be written under.
    """

    event: TextEvent
    position: int
    eligible: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sample:
    """The targets, in order of their threads as sampled; `facts` are the counts behind them."""

    targets: tuple[Candidate, ...]
    facts: Mapping[str, Any]

    @property
    def threads(self) -> tuple[str, ...]:
        """Their threads, as sampled."""
        return tuple(dict.fromkeys(target.event.thread for target in self.targets))


def candidates(
    corpus: Corpus,
    config: NextTurnConfig,
    methods: Mapping[str, Condition],
    histories: Histories,
    losses: Counter[str],
    playable: Callable[[str], bool],
) -> list[Candidate]:
    """All comments that some condition can be used for; `losses` grows by the others, by reason.

    Args:
        corpus: the community.
        config: of the experiment.
        methods: name -> conditioning method.
        histories: what authors said before.
        losses: grows by what is no candidate.
        playable: whether an environment takes a thread as it is recorded.
    """
    found = []
    for thread, events in corpus.threads().items():
        if not playable(thread):
            losses["in threads that can't be re-enacted"] += len(events)
            continue
        losses["first comments of threads"] += 1
        for position, event in enumerate(events[1:], 1):
            if (reason := _unfit(event, config, histories)) is not None:
                losses[reason] += 1
                continue
            eligible = eligible_for(event, corpus.personas.get(event.actor), methods, histories)
            found.append(Candidate(event, position, eligible))
    return found


def _unfit(event: TextEvent, config: NextTurnConfig, histories: Histories) -> str | None:
    if event.actor == UNATTRIBUTED:
        return "by unknown authors"
    if config.since is not None and event.time < config.since:
        return "before experiment.since"
    if not any(map(str.isalnum, event.text)):
        return "without words"
    if histories.size(event.actor) < config.min_comments:
        return f"by authors of under {config.min_comments} comments"
    return None


def eligible_for(
    event: TextEvent, persona: Persona | None, methods: Mapping[str, Condition], histories: Histories
) -> frozenset[str]:
    """The methods whose own check passes for the author, and that have something to show as of this comment."""
    return frozenset(name for name, method in methods.items() if _passes(method, at(event, persona, histories)))


def at(event: TextEvent, persona: Persona | None, histories: Histories) -> Persona:
    """The author as of a comment: with the history that may be shown for it."""
    base = persona or Persona(id=event.actor, language=event.language)
    return base.model_copy(update={"history": histories.before(event)})


def _passes(method: Condition, persona: Persona) -> bool:
    try:
        method.check(persona)
    except ConfigError:
        return False
    return not method.bare(persona)


def sample(
    found: Sequence[Candidate], corpus: Corpus, config: NextTurnConfig, condition: str, losses: Counter[str]
) -> Sample:
    """The targets of a run.

    Args:
        found: the candidates.
        corpus: for the authors' gender.
        config: of the experiment.
        condition: the run's.
        losses: comments that are no candidates, by reason.

    Raises:
        CorpusError: none can be written under this condition.
    """
    wanted = _wanted(found, config, condition)
    fit = [one for one in found if wanted <= one.eligible]
    if not fit:
        raise CorpusError(_none(corpus, found, config, condition, losses))
    women = {user for user, persona in corpus.personas.items() if persona.attributes.gender == WOMAN}
    order = _by_thread(fit)
    chosen = [one for name in _ranked(order, women, config) for one in order[name]]
    beyond = len(fit) - len(chosen)
    cut = chosen[: config.max_targets]
    facts = _facts(found, fit, cut, women, losses)
    facts["left_out"] = {"beyond max_threads": beyond, "beyond max_targets": len(chosen) - len(cut)}
    return Sample(tuple(cut), facts)


def _wanted(found: Iterable[Candidate], config: NextTurnConfig, condition: str) -> frozenset[str]:
    if config.targets == "own":
        return frozenset({condition})
    return frozenset().union(*(one.eligible for one in found)) | {condition}


def _by_thread(fit: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    threads: dict[str, list[Candidate]] = {}
    for one in fit:
        threads.setdefault(one.event.thread, []).append(one)
    return threads


def _ranked(threads: Mapping[str, Sequence[Candidate]], women: set[str], config: NextTurnConfig) -> list[str]:
    """The sampled threads, in the order in which they are taken up to `max_targets`: by lot."""
    counted = (
        Countable(name, len(targets), sum(one.event.actor in women for one in targets))
        for name, targets in threads.items()
    )
    limit = config.max_threads or len(threads)
    settings = SampleSettings(threads=limit, women=config.women_share, seed=config.sample_seed)
    return in_lot_order(choose_threads(counted, settings).threads, config.sample_seed)


def _facts(
    found: Sequence[Candidate],
    fit: Sequence[Candidate],
    cut: Sequence[Candidate],
    women: set[str],
    losses: Counter[str],
) -> dict[str, Any]:
    eligible = {name: sum(name in one.eligible for one in found) for name in CONDITIONS}
    possible = {name for name, count in eligible.items() if count}
    return {
        "comments": len(found) + losses.total(),
        "no_targets": dict(sorted(losses.items())),
        "targets": len(found),
        "eligible": eligible,
        "eligible_for_all": sum(possible <= one.eligible for one in found),
        "fit": len(fit),
        "chosen": len(cut),
        "threads": len({one.event.thread for one in cut}),
        "users": len({one.event.actor for one in cut}),
        "by_women": sum(one.event.actor in women for one in cut),
        "previous_mean": round(sum(one.position for one in cut) / len(cut), 6),
    }


def _none(
    corpus: Corpus, found: Sequence[Candidate], config: NextTurnConfig, condition: str, losses: Counter[str]
) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(losses.items()))
    return (
        f"{corpus.name}: 0 comments can be written under condition={condition} (targets={config.targets}), at least 1 "
        f"is needed: of {len(found) + losses.total()} comments {len(found)} are by authors that are known well enough "
        f"(left out: {reasons}); lower experiment.min_comments={config.min_comments} or "
        f"experiment.min_history={config.min_history}, take a condition that needs less of people (base), or give a "
        "larger corpus"
    )
