"""`folkmoot corpus stats`: the tables of one corpus or several, and with --out as Markdown, CSV and figure."""

from pathlib import Path

from folkmoot.environments.corpora.built import find_stores
from folkmoot.environments.corpora.sampling import SampleSettings
from folkmoot.environments.corpora.statistics import measure, tables
from folkmoot.environments.corpora.statistics.figure import figure
from folkmoot.environments.corpora.store.files import write_bytes
from folkmoot.metrics.plots import save
from folkmoot.metrics.text import SPLITTER, count_sentences

SHOWN = ("size", "people", "traits", "sample", "losses")
"""Tables that are printed; distributions are for files and the figure."""


def stats(path: Path, out: Path | None = None, sample: SampleSettings | None = None) -> str:
    """Measure the corpora of a folder; returns what to print.

    Args:
        path: a corpus, or a folder of several.
        out: folder for statistics.md, one CSV a table, statistics.png and statistics.svg.
        sample: of the experiments.

    Raises:
        CorpusError: no complete corpus there.
    """
    corpora = [measure(store, count_sentences, sample) for store in find_stores(path)]
    made = tables(corpora)
    printed = [table for table in made if table.name in SHOWN and table.rows]
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for table in made:
            write_bytes(out / f"{table.name}.csv", table.csv().encode())
        note = f"Sentences: {SPLITTER}."
        markdown = "\n\n".join([*(table.markdown() for table in printed), note])
        write_bytes(out / "statistics.md", f"{markdown}\n".encode())
        drawn = figure(corpora)
        for suffix in (".png", ".svg"):
            save(drawn, out / f"statistics{suffix}")
    return "\n\n".join(table.text() for table in printed)
