"""The prompt texts of a pass: system.txt and task.txt beside its code."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

SYSTEM, TASK = "system", "task"


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts in a folder; `stage` begins their names in a manifest."""

    folder: Path
    stage: str

    @property
    def system(self) -> str:
        """What the model is to do."""
        return self._text(SYSTEM)

    @property
    def task(self) -> str:
        """What stands behind the material."""
        return self._text(TASK)

    def hashes(self) -> dict[str, str]:
        """Prompt name -> 16 hex digits over its text."""
        return {
            f"{self.stage}_{name}": blake2b(self._text(name).encode(), digest_size=8).hexdigest()
            for name in (SYSTEM, TASK)
        }

    def _text(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8").strip()
