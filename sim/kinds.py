"""Modules that register event kinds, by name: a log is read in a process that ran nothing, so they load when asked for.

The package offers its own environments' modules; who brings an environment offers his.
"""

from importlib import import_module

_offered: dict[str, None] = {}


def offer(*modules: str) -> None:
    """Name modules whose import registers event kinds (`sim.events.register`)."""
    _offered.update(dict.fromkeys(modules))


def load() -> None:
    """Import all modules that were offered; done ones cost nothing."""
    for module in tuple(_offered):
        import_module(module)
