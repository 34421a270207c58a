"""What the passes of a model over a corpus share: the model of the command line, on one event loop."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from folkmoot.agents.llm.build import build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.experiments.settings import RunConfig


class Asked(NamedTuple):
    """The model that is asked, the loop that its calls are made on, and the seed that names them."""

    pool: Pool
    runner: asyncio.Runner
    seed: int

    def facts(self, prompts: Mapping[str, str]) -> dict[str, Any]:
        """What a manifest keeps of it."""
        return {"model": self.pool.name, "repeatable": self.pool.repeatable, "prompts": {**prompts}}


@contextmanager
def asked_model(overrides: Sequence[str]) -> Iterator[Asked]:
    """The model of these overrides (llm=..., seed=...), closed at the end.

    Raises:
        ConfigError: an unknown key or value.
        ModelMissing: the backend isn't installed.
    """
    config = check(RunConfig, compose(["tracking=none", *overrides]))
    with asyncio.Runner() as runner:
        pool = build_pool(config.llm, config.seed)
        try:
            yield Asked(pool, runner, config.seed)
        finally:
            runner.run(pool.close())
