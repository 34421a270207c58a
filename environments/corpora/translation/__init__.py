"""Posts brought into one language by a model: a new corpus beside the old one."""

from folkmoot.environments.corpora.translation.store import translate_store
from folkmoot.environments.corpora.translation.translator import Translator

__all__ = ["Translator", "translate_store"]
