"""Personas to agents."""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from pydantic import Field

from folkmoot.agents.checks import Checks, ChecksConfig
from folkmoot.agents.conditioning import ConditionConfig, Fit, make_condition
from folkmoot.agents.conditioning.history import HistoryConfig
from folkmoot.agents.graph import ModelAgent, compile_graph
from folkmoot.agents.language import language_guesser
from folkmoot.agents.planning import ModelPlanner, PolicyPlanner
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.rules import RuleAgent, WaitingAgent
from folkmoot.agents.stages import Tools
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Frozen, Persona
from folkmoot.sim.protocols import Agent, Message, Sampling

REPAIR_TOKENS = 48
"""Reserved for the reason that a repair adds to the prompt."""


class Window(Protocol):
    """What building needs to know of a language model; every `LanguageModel` offers it."""

    @property
    def window(self) -> int:
        """Context window in tokens."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Prompt tokens of these messages."""


class AgentsConfig(Frozen):
    """How the agents act (config group `agents`).

    Attributes:
        kind: `model` runs the LangGraph graph; `rules` needs no model; `waiting` awaits one, unchecked.
        plan: who decides what is answered: the fitted `policy`, or the `model`.
        abstain: trigger -> probability of saying nothing; what isn't given is fitted where `fit_abstain`, else 0.
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
) -> dict[str, Agent]:
    """One agent a persona, by id, in the order given.

    Raises:
        ConfigError: a persona lacks what the condition shows, two personas share an id, or the window is too small.
    """
    sampling = Sampling(temperature=config.temperature, max_tokens=config.max_tokens)
    if config.kind == "rules":
        return _by_id(RuleAgent(persona, policy) for persona in personas)
    if config.kind == "waiting":
        return _by_id(WaitingAgent(persona, policy, sampling) for persona in personas)
    tools = make_tools(condition, model, policy, config)
    personas = list(personas)
    for persona in personas:
        tools.condition.check(persona)
    graph = compile_graph()
    return _by_id(ModelAgent(persona, graph, tools) for persona in personas)


def make_tools(condition: ConditionConfig, model: Window, policy: PlanPolicy, config: AgentsConfig) -> Tools:
    """What all model-driven agents of a population share."""
    slack = REPAIR_TOKENS if config.checks.repair else 0
    return Tools(
        condition=make_condition(condition),
        planner=ModelPlanner(policy) if config.plan == "model" else PolicyPlanner(policy),
        checks=Checks(config.checks, None if config.checks.language == "off" else language_guesser()),
        fit=Fit(prompt_limit(condition, model.window, config.max_tokens + slack), model.count_tokens, slack),
        sampling=Sampling(temperature=config.temperature, max_tokens=config.max_tokens),
        remember=isinstance(condition, HistoryConfig) and condition.remember,
        most=condition.max_history if isinstance(condition, HistoryConfig) else 0,
    )


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
