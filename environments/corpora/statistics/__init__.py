"""What is in a corpus, in numbers: the paper's tables and distributions."""

from folkmoot.environments.corpora.statistics.counts import CorpusStatistics, measure
from folkmoot.environments.corpora.statistics.tables import Table, tables

__all__ = ["CorpusStatistics", "Table", "measure", "tables"]
