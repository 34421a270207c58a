"""From a config to communities ready to run: corpus, split, fitted parameters, environment, people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkmoot.agents.build import Sources, Window, build_agents
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.agents.policy import PlanPolicy
from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.feed_split import is_feed
from folkmoot.environments.corpora.splits import Split, split
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.environments.talk_page.rules import TalkPageConfig
from folkmoot.sim.activity import DAY, Activity
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.activities import activity_of, check_rates
from folkmoot.sim.experiments.settings import (
    BuiltCorpus,
    CommunityConfig,
    CorpusConfig,
    DemoCorpus,
    DemoFeedCorpus,
    NextTurnConfig,
    RunConfig,
)
from folkmoot.sim.instants import setting_instant
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Agent
from folkmoot.sim.turn import World


@dataclass(slots=True)
class Place:
    """One community, ready to run.

    Attributes:
        start: when the simulation begins, ms.
        targets: teacher-forced: corpus seq of a comment -> agent that writes a candidate for it; None: of all that
            have a persona and a comment before them.
        frozen: fitted parameters, as the manifest keeps them.
    """

    corpus: Corpus
    split: Split
    activity: Activity
    policy: PlanPolicy | FeedPolicy
    personas: tuple[Persona, ...]
    environment: TalkPage | SocialFeed
    agents: Mapping[str, Agent]
    start: int
    days: float
    rate_scale: float
    targets: Mapping[int, str] | None = None

    @property
    def name(self) -> str:
        """The community's name."""
        return self.corpus.name

    @property
    def world(self) -> World:
        """What the kernel runs.

        Raises:
            ConfigError: a person would look oftener than `MOST_LOOKS` times a day.
        """
        rates = {
            p.id: (self.activity.rate_per_day if p.rate_per_day is None else p.rate_per_day) * self.rate_scale
            for p in self.personas
        }
        check_rates(rates, self.rate_scale)
        return World(self.environment, self.agents, self.activity, rates)

    @property
    def frozen(self) -> dict[str, Any]:
        """What the manifest keeps: another machine repeats these, whatever its own fit would say."""
        return {
            "corpus": self.corpus.digest,
            "language": self.corpus.language,
            "activity": self.activity.model_dump(mode="json"),
            "policy": self.policy.parameters(),
            "personas": len(self.personas),
            "losses": dict(self.corpus.losses),
            "split": self.split.facts,
            "start": self.start,
            "days": self.days,
            "rate_scale": self.rate_scale,
        }


def load(config: CorpusConfig) -> list[Corpus]:
    """The communities of a config.

    Raises:
        CorpusError: one can't be read.
    """
    if isinstance(config, DemoCorpus):
        from folkmoot.environments.corpora.demo import load_demo

        return [load_demo(lang) for lang in dict.fromkeys(config.languages)]
    if isinstance(config, DemoFeedCorpus):
        from folkmoot.environments.corpora.demo_feed import load_demo_feed

        return [load_demo_feed(lang) for lang in dict.fromkeys(config.languages)]
    if isinstance(config, BuiltCorpus):
        from folkmoot.environments.corpora.built import find_stores, load_built

        stores = find_stores(Path(config.path).expanduser(), config.languages)
        built = [load_built(store.path, config.max_threads) for store in stores]
        return built if config.interests is None else _interested(built, Path(config.interests).expanduser())
    from folkmoot.environments.corpora.pseudonyms import find_salt
    from folkmoot.environments.corpora.wikitext import load_wikitext

    salt = find_salt(Path(config.salt_file) if config.salt_file else None)
    return [load_wikitext(Path(config.path).expanduser(), config.lang, salt)]


def _interested(corpora: Sequence[Corpus], file: Path) -> list[Corpus]:
    """The corpora, their personas with the profiles of a file."""
    from folkmoot.environments.corpora.interests import with_interests
    from folkmoot.metrics.profile.gold import read_gold

    profiles = read_gold(file)
    if not any(user in corpus.personas for corpus in corpora for user in profiles):
        raise CorpusError(
            f"{file}: none of its {len(profiles)} profiles is of a user in {', '.join(c.name for c in corpora)}; "
            "make it from this corpus (folkmoot profile gold --from)"
        )
    return [with_interests(corpus, profiles) for corpus in corpora]


def prepare(config: RunConfig, model: Window, frozen: Mapping[str, Any] | None = None) -> list[Place]:
    """Communities ready to run.

    Args:
        config: the run's.
        model: for the window that prompts are fitted to.
        frozen: community -> parameters of a manifest; None fits them.

    Raises:
        CorpusError, ConfigError: the corpus doesn't give what the config asks for.
    """
    if isinstance(config.experiment, NextTurnConfig):
        from folkmoot.sim.experiments.next_turn import prepare_targets

        making = prepare_targets
    elif isinstance(config.environment, SocialFeedConfig):
        from folkmoot.sim.experiments.feed_places import prepare_feed

        making = prepare_feed
    else:
        making = _prepare
    corpora = load(config.corpus)
    for corpus in corpora:
        _suits(config, corpus)
    return [making(config, corpus, model, _frozen(frozen, corpus.name)) for corpus in corpora]


