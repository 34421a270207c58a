"""The `next_turn` experiment: the Talk page re-enacted, and beside each sampled comment what an agent writes for it.

It is the community's loop in teacher-forced mode: kernel, log, call records, cache, budget and monitors are the same.
This module makes the place that is re-enacted; the sample, the authors' histories and the order of calls are beside it.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from folkmoot.agents.build import Sources, Window, agent_maker
from folkmoot.agents.conditioning import ConditionConfig, make_condition
from folkmoot.agents.conditioning.act_planned import ActPlannedConfig
from folkmoot.agents.conditioning.history import EarlierConfig
from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.agents.policy import PlanPolicy
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.splits import Split
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.environments.talk_page.rules import TalkPageConfig
from folkmoot.metrics.annotators.build import build_annotators
from folkmoot.sim.activity import Activity
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.next_turn_acts import RecordedActs
from folkmoot.sim.experiments.next_turn_agents import Author, Queue, queue_of
from folkmoot.sim.experiments.next_turn_history import Histories
from folkmoot.sim.experiments.next_turn_sample import Candidate, Sample, at, candidates, sample
from folkmoot.sim.experiments.next_turn_traits import reading_of, trait_facts
from folkmoot.sim.experiments.places import Place, check_corpus
from folkmoot.sim.experiments.settings import NextTurnConfig, RunConfig
from folkmoot.sim.forced import in_order
from folkmoot.sim.manifest import content_hash
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Annotator, Record


def prepare_targets(config: RunConfig, corpus: Corpus, model: Window, frozen: Mapping[str, Any] | None) -> Place:
    """A community ready to be re-enacted.

    Raises:
        CorpusError: nothing can be written under this condition, or the manifest is of another corpus or sample.
        ConfigError: the condition needs what isn't there, or the run isn't teacher-forced.
    """
    environment_config = _check(config)
    if frozen is not None:
        check_corpus(corpus, frozen)
    histories = Histories(corpus)
    chosen = choose(config, corpus, histories)
    facts = {
        **chosen.facts,
        **trait_facts(chosen.targets, corpus, reading_of(config.corpus, corpus)),
        "sample": content_hash([one.event.seq for one in chosen.targets]),
    }
    if frozen is not None and frozen["split"].get("sample") != facts["sample"]:
        raise CorpusError(
            f"{corpus.name}: the sample is {facts['sample']}, the run began with {frozen['split'].get('sample')}; "
            "resume with the version that began it, or start a new run"
        )
    parts = Split((), (), chosen.threads, corpus.personas, None, facts=facts)
    agents = _authors(config, corpus, model, histories, chosen)
    environment = TalkPage(
        corpus.name, corpus.language, corpus.pages, None, environment_config, list(agents), articles=corpus.articles
    )
    targets = {one.event.seq: one.event.actor for one in chosen.targets}
    personas = tuple(corpus.personas[user] for user in agents if user in corpus.personas)
    start = min(event.time for event in parts.reference_events(corpus))
    return Place(corpus, parts, Activity(), PlanPolicy(), personas, environment, agents, start, 1.0, 1.0, targets)


def _check(config: RunConfig) -> TalkPageConfig:
    if not isinstance(config.environment, TalkPageConfig):
        raise ConfigError(
            f"experiment=next_turn with environment={config.environment.kind}; it re-enacts Talk pages: take "
            "environment=talk_page, or experiment=community"
        )
    if not config.environment.teacher_forced:
        raise ConfigError(
            "experiment=next_turn with environment.teacher_forced=false; it re-enacts what was said: leave it true, or "
            "take experiment=community"
        )
    return config.environment


def choose(config: RunConfig, corpus: Corpus, histories: Histories) -> Sample:
    """The targets of a run: a function of corpus, condition and the experiment's settings alone.

    Raises:
        CorpusError: none.
    """
    experiment = config.experiment
    assert isinstance(experiment, NextTurnConfig)
    losses: Counter[str] = Counter()
    playable = _playable(config, corpus)
    methods = {name: make_condition(one) for name, one in _conditions(config.condition, experiment).items()}
    found = candidates(corpus, experiment, methods, histories, losses, playable.__contains__)
    return sample(found, corpus, experiment, config.condition.name, losses)


def _conditions(own: ConditionConfig, experiment: NextTurnConfig) -> dict[str, ConditionConfig]:
    """Every condition as eligibility asks it: with its defaults, the run's own as it is, and the least history."""
    union, _ = get_args(ConditionConfig)
    kinds: tuple[type[Any], ...] = get_args(union)
    conditions = {one.name: one for one in (kind() for kind in kinds)} | {own.name: own}
    return {name: _with_least(one, experiment.min_history) for name, one in conditions.items()}


def _with_least(condition: ConditionConfig, least: int) -> ConditionConfig:
    """History is asked for by the experiment and the condition; the higher number counts."""
    if not isinstance(condition, EarlierConfig) or condition.min_history >= least:
        return condition
    return condition.model_copy(update={"min_history": least})


def _playable(config: RunConfig, corpus: Corpus) -> set[str]:
    """Threads that the environment takes as they are recorded, each comment in its place."""
    world = TalkPage(corpus.name, corpus.language, corpus.pages, None, _check(config))
    broken: set[str] = set()
    for seq, (time, event) in enumerate(in_order(list(corpus.utterances()))):
        applied = world.apply(Record(agent=event.actor, based_on=0, event=event), time, seq)
        if not isinstance(applied[0], TextEvent):
            broken.add(event.thread)
    return set(corpus.threads()) - broken


def _authors(
    config: RunConfig, corpus: Corpus, model: Window, histories: Histories, chosen: Sample
) -> dict[str, Author]:
    threads = corpus.threads()
    events = [event for thread in chosen.threads for event in threads[thread]]
    queue = Queue(queue_of(chosen.targets, events))
    make = agent_maker(config.condition, model, PlanPolicy(), config.agents, _sources(config, corpus, histories))

    def as_of(event: TextEvent) -> Persona:
        return at(event, corpus.personas.get(event.actor), histories)

    by_seq = {one.event.seq: one for one in chosen.targets}
    mine: dict[str, list[Candidate]] = {}
    for _, event in in_order(events):
        if event.seq in by_seq:
            mine.setdefault(event.actor, []).append(by_seq[event.seq])
    return {user: Author(user, targets, as_of, make, queue) for user, targets in mine.items()}


def _sources(config: RunConfig, corpus: Corpus, histories: Histories) -> Sources:
    acts = None
    if isinstance(config.condition, ActPlannedConfig):
        acts = RecordedActs(corpus, histories, lambda: _act_annotator(config, corpus), config.condition.smoothing)
    return Sources(lambda: SentenceEncoder(config.annotator.encoder), acts)


def _act_annotator(config: RunConfig, corpus: Corpus) -> Annotator:
    annotator = config.annotator
    if (annotator.acts or annotator.name) == "llm":
        raise ConfigError(
            "condition=act_planned with annotator=llm: its calls aren't recorded, so a replay couldn't draw the acts "
            "again; take annotator.acts=embedded"
        )
    gold = {e.source_id: corpus.gold[e.seq] for e in corpus.utterances() if e.source_id and e.seq in corpus.gold}
    return build_annotators(annotator, gold=gold)["acts"]
