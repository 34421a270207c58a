"""The optional model pass that corrects how a thread was split (Wiki-Talkie, section 3.1)."""

from folkmoot.environments.corpora.revision.partition import TextLost, check_partition
from folkmoot.environments.corpora.revision.reviser import Reviser, Revision
from folkmoot.environments.corpora.revision.store import revise_store

__all__ = ["Reviser", "Revision", "TextLost", "check_partition", "revise_store"]