def _suits(config: RunConfig, corpus: Corpus) -> None:
    """A feed's corpus goes with a feed, Talk pages with Talk pages.

    Raises:
        ConfigError: it doesn't.
    """
    feed = is_feed(corpus)
    if feed == isinstance(config.environment, SocialFeedConfig):
        return
    holds, wants = ("posts of a feed", "social_feed") if feed else ("comments of Talk pages", "talk_page")
    raise ConfigError(
        f"{corpus.name} holds {holds}, environment={config.environment.kind} can't run it; take environment={wants}, "
        f"or another corpus: {'corpus=demo' if feed else 'corpus=demo_feed'}"
    )


def _frozen(frozen: Mapping[str, Any] | None, name: str) -> Mapping[str, Any] | None:
    if frozen is None:
        return None
    if name not in frozen:
        raise CorpusError(f"the run's manifest holds {', '.join(frozen) or 'nothing'}, not {name!r}; start a new run")
    found: Mapping[str, Any] = frozen[name]
    return found


def _prepare(config: RunConfig, corpus: Corpus, model: Window, frozen: Mapping[str, Any] | None) -> Place:
    experiment = config.experiment
    assert isinstance(experiment, CommunityConfig)  # told apart in `prepare`
    parts = split(corpus, config.population)
    past = _past(corpus, parts)
    if frozen is None:
        activity = activity_of(past, corpus.timezone, config.activity)
        scale = _rate_scale(config, parts, past, activity)
        policy = PlanPolicy.fit([e for thread in past for e in thread], abstain=_abstain(config))
    else:
        check_corpus(corpus, frozen)
        activity = check(Activity, frozen["activity"])
        scale = float(frozen["rate_scale"])
        policy = PlanPolicy.from_parameters(frozen["policy"])
    personas = most_active(tuple(parts.personas.values()), config.population.most)
    if not personas:
        raise CorpusError(
            f"{corpus.name}: 0 personas; at least 1 is needed: see population.min_history for who qualifies"
        )
    names = [persona.id for persona in personas]
    watched = _watchlists(past, names)
    assert isinstance(config.environment, TalkPageConfig)  # told apart in `prepare`
    environment = TalkPage(
        corpus.name, corpus.language, corpus.pages, watched, config.environment, names, articles=corpus.articles
    )
    sources = Sources(lambda: SentenceEncoder(config.annotator.encoder))
    agents = build_agents(personas, config.condition, model, policy, config.agents, sources)
    start = start_of(experiment.start, max(event.time for event in corpus.events))
    days = experiment.days or days_of(parts.reference_events(corpus))
    return Place(corpus, parts, activity, policy, personas, environment, agents, start, days, scale)


def _past(corpus: Corpus, parts: Split) -> list[list[TextEvent]]:
    """The threads that rates and the policy are fitted from: never the reference population."""
    reference = set(parts.reference)
    threads = [thread for name, thread in corpus.threads().items() if name not in reference]
    return [[e for e in thread if parts.before is None or e.time < parts.before] for thread in threads]


def _watchlists(past: Sequence[Sequence[TextEvent]], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """People watch the pages that they have written on; who has written on none sees all and is called to none."""
    pages: dict[str, dict[str, None]] = {name: {} for name in names}
    for thread in past:
        for event in thread:
            if event.actor in pages:
                pages[event.actor][event.page] = None  # type: ignore[attr-defined]
    return {name: tuple(titles) for name, titles in pages.items() if titles}


def _rate_scale(config: RunConfig, parts: Split, past: Sequence[Sequence[TextEvent]], activity: Activity) -> float:
    if config.activity.rate_scale is not None:
        return config.activity.rate_scale
    own = sum(p.rate_per_day or 0 for p in parts.personas.values())
    if parts.before is None or not own:
        return 1.0
    people = len({event.actor for thread in past for event in thread})
    return round(max(1.0, activity.rate_per_day * people / own), 6)


def days_of(reference: Sequence[TextEvent]) -> float:
    """From the first to the last comment of the reference population, a day at least."""
    times = [event.time for event in reference]
    return round(max(1.0, (max(times) - min(times)) / DAY), 6)


def _abstain(config: RunConfig) -> dict[str, float]:
    given: dict[str, float] = {trigger: p for trigger, p in config.agents.abstain.items()}  # noqa: C416 -- widens the keys
    if config.agents.fit_abstain:
        return given
    return {"exogenous": 0.0, "reply": 0.0, "mention": 0.0, "watch": 0.0} | given


def check_corpus(corpus: Corpus, frozen: Mapping[str, Any]) -> None:
    """Make sure that a manifest's corpus is this one.

    Raises:
        CorpusError: its digest differs.
    """
    if frozen["corpus"] != corpus.digest:
        raise CorpusError(
            f"{corpus.name}: the corpus has digest {corpus.digest}, the run began with {frozen['corpus']}; "
            "give back the corpus (and the salt) that it began with, or start a new run"
        )


def most_active(personas: tuple[Persona, ...], most: int | None) -> tuple[Persona, ...]:
    """So many of the personas, the most active ones, in their own order; None: all."""
    if most is None or len(personas) <= most:
        return personas
    ranked = sorted(personas, key=lambda p: (-(p.rate_per_day or 0), -p.history_size, p.id))[:most]
    kept = {p.id for p in ranked}
    return tuple(p for p in personas if p.id in kept)


def start_of(given: str | None, usual: int) -> int:
    """When the simulation begins, milliseconds: the instant given (ISO, UTC), else the usual one.

    Raises:
        ConfigError: it isn't an instant.
    """
    return usual if given is None else setting_instant("experiment.start", given)
