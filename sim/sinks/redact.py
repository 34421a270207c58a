"""What may leave the machine: a config without its secrets, a run folder without its texts."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

REDACTED = "[redacted]"

_SECRET = re.compile(r"key|token|secret|salt|password", re.IGNORECASE)
_ASSIGNED = re.compile(r"([\w.]*(?:key|token(?!s)|secret|salt|password)[\w.]*=)[^\s,;}]+", re.IGNORECASE)
_LOGIN = re.compile(r"(://)[^/\s@]+@")

NUMBERS = (
    "manifest.json",
    "summary.json",
    "metrics.jsonl",
    "figures/*.png",
    "figures/*.svg",
)
"""Files of a run folder that hold no text of the community."""

NEVER = ("wandb/**/*", "**/*.yaml", "**/.*", "**/.*/**/*")
"""Files that are never taken: W&B's own, and the raw config, whose secrets are redacted elsewhere."""


def redact(value: Any, name: str = "") -> Any:
    """A JSON-able copy without secrets.

    A secret is what stands under a name with key, token, secret, salt or password in it, or is assigned to one
    inside a string, or is a login inside an address. Numbers of tokens are not secrets.

    >>> redact({"api_key": "abc", "max_tokens": 5, "url": "http://me:pw@host/", "salt": 7})
    {'api_key': '[redacted]', 'max_tokens': 5, 'url': 'http://[redacted]@host/', 'salt': '[redacted]'}
    >>> redact(["llm.api_key=abc", "seed=1"])
    ['llm.api_key=[redacted]', 'seed=1']
    """
    if _SECRET.search(name) and not _is_count(name, value):
        return REDACTED
    if isinstance(value, Mapping):
        return {str(key): redact(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [redact(item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return _LOGIN.sub(rf"\1{REDACTED}@", _ASSIGNED.sub(rf"\1{REDACTED}", str(value)))


def _is_count(name: str, value: Any) -> bool:
    """Nothing at all, a switch, or numbers of tokens."""
    return value is None or isinstance(value, bool) or ("tokens" in name.lower() and not isinstance(value, str))


def artifact_files(folder: Path, *, text: bool) -> Iterator[tuple[Path, str]]:
    """The files of a run folder that may be uploaded, with their names in the artifact, in order.

    Args:
        folder: the run folder.
        text: whether files that hold text of the community (log, calls, annotations) go too.
    """
    never = {path for pattern in NEVER for path in folder.glob(pattern)}
    taken = {path for pattern in (("**/*",) if text else NUMBERS) for path in folder.glob(pattern)}
    for path in sorted(taken - never):
        if path.is_file() and not path.is_symlink():
            yield path, path.relative_to(folder).as_posix()
