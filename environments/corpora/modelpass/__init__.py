"""A model's pass over a corpus: items asked about, answers checked and repaired once, counts, a new corpus beside."""

from folkmoot.environments.corpora.modelpass.asking import pass_asker
from folkmoot.environments.corpora.modelpass.counting import Pass
from folkmoot.environments.corpora.modelpass.folders import beside, write_shard
from folkmoot.environments.corpora.modelpass.posts import rewrite_posts, timelines_alone
from folkmoot.environments.corpora.modelpass.prompts import Prompts

__all__ = ["Pass", "Prompts", "beside", "pass_asker", "rewrite_posts", "timelines_alone", "write_shard"]
