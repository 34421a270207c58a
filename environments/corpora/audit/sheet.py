"""The review sheet: for each corpus so many users, drawn by the seed, with what was read and what it was read from."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from folkmoot.environments.corpora.sources.base import USER
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.files import write_bytes
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import TRAITS, Persona
from folkmoot.sim.rng import digest
from folkmoot.sim.sheets import encode_sheet

JUDGED = ("faithfulness", "trait_coherence", "privacy")
"""To be filled: does the page say what the profile says; do traits and reasoning fit; is nothing private in it."""

ANSWERS = ("yes", "partly", "no")

COLUMNS = (
    "corpus",
    "language",
    "user",
    "profile",
    "attributes",
    *(f"{name}{part}" for name in TRAITS for part in ("", "_reasoning")),
    "page",
    *JUDGED,
    "remarks",
)


def draw_users(store: Store, count: int, seed: int) -> list[Persona]:
    """So many of the corpus's personas with a profile, drawn by the seed, by pseudonym."""
    with_profile = (persona for persona in store.personas() if persona.profile)
    order = sorted(with_profile, key=lambda persona: digest(seed, "audit", store.manifest.name, persona.id))
    return sorted(order[:count], key=lambda persona: persona.id)


def sheet_rows(stores: Iterable[Store], count: int = 10, seed: int = 0) -> Iterator[dict[str, str]]:
    """A row for each drawn user, cells not yet made safe; columns of `JUDGED` are empty.

    Raises:
        CorpusError: no corpus has a persona with a profile.
    """
    empty = True
    for store in stores:
        personas = draw_users(store, count, seed)
        users = {persona.id for persona in personas}
        pages = {page.owner: page.text for page in store.pages([USER]) if page.owner in users} if users else {}
        for persona in personas:
            empty = False
            yield _row(store, persona, pages.get(persona.id, ""))
    if empty:
        raise CorpusError("0 users with a profile, at least 1 is needed; read people first: `folkmoot corpus personas`")


def _row(store: Store, persona: Persona, page: str) -> dict[str, str]:
    about = persona.attributes.model_dump(exclude_defaults=True)
    row = {
        "corpus": store.manifest.name,
        "language": store.manifest.language,
        "user": persona.id,
        "profile": persona.profile,
        "attributes": "\n".join(f"{name}: {_told(value)}" for name, value in about.items()),
        "page": page,
    }
    for name in TRAITS:
        trait = persona.traits.get(name)
        row[name] = "; ".join(trait.values) if trait else ""
        row[f"{name}_reasoning"] = trait.reasoning if trait else ""
    return {column: row.get(column, "") for column in COLUMNS}


def _told(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def write_sheet(rows: Iterable[dict[str, str]], path: Path) -> int:
    """Write the sheet as CSV in UTF-8 with its mark, so that spreadsheets open it right; returns the number of rows.

    Raises:
        CorpusError: the file can't be written, or no row came.
    """
    kept = list(rows)
    write_bytes(path, encode_sheet(COLUMNS, kept))
    return len(kept)
