"""Personas with the interests that were read off their posts."""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.building import digest
from folkmoot.sim.persona import Interests


def with_interests(corpus: Corpus, profiles: Mapping[str, Interests]) -> Corpus:
    """The corpus with these interests in place of its personas' own; who has no profile keeps theirs.

    Args:
        corpus: its personas are those that the profiles name.
        profiles: pseudonym -> interests; of users who aren't in the corpus they are passed over.
    """
    personas = {
        user: persona.model_copy(update={"interests": profiles.get(user, persona.interests)})
        for user, persona in corpus.personas.items()
    }
    whole = digest(corpus.events, corpus.pages, personas.values(), corpus.articles)
    return replace(corpus, personas=personas, digest=whole)
