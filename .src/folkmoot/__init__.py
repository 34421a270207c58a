"""Folkmoot: simulate an online community with language-model personas and measure it while it talks.

>>> import folkmoot
>>> round(float(folkmoot.js_distance([3, 1], [1, 3])), 4)
0.4344
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from folkmoot.sim.kinds import offer

if TYPE_CHECKING:
    from folkmoot.metrics.divergence import js_distance, js_divergence, proportions, total_variation, wasserstein
    from folkmoot.sim.commands.api import compare, replay, resume, run
    from folkmoot.sim.runs import Run

offer(
    "folkmoot.environments.talk_page.events",
    "folkmoot.sim.feed",
)  # names alone: a module is imported when a log is read

_HOME = {
    "compare": "folkmoot.sim.commands.api",
    "replay": "folkmoot.sim.commands.api",
    "resume": "folkmoot.sim.commands.api",
    "run": "folkmoot.sim.commands.api",
    "Run": "folkmoot.sim.runs",
    "js_distance": "folkmoot.metrics.divergence",
    "js_divergence": "folkmoot.metrics.divergence",
    "proportions": "folkmoot.metrics.divergence",
    "total_variation": "folkmoot.metrics.divergence",
    "wasserstein": "folkmoot.metrics.divergence",
}

__all__ = [
    "Run",
    "compare",
    "js_distance",
    "js_divergence",
    "proportions",
    "replay",
    "resume",
    "run",
    "total_variation",
    "wasserstein",
]


def __getattr__(name: str) -> Any:
    """Public names, imported when first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'folkmoot' has no attribute {name!r}; public: {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)
