"""Activity of a community: fitted from its recorded threads, with what the config sets over it."""

from collections.abc import Mapping, Sequence
from typing import Any

from folkmoot.sim.activity import Activity
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.settings import ActivityConfig
from folkmoot.sim.fit import WATCH_SHARE, fit_activity


def activity_of(
    past: Sequence[Sequence[TextEvent]], timezone: str, config: ActivityConfig, watch_share: float = WATCH_SHARE
) -> Activity:
    """The activity fitted from recorded threads, with what the config sets over it."""
    fitted = fit_activity(past, timezone, family=config.family, think_share=config.think_share, watch_share=watch_share)
    values = fitted.model_dump(mode="json")
    if config.think_sigma is not None:
        values["think"]["shape"] = {"kind": "lognormal", "sigma": config.think_sigma}
    return check(Activity, _over(values, config.set), "activity.set")


def _over(values: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values, those given over them at any depth; another `kind` takes the place of the whole mapping."""
    if values.get("kind") != given.get("kind", values.get("kind")):
        return dict(given)
    merged = dict(values)
    for key, value in given.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


MOST_LOOKS = 10_000
"""Looks a day that a person may come to, one in nine seconds: a mistyped rate would keep the clock busy for ever.

All activations within one think time are under way before the first commit, so no budget would end such a run.
"""


def check_rates(rates: Mapping[str, float], scale: float) -> None:
    """Make sure that nobody looks oftener than `MOST_LOOKS` times a day.

    Args:
        rates: person -> looks a day, scaled.
        scale: by what they are scaled (`activity.rate_scale`).

    Raises:
        ConfigError: someone does.
    """
    who = max(rates, key=rates.__getitem__, default="")
    if who and rates[who] > MOST_LOOKS:
        raise ConfigError(
            f"activity.rate_scale={scale:g}: {who} would look {rates[who]:g} times a day, at most {MOST_LOOKS} are "
            f"allowed; give activity.rate_scale={scale * MOST_LOOKS / rates[who]:.3g} or less, or a lower rate_per_day"
        )
