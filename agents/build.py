"""Personas to agents."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from pydantic import Field

from folkmoot.agents.checks import Checks, ChecksConfig
from folkmoot.agents.conditioning import ConditionConfig, Fit, check_personas, make_condition
from folkmoot.agents.conditioning.act_planned import ActPlannedConfig
from folkmoot.agents.conditioning.acts import ActSource
from folkmoot.agents.conditioning.history import HistoryConfig
from folkmoot.agents.conditioning.retrieval import RetrievalConfig
from folkmoot.agents.graph import ModelAgent, compile_graph
from folkmoot.agents.language import language_guesser
from folkmoot.agents.planning import ModelPlanner, PolicyPlanner
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.recalling import Drawn, Nearest, Recaller
from folkmoot.agents.rules import RuleAgent, WaitingAgent
from folkmoot.agents.talk import TalkTools
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Frozen, Persona
from folkmoot.sim.protocols import Agent, Encoder, Message, Sampling

REPAIR_TOKENS = 48
"""Reserved for the reason that a repair adds to the prompt."""


class Window(Protocol):
    """What building needs to know of a language model; every `LanguageModel` offers it."""

    @property
    def window(self) -> int:
        """Context window in tokens."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Prompt tokens of these messages."""


class Sources(NamedTuple):
    """What some conditioning methods need besides the persona.

    Attributes:
        encoder: makes the encoder of `retrieval`; called only where it is needed.
        acts: draws the acts of `act_planned`.
    """

    encoder: Callable[[], Encoder] | None = None
    acts: ActSource | None = None


class AgentsConfig(Frozen):
    """How the agents act (config group `agents`).

    Attributes:
        kind: `model` runs the LangGraph graph; `rules` needs no model; `waiting` awaits one, unchecked.
        plan: who decides what is answered, or done on a feed: the fitted `policy`, or the `model`.
        abstain: trigger -> probability of saying nothing (on a feed: of scrolling past); what isn't given is fitted
            where `fit_abstain`, else 0 (on a feed: the act policy's).
        fit_abstain: take the probabilities of abstaining from the corpus where it allows a fit. Off by default: the
            activity's `react` already says how often an alert leads to an activation; both would thin twice.
        temperature: 0 as in the paper.
        max_tokens: new tokens at most (paper: 1,024); reserved in the window.
        checks: how strict the checks of a written comment are.
    """

    kind: Literal["model", "rules", "waiting"] = "model"
    plan: Literal["policy", "model"] = "policy"
    abstain: dict[Literal["exogenous", "reply", "mention", "watch"], float] = Field(default_factory=dict)
    fit_abstain: bool = False
    temperature: float = Field(default=0.0, ge=0)
    max_tokens: int = Field(default=1024, ge=1)
    checks: ChecksConfig = ChecksConfig()


def build_agents(
    personas: Iterable[Persona],
    condition: ConditionConfig,
    model: Window,
    policy: PlanPolicy,
    config: AgentsConfig,
    sources: Sources | None = None,
) -> dict[str, Agent]:
    """One agent a persona, by id, in the order given.

    Raises:
        ConfigError: a persona lacks what the condition needs, nobody has what it shows, two personas share an id, or
            the window is too small.
    """
    personas = list(personas)
    if config.kind == "model":
        check_personas(make_condition(condition), personas)
    make = agent_maker(condition, model, policy, config, sources)
    return _by_id(make(persona) for persona in personas)


def agent_maker(
    condition: ConditionConfig,
    model: Window,
    policy: PlanPolicy,
    config: AgentsConfig,
    sources: Sources | None = None,
) -> Callable[[Persona], Agent]:
    """Persona -> agent; the agents share graph and tools. The persona is checked when its prompts are made.

    Raises:
        ConfigError: the condition needs a source that isn't given, or the window is too small.
    """
    sampling = Sampling(temperature=config.temperature, max_tokens=config.max_tokens)
    if config.kind == "rules":
        return lambda persona: RuleAgent(persona, policy)
    if config.kind == "waiting":
        return lambda persona: WaitingAgent(persona, policy, sampling)
    tools = make_tools(condition, model, policy, config, sources)
    graph = compile_graph()
    return lambda persona: ModelAgent(persona, graph, tools)


def make_tools(
    condition: ConditionConfig,
    model: Window,
    policy: PlanPolicy,
    config: AgentsConfig,
    sources: Sources | None = None,
) -> TalkTools:
    """What all model-driven agents of a population share.

    Raises:
        ConfigError: the condition needs a source that isn't given, or the window is too small.
    """
    method, recaller = make_condition(condition), recaller_of(condition, sources or Sources())
    fit = fit_of(condition, model, config)
    by_model = ModelPlanner(policy, method, fit, config.temperature, recaller)
    return TalkTools(
        condition=method,
        planner=by_model if config.plan == "model" else PolicyPlanner(policy),
        checks=Checks(config.checks, None if config.checks.language == "off" else language_guesser()),
        fit=fit,
        sampling=Sampling(temperature=config.temperature, max_tokens=config.max_tokens),
        remember=isinstance(condition, HistoryConfig) and condition.remember,
        recaller=recaller,
        acts=_acts(condition, sources or Sources()),
    )


def fit_of(condition: ConditionConfig, model: Window, config: AgentsConfig) -> Fit:
    """The limit of prompts, and how to count.

    Raises:
        ConfigError: the window is too small.
    """
    slack = REPAIR_TOKENS if config.checks.repair else 0
    return Fit(prompt_limit(condition, model.window, config.max_tokens + slack), model.count_tokens, slack)


def recaller_of(condition: ConditionConfig, sources: Sources) -> Recaller | None:
    """Who chooses earlier comments; None where the conditioning method shows none.

    Raises:
        ConfigError: it needs an encoder and none is given.
    """
    if isinstance(condition, HistoryConfig):
        return Drawn(condition.most)
    if not isinstance(condition, RetrievalConfig):
        return None
    if sources.encoder is None:
        raise ConfigError("condition 'retrieval' needs an encoder and none was given; use condition=history")
    return Nearest(condition.most, sources.encoder())


def _acts(condition: ConditionConfig, sources: Sources) -> ActSource | None:
    if not isinstance(condition, ActPlannedConfig):
        return None
    if sources.acts is None:
        raise ConfigError(
            "condition 'act_planned' draws from the acts of recorded comments, which this experiment doesn't label; "
            "use experiment=next_turn, or another condition"
        )
    return sources.acts


def prompt_limit(condition: ConditionConfig, window: int, reserved: int) -> int:
    """Most prompt tokens: the window less the reserved ones, or the condition's own bound where that is lower.

    Raises:
        ConfigError: nothing is left.
    """
    room = window - reserved
    if room < 1:
        raise ConfigError(
            f"agents.max_tokens and the repair reserve {reserved} tokens, which leaves {room} "
            f"of the model's window of {window} tokens for the prompt, "
            "at least 1 is needed; lower agents.max_tokens"
        )
    return room if condition.max_prompt_tokens is None else min(room, condition.max_prompt_tokens)


def _by_id(agents: Iterable[Agent]) -> dict[str, Agent]:
    found: dict[str, Agent] = {}
    for agent in agents:
        if agent.id in found:
            raise ConfigError(f"two personas have the id {agent.id!r}; ids must differ")
        found[agent.id] = agent
    return found
