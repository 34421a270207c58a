"""The users of a feed whose profiles are known: timelines and gold interests, sampled; the others counted by reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from folkmoot.environments.corpora.base import Corpus
from folkmoot.metrics.profile.gold import read_gold
from folkmoot.metrics.profile.timelines import User, known_users, sampled, timelines
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.experiments.profile_settings import InterestTask


@dataclass(slots=True)
class Users:
    """The users that are asked about, and why others aren't."""

    users: list[User]
    losses: Counter[str] = field(default_factory=Counter)


def find_users(corpora: Sequence[Corpus], config: InterestTask) -> Users:
    """Users with posts and a gold profile of enough active domains.

    Raises:
        CorpusError: there is none; the message counts why.
    """
    gold = read_gold(Path(config.gold).expanduser()) if config.gold else None
    found = Users([])
    for corpus in corpora:
        golds = {user: one.interests for user, one in corpus.personas.items()} if gold is None else gold
        posts = timelines(corpus, config, found.losses)
        found.users += known_users(corpus, posts, golds, config.min_domains, found.losses)
    found.users = sampled(found.users, config)
    if not found.users:
        why = "; ".join(f"{count} {reason}" for reason, count in found.losses.items()) or "no posts"
        raise CorpusError(
            f"{', '.join(corpus.name for corpus in corpora)}: 0 users with posts and a gold profile, at least 1 is "
            f"needed ({why}); give a feed's corpus, experiment.gold=FILE, or a lower experiment.min_domains"
        )
    return found
