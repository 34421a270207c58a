"""A community's feed, ready to run: corpus cut at an instant, fitted act policy, follow graph, people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkmoot.agents.build import Sources, Window
from folkmoot.agents.feed.build import build_feed_agents
from folkmoot.agents.feed.fitting import fit
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.feed.taste import Taste, tags_of
from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.feed_split import FeedSplit, split_feed
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.environments.social_feed.graphs import Made, make_follows
from folkmoot.environments.social_feed.rankings import Ranking, needs_vectors
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.sim.activity import Activity
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.activities import activity_of
from folkmoot.sim.experiments.places import Place, check_corpus, days_of, most_active, start_of
from folkmoot.sim.experiments.settings import CommunityConfig, RunConfig
from folkmoot.sim.interventions import SwitchRanking
from folkmoot.sim.persona import Persona

THINK_S = 300.0
"""Mean think time at most, seconds, where none is set: a post is written in minutes. What else goes by before a reply
is the time until somebody looks, and the rates say how often people look."""


def prepare_feed(config: RunConfig, corpus: Corpus, model: Window, frozen: Mapping[str, Any] | None) -> Place:
    """A feed ready to run, from the instant of its split on.

    Raises:
        CorpusError, ConfigError: the corpus doesn't give what the config asks for.
    """
    experiment, rules = config.experiment, config.environment
    assert isinstance(experiment, CommunityConfig)  # told apart in `places.prepare`
    assert isinstance(rules, SocialFeedConfig)
    if rules.teacher_forced:
        raise ConfigError("environment.teacher_forced=true: people of a feed act freely; leave it false")
    parts = split_feed(corpus, config.population)
    personas = most_active(tuple(parts.personas.values()), config.population.most)
    activity, policy = _fitted(config, corpus, parts, personas) if frozen is None else _given(corpus, frozen)
    scale = _rate_scale(config, policy) if frozen is None else float(frozen["rate_scale"])
    sources = Sources(lambda: SentenceEncoder(config.annotator.encoder))
    agents = build_feed_agents(personas, config.condition, model, policy, config.agents, sources)
    world = _feed(config, corpus, parts, personas, rules)
    start = start_of(experiment.start, parts.instant)
    days = experiment.days or days_of(parts.reference_events(corpus))
    return Place(corpus, parts, activity, policy, personas, world, agents, start, days, scale)


def _fitted(
    config: RunConfig, corpus: Corpus, parts: FeedSplit, personas: Sequence[Persona]
) -> tuple[Activity, FeedPolicy]:
    """From what happened before the instant: never from the reference."""
    threads: dict[str, list[TextEvent]] = {}
    for event in sorted(parts.history_events(corpus), key=lambda event: (event.time, event.seq)):
        threads.setdefault(event.thread, []).append(event)
    activity = activity_of(list(threads.values()), corpus.timezone, config.activity, watch_share=0.0)
    if "think" not in config.activity.set and activity.think.mean_s > THINK_S:
        activity = activity.model_copy(update={"think": activity.think.model_copy(update={"mean_s": THINK_S})})
    policy = fit(parts.past(corpus), {persona.id: Taste(persona.interests) for persona in personas})
    scrolling: dict[str, float] = {trigger: share for trigger, share in config.agents.abstain.items()}  # noqa: C416 -- widens the keys
    return activity, policy.with_scrolling(scrolling) if scrolling else policy


def _given(corpus: Corpus, frozen: Mapping[str, Any]) -> tuple[Activity, FeedPolicy]:
    check_corpus(corpus, frozen)
    return check(Activity, frozen["activity"]), FeedPolicy.from_parameters(frozen["policy"])


def _rate_scale(config: RunConfig, policy: FeedPolicy) -> float:
    """Rates are posts a day; a look leaves a post only so often, so people look that much oftener."""
    if config.activity.rate_scale is not None:
        return config.activity.rate_scale
    return round(1 / max(policy.leaves_posts, 0.01), 6)


def _feed(
    config: RunConfig, corpus: Corpus, parts: FeedSplit, personas: Sequence[Persona], rules: SocialFeedConfig
) -> SocialFeed:
    made = follows_of(config, corpus, parts)
    posting = (event.actor for event in parts.history_events(corpus))
    named = (user for edge in made.edges for user in edge)
    users = list(dict.fromkeys([*(persona.id for persona in personas), *posting, *named]))
    rankings = [rules.ranking, *_later(config)]
    encoder = SentenceEncoder(config.annotator.encoder) if any(map(needs_vectors, rankings)) else None
    profiles = {persona.id: _profile(persona) for persona in personas}
    return SocialFeed(
        corpus.name, corpus.language, users, made.edges, rules, encoder=encoder, profiles=profiles, seed=config.seed
    )


def _later(config: RunConfig) -> Iterator[Ranking]:
    """The rankings that the run will switch to.

    Raises:
        ConfigError: there is no such ranking.
    """
    for number, planned in enumerate(config.interventions):
        if isinstance(planned, SwitchRanking):
            yield check(SocialFeedConfig, {"ranking": planned.ranking}, f"interventions.{number}").ranking


def follows_of(config: RunConfig, corpus: Corpus, parts: FeedSplit) -> Made:
    """The follow graph that a run starts with.

    Raises:
        ConfigError: it can't be made.
    """
    rules = config.environment
    assert isinstance(rules, SocialFeedConfig)
    personas = most_active(tuple(parts.personas.values()), config.population.most)
    return make_follows(rules.follows, personas, parts.follows(corpus), config.seed)


def _profile(persona: Persona) -> str:
    """What a ranking by interest compares posts with."""
    return ", ".join(tags_of(persona.interests)) or persona.profile
