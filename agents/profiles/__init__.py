"""From a real person's page and comments to a persona: model passes over a corpus."""

from folkmoot.agents.profiles.prompts import reading_hashes
from folkmoot.agents.profiles.reader import ModelReader, ReaderConfig

__all__ = ["ModelReader", "ReaderConfig", "reading_hashes"]
