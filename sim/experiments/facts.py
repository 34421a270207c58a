"""What a run says of itself: manifest, title, fitted activity, summary."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from folkmoot.agents.conditioning import make_condition
from folkmoot.agents.interests.prompts import interest_hashes
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.prompts import prompt_hashes
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.metrics.fidelity.wording import wording_hashes
from folkmoot.metrics.profile.prompts import judge_hashes
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.manifest import content_hash
from folkmoot.sim.turn import Outcome


def plain(config: RunConfig) -> dict[str, Any]:
    """The config as JSON-able values."""
    return config.model_dump(mode="json")


def manifest(config: RunConfig, places: Sequence[Place], pool: Pool) -> dict[str, Any]:
    """What ran: enough for another machine to repeat it, and for a replay without the model."""
    return {
        "seed": config.seed,
        "config_hash": content_hash(plain(config)),
        "prompts": prompt_hashes() | _monitors_prompts(config),
        "model": pool.name,
        "window": pool.window,
        "answers": "repeatable" if pool.repeatable else "not repeatable",
        "devices": {
            "llm": getattr(config.llm, "device", "cpu"),
            "encoder": config.annotator.encoder.device,
            "cores": os.cpu_count(),
        },
        "communities": {place.name: place.frozen for place in places},
    }


def _monitors_prompts(config: RunConfig) -> dict[str, str]:
    """Those that monitors ask with, by folder and name."""
    watched = config.monitor
    interests = interest_hashes() | judge_hashes() if watched.recovery is not None else {}
    words = wording_hashes() if watched.fidelity is not None else {}
    folders = {"interests": interests, "fidelity": words}
    return {f"{folder}/{name}": found for folder, some in folders.items() for name, found in some.items()}


def title(config: RunConfig, places: Sequence[Place]) -> str:
    """The run's name, or one made of what was set."""
    names = ", ".join(place.name for place in places)
    return config.name or f"{names}: {config.condition.name}, {config.llm.backend}, seed {config.seed}"


def fitted(places: Sequence[Place]) -> dict[str, dict[str, Any]]:
    """What activity was fitted (or set by hand), in numbers that a person can check."""
    return {
        place.name: {
            "people": len(place.agents),
            "activations_per_day": round(sum(place.world.rates.values()), 3),
            "gaps": place.activity.gaps.kind,
            "think_hours": round(place.activity.think.mean_s / 3600, 3),
            "reaction_hours": round(place.activity.reaction.mean_s / 3600, 3),
            "react": dict(place.activity.react),
            "days": place.days,
        }
        for place in places
    }


def bare(config: RunConfig, places: Sequence[Place]) -> list[str]:
    """Communities with people of whom the condition has nothing to show; next turns take none such."""
    method = make_condition(config.condition)
    free = [place for place in places if place.targets is None] if config.agents.kind == "model" else []
    counts = [(place, sum(map(method.bare, place.personas))) for place in free]
    said = f"people have no {method.name}; they are asked as by condition=base"
    return [f"{place.name}: {count} of {len(place.personas)} {said}" for place, count in counts if count]


def summary(
    config: RunConfig, places: Sequence[Place], outcome: Outcome, pool: Pool, notices: Sequence[str]
) -> dict[str, Any]:
    """How the run went, without the measures."""
    counters: Mapping[str, Any] = {name: getattr(pool.counters, name) for name in pool.counters.__dataclass_fields__}
    return {
        "state": outcome.state,
        "title": title(config, places),
        "events": outcome.events,
        "comments": outcome.comments,
        "activations": outcome.activations,
        "activations_in_flight": outcome.most_in_flight,
        "failures": [{"agent": a, "activation": n, "reason": r} for a, n, r in outcome.failures],
        "calls": dict(counters),
        "conflicts": {
            place.name: len(place.environment.conflicts) for place in places if isinstance(place.environment, TalkPage)
        },
        "losses": {place.name: dict(place.corpus.losses + place.split.losses) for place in places},
        "notices": [*notices, *bare(config, places)],
    }
