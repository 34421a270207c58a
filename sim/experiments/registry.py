"""Experiments by name."""

from pathlib import Path

from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.community import execute as community
from folkmoot.sim.experiments.dialogue import execute as dialogue
from folkmoot.sim.experiments.persona_fidelity import execute as persona_fidelity
from folkmoot.sim.experiments.profile import execute as profile
from folkmoot.sim.experiments.settings import RunConfig

EXPERIMENTS = {
    "community": community,
    "next_turn": community,
    "persona_fidelity": persona_fidelity,
    "profile": profile,
    "dialogue": dialogue,
}
"""Next turns are a community that is re-enacted, its agents' comments beside the real ones: one loop for both."""


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Run the config's experiment in this folder."""
    return EXPERIMENTS[config.experiment.name](config, folder, mode)
