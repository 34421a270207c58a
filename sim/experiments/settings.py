"""The typed config of a run: what conf/ composes, checked once."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from folkmoot.agents.build import AgentsConfig
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.llm.build import LLMConfig
from folkmoot.environments.corpora.splits import SplitSettings
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.environments.talk_page.rules import TalkPageConfig
from folkmoot.metrics.annotators.build import AnnotatorConfig
from folkmoot.metrics.fidelity.live_config import FidelityMonitorConfig
from folkmoot.metrics.monitors import MonitorConfig
from folkmoot.metrics.recovery.config import RecoveryMonitorConfig
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.profile_settings import DialogueConfig, ProfileConfig
from folkmoot.sim.interventions import Intervention
from folkmoot.sim.persona import Frozen
from folkmoot.sim.tracking import TrackingConfig


class DemoCorpus(Frozen):
    """The communities that ship with Folkmoot; several languages make one run of several communities."""

    kind: Literal["demo"] = "demo"
    lang: str | tuple[str, ...] = "en"

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages asked for."""
        return (self.lang,) if isinstance(self.lang, str) else self.lang


class DemoFeedCorpus(Frozen):
    """The feeds that ship with Folkmoot: fictional people with timelines and known interests."""

    kind: Literal["demo_feed"] = "demo_feed"
    lang: str | tuple[str, ...] = "en"

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages asked for."""
        return (self.lang,) if isinstance(self.lang, str) else self.lang


class WikitextCorpus(Frozen):
    """Raw Talk pages: a file or a folder.

    Attributes:
        lang: ISO 639-1 code; None: detected.
        salt_file: of the pseudonyms; None: FOLKMOOT_SALT, else a file of the user's own.
    """

    kind: Literal["wikitext"] = "wikitext"
    path: str
    lang: str | None = None
    salt_file: str | None = None


class BuiltCorpus(Frozen):
    """A corpus made by `folkmoot corpus build`, or a folder of several: a community each.

    Attributes:
        lang: of several, only these languages (ISO 639-1); None: all.
        max_threads: of each, at most so many of the kept threads, the latest; None: all, in memory.
        interests: a file of profiles (`folkmoot profile verified`, or `proposed.jsonl` of `folkmoot profile gold`) that
            its personas get; None: what the source says of them.
    """

    kind: Literal["built"] = "built"
    path: str
    lang: str | tuple[str, ...] | None = None
    max_threads: int | None = Field(default=2_000, ge=3)
    interests: str | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages asked for; none: all."""
        return (self.lang,) if isinstance(self.lang, str) else self.lang or ()


class CommunityConfig(Frozen):
    """The `community` experiment.

    Attributes:
        days: simulated days; None: as long as the reference population's threads lasted.
        start: ISO instant, UTC; None: the corpus's last instant.
        openings: threads start from `recorded` openings, or from `none`.
    """

    name: Literal["community"] = "community"
    days: float | None = Field(default=7, gt=0)
    start: str | None = None
    openings: Literal["recorded", "none"] = "recorded"


class NextTurnConfig(Frozen):
    """The `next_turn` experiment (Wiki-Talkie, section 4): real comments so far in, the author's next comment out.

    Attributes:
        max_threads: sampled threads of a community; None: all (paper: 5,000).
        max_targets: comments to write in all, for smaller runs; None: all of the sampled threads.
        min_comments: comments that an author has in the corpus, at least.
        min_history: earlier comments in other threads that a target's author has, for methods that need some.
        since: targets are comments from this instant on, ms since the epoch, as `personas.until` of a built corpus;
            None: of any time.
        women_share: the sample takes comments by women up to this share.
        targets: `own`: all that this run's condition can be used for; `common`: those that every condition can be
            used for, of the conditions that the corpus allows.
        sample_seed: names the sample, so that runs with other seeds meet the same targets.
    """

    name: Literal["next_turn"] = "next_turn"
    max_threads: int | None = Field(default=5000, ge=1)
    max_targets: int | None = Field(default=None, ge=1)
    min_comments: int = Field(default=6, ge=1)
    min_history: int = Field(default=5, ge=1)
    since: int | None = None
    women_share: float = Field(default=0.5, ge=0, le=1)
    targets: Literal["own", "common"] = "own"
    sample_seed: int = Field(default=1, ge=0)


class FidelityConfig(Frozen):
    """The `persona_fidelity` experiment (PRISM): a benchmark scored by one method.

    Attributes:
        benchmark: what the file is, in tables.
        data: a benchmark file (`folkmoot fidelity build` makes them).
        lang: of prompts and label texts.
        method: how responses are scored.
        rubric: points of the holistic judges.
        temperature: of the holistic judges; above 0 the mean of `samples` answers.
        samples: answers above temperature 0.
        permutations: label orders of a prism prompt, 1 (the paper) to 6 (no position bias).
        show_persona: prism shows the persona in the prompt too (an ablation).
        max_groups: score so many groups, drawn at random; None: all.
        alignment_model: hub name or local path, for method=alignment.
        draws: of the intervals.
    """

    name: Literal["persona_fidelity"] = "persona_fidelity"
    benchmark: Literal["easy", "hard", "social"] = "easy"
    data: str
    lang: str = "en"
    method: Literal["prism", "vanilla", "cot", "pairwise", "alignment"] = "prism"
    rubric: Literal[5, 7] = 5
    temperature: float = Field(default=0.0, ge=0)
    samples: int = Field(default=3, ge=1)
    permutations: int = Field(default=1, ge=1, le=6)
    show_persona: bool = False
    max_groups: int | None = Field(default=None, ge=1)
    alignment_model: str = ""
    draws: int = Field(default=1000, ge=10)


