"""From threads and user pages to a corpus's population: profiles, choice of users and threads, traits, personas."""

from folkmoot.environments.corpora.persons.settings import PersonSettings
from folkmoot.environments.corpora.persons.stage import add_personas

__all__ = ["PersonSettings", "add_personas"]
