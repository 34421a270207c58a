"""What a run will take, before it starts: no call is made."""

from collections.abc import Sequence
from typing import Any

from folkmoot.agents.llm.embedded import EmbeddedConfig
from folkmoot.agents.llm.scripted import ScriptedConfig
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.recovery_watch import people_of
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.protocols import LanguageModel, Message

PROMPT_OVERHEAD = 350
"""Tokens of our own words in a prompt, about."""

EMBEDDED_NEW_PER_S = 100.0
EMBEDDED_PROMPT_PER_S = 500.0
"""Tokens a second of the embedded model on two cores with AVX2, eight calls in flight (docs/benchmarks.md)."""


def estimate(config: RunConfig, places: Sequence[Place], model: LanguageModel) -> dict[str, Any]:
    """Expected activations, calls, tokens and time; `seconds` is None where a backend's speed isn't known."""
    expected = sum(_activations(place) for place in places)
    limit = config.budget.max_comments
    calls = round(expected if limit is None else min(expected, limit * 1.1))
    prompt = calls * _prompt_tokens(config, places, model)
    new = calls * config.agents.max_tokens
    return {
        "communities": [place.name for place in places],
        "agents": sum(len(place.agents) for place in places),
        "activations_expected": round(expected),
        "calls_expected": calls,
        "prompt_tokens_about": prompt,
        "new_tokens_at_most": new,
        "seconds_about": _seconds(config, calls, prompt, new),
        **_scoring(config, calls),
        **_recovering(config, places, calls),
    }


def _scoring(config: RunConfig, comments: int) -> dict[str, int]:
    """Label prompts of `monitor=fidelity`, which come on top; nothing where it isn't chosen."""
    watch = config.monitor.fidelity
    if watch is None:
        return {}
    each = len(DIMENSIONS) * watch.permutations * (1 + watch.swap_share)
    return {"fidelity_prompts_about": round(comments * watch.share * each)}


def _recovering(config: RunConfig, places: Sequence[Place], posts: int) -> dict[str, int]:
    """Calls of `monitor=recovery`, which come on top; repairs aren't foreseen.

    Who hasn't posted since the last point isn't asked about again, so there are no more profiles than posts.
    """
    watch = config.monitor.recovery
    if watch is None:
        return {}
    days = max(place.days for place in places)
    points = 1 + posts // watch.every_posts + (int(days / watch.every_days) if watch.every_days else 0)
    people = [user for place in places for user in people_of(watch, place)[0]]
    theirs = posts * len(people) // max(1, sum(len(place.personas) for place in places))
    simulated = min(points * len(people), theirs) + (min(len(people), theirs) if watch.same_size else 0)
    judged = 1 + watch.swaps if watch.match == "judge" else 0
    calls = simulated * (watch.calls_of(watch.setting, theirs // max(1, len(people))) + judged)
    calls += sum(watch.calls_of(watch.setting, len(user.posts)) + judged for user in people)
    return {"recovery_calls_about": calls}


def _activations(place: Place) -> float:
    """Of a re-enacted place: one a target; else by the people's rates."""
    if place.targets is not None:
        return len(place.targets)
    world = place.world
    rates = [world.rates.get(agent, place.activity.rate_per_day) for agent in world.agents]
    # Reactions bring back the share that the exogenous rates leave out.
    return sum(rates) * place.days


def _prompt_tokens(config: RunConfig, places: Sequence[Place], model: LanguageModel) -> int:
    articles = [page.article for place in places for page in place.corpus.pages.values()]
    longest = max(articles, key=len, default="")
    tokens = model.count_tokens((Message("user", longest),)) + PROMPT_OVERHEAD
    bound = config.condition.max_prompt_tokens or model.window
    return min(tokens * 2, bound, model.window)


def _seconds(config: RunConfig, calls: int, prompt: int, new: int) -> int | None:
    if isinstance(config.llm, EmbeddedConfig):
        return round(prompt / EMBEDDED_PROMPT_PER_S + new / EMBEDDED_NEW_PER_S)
    if isinstance(config.llm, ScriptedConfig):
        return round(calls * config.llm.latency_s / config.llm.pool.concurrency)
    return None