class ActivityConfig(Frozen):
    """How activity comes about.

    Attributes:
        think_sigma: spread of think times, of log-normal shape with this sigma; None: the fitted shape.
        rate_scale: scales all rates; None: 1, and for raw pages such that the personas are together as active
            as all people of the page were, since only those with a history become personas. What a person comes
            to by it is bounded too (`activities.MOST_LOOKS`).
        set: fields of `sim.activity.Activity` set by hand, over the fitted ones.
    """

    family: Literal["auto", "exponential", "lognormal", "power_law", "empirical"] = "auto"
    think_share: float = Field(default=0.5, ge=0, le=1)
    think_sigma: float | None = Field(default=None, gt=0)
    rate_scale: float | None = Field(default=None, ge=0, le=1000)
    set: dict[str, Any] = Field(default_factory=dict)


class Population(SplitSettings):
    """Which part of the corpus supplies history, openings and the reference population, and how many act.

    Attributes:
        most: at most so many personas, the most active ones; None: all.
    """

    most: int | None = Field(default=None, ge=1)


class Budget(Frozen):
    """Where a run stops, resumable: simulated comments, seconds of wall-clock time, tokens, US dollars."""

    max_comments: int | None = Field(default=None, ge=1)
    wall_s: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, ge=1)
    cost: float | None = Field(default=None, gt=0)


ExperimentConfig = Annotated[
    CommunityConfig | NextTurnConfig | FidelityConfig | ProfileConfig | DialogueConfig, Field(discriminator="name")
]
"""The config group `experiment`."""


EnvironmentConfig = Annotated[TalkPageConfig | SocialFeedConfig, Field(discriminator="kind")]
"""The config group `environment`; a feed's holds the group `ranking`."""

CorpusConfig = Annotated[DemoCorpus | DemoFeedCorpus | WikitextCorpus | BuiltCorpus, Field(discriminator="kind")]
"""The config group `corpus`."""


SHORT = (
    *("benchmark", "data", "method", "rubric", "temperature", "permutations"),
    *("setting", "prompt", "input", "context", "intent"),
)
"""Short names at the top of a composed config, for the command line; `experiment` holds their values."""


class Monitoring(Frozen):
    """The monitors of a run; None: it isn't watched."""

    acts: MonitorConfig | None = None
    sentiment: MonitorConfig | None = None
    text: MonitorConfig | None = None
    threads: MonitorConfig | None = None
    network: MonitorConfig | None = None
    fidelity: FidelityMonitorConfig | None = None
    recovery: RecoveryMonitorConfig | None = None

    @property
    def families(self) -> dict[str, MonitorConfig]:
        """Those that compare with the real side, by family."""
        return {name: one for name, one in self if isinstance(one, MonitorConfig)}


class RunConfig(Frozen):
    """All of a run.

    Attributes:
        keep_prompts: write each call's prompt beside the log, for `folkmoot show --event`; without it calls.jsonl
            is a small part as long and a replay works all the same.
    """

    seed: int = Field(default=1, ge=0)
    name: str = ""
    on_failure: Literal["stop", "abstain"] = "stop"
    live: Literal["auto", "on", "off"] = "auto"
    dry_run: bool = False
    keep_prompts: bool = True
    budget: Budget = Budget()
    interventions: tuple[Intervention, ...] = ()
    experiment: ExperimentConfig = CommunityConfig()
    environment: EnvironmentConfig = TalkPageConfig()
    corpus: CorpusConfig = DemoCorpus()
    population: Population = Population()
    agents: AgentsConfig = AgentsConfig()
    activity: ActivityConfig = ActivityConfig()
    condition: ConditionConfig
    llm: LLMConfig
    annotator: AnnotatorConfig
    monitor: Monitoring = Monitoring()
    tracking: TrackingConfig

    @model_validator(mode="before")
    @classmethod
    def _without_short_names(cls, values: Any) -> Any:
        return {key: value for key, value in values.items() if key not in SHORT} if isinstance(values, dict) else values

    @model_validator(mode="before")
    @classmethod
    def _kinds_by_name(cls, values: Any) -> Any:
        """A feed's `environment.ranking=popular` is what `ranking=popular` is: that kind as it is by default."""
        place = values.get("environment") if isinstance(values, dict) else None
        if not isinstance(place, dict):
            return values
        named = {key: {"kind": place[key]} for key in ("ranking", "follows") if isinstance(place.get(key), str)}
        return {**values, "environment": {**place, **named}}

    @model_validator(mode="before")
    @classmethod
    def _goes_together(cls, values: Any) -> Any:
        """What is for one kind of place is told before its keys are found to be unknown in another."""
        place = values.get("environment") if isinstance(values, dict) else None
        if not isinstance(place, dict):
            return values
        kind, experiment, monitors = place.get("kind"), values.get("experiment"), values.get("monitor")
        if kind == "talk_page" and isinstance(monitors, dict) and monitors.get("recovery"):
            raise ConfigError(
                "monitor=recovery reads interests off a feed's posts; take environment=social_feed with it"
            )
        for key in ("ranking", "follows"):
            if kind == "talk_page" and key in place:
                raise ConfigError(f"{key} is a feed's; take environment=social_feed with it")
        if kind == "social_feed" and isinstance(experiment, dict) and experiment.get("name") == "next_turn":
            raise ConfigError("experiment=next_turn re-enacts Talk pages; take environment=talk_page and their corpus")
        return values
