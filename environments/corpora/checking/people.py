"""Private things in what was written of people."""

from collections.abc import Collection, Iterator

from folkmoot.environments.corpora.checking.findings import PRIVACY, Finding
from folkmoot.environments.corpora.namebook import NameBook
from folkmoot.environments.corpora.ordinary import common
from folkmoot.environments.corpora.privacy import find_private
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.persona import Persona


def check_profiles(store: Store, names: Collection[str] = ()) -> Iterator[Finding]:
    """Names, user names, addresses, numbers and links in profiles, attributes, and the reasoning of traits."""
    language = store.manifest.language
    plain = [name for name in names if not common(name, language)]
    book = NameBook(plain, language=language) if plain else None
    for persona in store.personas():
        public = (*persona.attributes.contribution_topics, *persona.attributes.stated_interests)
        for field, text in persona_texts(persona):
            for found in find_private(text, book, public):
                spelled = text[found.start : found.end]
                yield Finding(PRIVACY, f"{found.kind} in {field}", f"personas {persona.id} at {found.start}", spelled)


def persona_texts(persona: Persona) -> Iterator[tuple[str, str]]:
    """(field, text) of all that was written of a person."""
    yield "profile", persona.profile
    about = persona.attributes
    for field in ("location", "profession", "study_field"):
        yield field, getattr(about, field)
    for field in ("hobbies", "stated_interests", "contribution_topics"):
        yield field, "; ".join(getattr(about, field))
    for name, trait in persona.traits.items():
        yield f"the reasoning of {name}", trait.reasoning
