"""`folkmoot corpus revise`: a model looks through how threads were split; a corrected corpus is written beside."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from folkmoot.agents.llm.build import build_pool
from folkmoot.environments.corpora.revision import Reviser, revise_store
from folkmoot.environments.corpora.revision.prompt import prompt_hashes
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.corpus_build import summary
from folkmoot.sim.config import check
from folkmoot.sim.experiments.settings import RunConfig


def revise(path: Path, out: Path, overrides: Sequence[str]) -> str:
    """Revise a corpus; returns what to print.

    Raises:
        CorpusError: no complete corpus of wikitext there, or something is at `out`.
        ModelError: a call failed for good; the same command makes only the missing calls.
    """
    store = Store.open(path)
    config = check(RunConfig, compose(["tracking=none", *overrides]))
    with asyncio.Runner() as runner:
        pool = build_pool(config.llm, config.seed)
        reviser = Reviser(pool, load_language(store.manifest.language), seed=config.seed)
        facts = {"model": pool.name, "repeatable": pool.repeatable, "prompts": prompt_hashes()}
        try:
            new = revise_store(store, out, reviser, runner, facts)
        finally:
            runner.run(pool.close())
    return "\n".join(summary(new))
