"""`folkmoot corpus revise`: a model looks through how threads were split; a corrected corpus is written beside."""

from collections.abc import Sequence
from pathlib import Path

from folkmoot.environments.corpora.revision import Reviser, revise_store
from folkmoot.environments.corpora.revision.prompt import PROMPTS
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.commands.corpus_pass import asked_model
from folkmoot.sim.commands.corpus_summary import summary


def revise(path: Path, out: Path, overrides: Sequence[str]) -> str:
    """Revise a corpus; returns what to print.

    Raises:
        CorpusError: no complete corpus of wikitext there, or something is at `out`.
        ModelError: a call failed for good; the same command makes only the missing calls.
    """
    store = Store.open(path)
    with asked_model(overrides) as asked:
        reviser = Reviser(asked.pool, load_language(store.manifest.language), seed=asked.seed)
        new = revise_store(store, out, reviser, asked.runner, asked.facts(PROMPTS.hashes()))
    return "\n".join(summary(new))
