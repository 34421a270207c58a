"""Personas to people on a feed."""

from collections.abc import Callable, Iterable

from folkmoot.agents.build import AgentsConfig, Sources, Window, fit_of, recaller_of
from folkmoot.agents.checks import Checks
from folkmoot.agents.conditioning import ConditionConfig, check_personas, make_condition
from folkmoot.agents.conditioning.act_planned import ActPlannedConfig
from folkmoot.agents.feed.compose import PAGE
from folkmoot.agents.feed.planning import FeedModelPlanner, FeedPolicyPlanner, Tastes
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.feed.rules import FeedRuleAgent
from folkmoot.agents.feed.tools import Blocks, FeedTools
from folkmoot.agents.graph import ModelAgent, compile_graph
from folkmoot.agents.language import language_guesser
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Agent, Sampling


def build_feed_agents(
    personas: Iterable[Persona],
    condition: ConditionConfig,
    model: Window,
    policy: FeedPolicy,
    config: AgentsConfig,
    sources: Sources | None = None,
) -> dict[str, Agent]:
    """One agent a persona, by id, in the order given.

    Raises:
        ConfigError: a persona lacks what the condition needs, nobody has what it shows, the condition isn't one for
            feeds, or the window is too small.
    """
    personas = list(personas)
    make = _maker(condition, model, policy, config, sources or Sources())
    if config.kind == "model":
        check_personas(make_condition(condition), personas)
    return {persona.id: make(persona) for persona in personas}


def _maker(
    condition: ConditionConfig, model: Window, policy: FeedPolicy, config: AgentsConfig, sources: Sources
) -> Callable[[Persona], Agent]:
    if config.kind == "rules":
        return lambda persona: FeedRuleAgent(persona, policy)
    if config.kind == "waiting":
        raise ConfigError("agents=waiting is for Talk pages; on a feed use agents=model or agents=rules")
    tools, graph = feed_tools(condition, model, policy, config, sources), compile_graph()
    return lambda persona: ModelAgent(persona, graph, tools)


def feed_tools(
    condition: ConditionConfig,
    model: Window,
    policy: FeedPolicy,
    config: AgentsConfig,
    sources: Sources | None = None,
) -> FeedTools:
    """What all model-driven people of a feed share.

    Raises:
        ConfigError: the condition isn't one for feeds or needs a source that isn't given, or the window is too small.
    """
    if isinstance(condition, ActPlannedConfig):
        raise ConfigError("condition 'act_planned' is for next turns on Talk pages; on a feed use condition=interests")
    fit, who = fit_of(condition, model, config), Blocks(make_condition(condition))
    by_policy = FeedPolicyPlanner(policy, Tastes())
    page = PAGE if condition.max_comments is None else condition.max_comments
    by_model = FeedModelPlanner(by_policy, fit, who, config.temperature, page)
    return FeedTools(
        who=who,
        planner=by_model if config.plan == "model" else by_policy,
        checks=Checks(config.checks, None if config.checks.language == "off" else language_guesser()),
        fit=fit,
        sampling=Sampling(temperature=config.temperature, max_tokens=config.max_tokens),
        recaller=recaller_of(condition, sources or Sources()),
        page=page,
    )
