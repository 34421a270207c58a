"""Prompt texts about interests, one file each; slots as in `agents.prompts`."""

from functools import cache
from pathlib import Path

from folkmoot.agents.prompts import Template, file_hashes
from folkmoot.sim.persona import DOMAINS

_FOLDER = Path(__file__).parent

MEANING = {
    "sports_outdoor": "doing or following sports, exercise, walks, nature",
    "entertainment": "music, films, series, books, shows, concerts",
    "gaming": "video games, board games, puzzles",
    "food_drink": "cooking, baking, eating out, drinks",
    "travel_city_exploration": "trips, places, walks through cities, sights",
    "photography_creation": "taking pictures, drawing, crafts, making things",
    "pets": "animals that the person keeps or looks after",
}
"""Domain -> what belongs to it."""


@cache
def interest_prompt(name: str) -> Template:
    """The prompt text `name`.txt."""
    return Template((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


@cache
def domains_text() -> str:
    """The seven domains, one a line."""
    return "\n".join(f"- {name}: {MEANING[name]}" for name in DOMAINS)


def interest_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text, for the manifest; sorted by name."""
    return file_hashes(_FOLDER)
