"""Experiments by name."""

from pathlib import Path

from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.community import execute as community
from folkmoot.sim.experiments.settings import RunConfig

EXPERIMENTS = {"community": community}


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Run the config's experiment in this folder."""
    return EXPERIMENTS[config.experiment.name](config, folder, mode)
