"""Files of gold profiles: a line a user, as JSON."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from pydantic import ValidationError

from folkmoot.sim.errors import CorpusError
from folkmoot.sim.manifest import write_whole
from folkmoot.sim.persona import Interests


def read_gold(path: Path) -> dict[str, Interests]:
    """User -> gold profile.

    Raises:
        CorpusError: unreadable, empty, a line isn't a profile, or a user stands twice.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise CorpusError(
            f"gold profiles {path}: {error.strerror}; `folkmoot profile verified` makes such a file"
        ) from error
    found: dict[str, Interests] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line)
            user, profile = str(one["user"]), Interests(stable=one.get("stable", {}), recent=one.get("recent", {}))
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise CorpusError(
                f"{path}, line {number}: no gold profile ({str(error)[:200]}); a line holds user, stable, recent"
            ) from error
        if user in found:
            raise CorpusError(f"{path}, line {number}: user {user!r} stands twice; leave one of the lines")
        found[user] = profile
    if not found:
        raise CorpusError(f"{path} holds no gold profile; `folkmoot profile verified` makes such a file")
    return found


def write_gold(path: Path, profiles: Mapping[str, Interests]) -> None:
    """Write profiles, a line a user, sorted by user.

    Raises:
        LogError: the disk refuses.
    """
    lines = [{"user": user, **profile.model_dump(mode="json")} for user, profile in sorted(profiles.items())]
    write_whole(path, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
