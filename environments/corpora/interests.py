"""Personas with the interests that were read off their posts."""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.building import digest
from folkmoot.sim.persona import Interests


def with_interests(corpus: Corpus, profiles: Mapping[str, Interests]) -> Corpus:
    """The corpus with these interests in place of its personas' own.

    Who has none there, or an empty profile, keeps theirs.

    Args:
        corpus: its personas are those that the profiles name.
        profiles: pseudonym -> interests; of users who aren't in the corpus they are passed over.
    """
    told = {user: profile for user, profile in profiles.items() if profile.stable or profile.recent}
    personas = {
        user: persona.model_copy(update={"interests": told[user]}) if user in told else persona
        for user, persona in corpus.personas.items()
    }
    whole = digest(corpus.events, corpus.pages, personas.values(), corpus.articles)
    return replace(corpus, personas=personas, digest=whole)
