"""`folkmoot corpus translate`: a model brings timelines into one language; the new corpus is written beside."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from folkmoot.agents.llm.build import build_pool
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.translation import Translator, translate_store
from folkmoot.environments.corpora.translation.prompt import prompt_hashes
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.corpus_build import summary
from folkmoot.sim.config import check
from folkmoot.sim.experiments.settings import RunConfig


def translate(path: Path, out: Path, to: str, overrides: Sequence[str]) -> str:
    """Translate a corpus; returns what to print.

    Raises:
        ConfigError: an unknown language.
        CorpusError: no complete corpus of timelines there, or something is at `out`.
        ModelError: a call failed for good; the same command makes only the missing calls.
    """
    store = Store.open(path)
    config = check(RunConfig, compose(["tracking=none", *overrides]))
    with asyncio.Runner() as runner:
        pool = build_pool(config.llm, config.seed)
        try:
            translator = Translator(pool, to, seed=config.seed)
            facts = {"model": pool.name, "repeatable": pool.repeatable, "prompts": prompt_hashes()}
            new = translate_store(store, out, translator, runner, facts)
        finally:
            runner.run(pool.close())
    return "\n".join(summary(new))
