"""`folkmoot corpus translate`: a model brings timelines into one language; the new corpus is written beside."""

from collections.abc import Sequence
from pathlib import Path

from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.translation import Translator, translate_store
from folkmoot.environments.corpora.translation.prompt import PROMPTS
from folkmoot.sim.commands.corpus_pass import asked_model
from folkmoot.sim.commands.corpus_summary import summary


def translate(path: Path, out: Path, to: str, overrides: Sequence[str]) -> str:
    """Translate a corpus; returns what to print.

    Raises:
        ConfigError: an unknown language.
        CorpusError: no complete corpus of timelines there, or something is at `out`.
        ModelError: a call failed for good; the same command makes only the missing calls.
    """
    store = Store.open(path)
    with asked_model(overrides) as asked:
        translator = Translator(asked.pool, to, seed=asked.seed)
        new = translate_store(store, out, translator, asked.runner, asked.facts(PROMPTS.hashes()))
    return "\n".join(summary(new))
