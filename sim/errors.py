"""The one exception family.

    FolkmootError                 every error that we raise on purpose
    ├── ConfigError               a key, name or value of the configuration
    ├── CorpusError               a file or folder that should hold a community
    ├── LogError                  the event log or the call records
    │   └── ReplayMismatch        a re-run took another way than the log tells
    ├── ModelError                a language-model call, after its retries
    │   ├── ModelMissing          a backend, its weights or its server isn't there
    │   ├── RequestRefused        what was sent can't be taken; another request may be (400, 413, 415, 422)
    │   └── TransientModelError   worth another try: time-out, 429, 5xx, connection lost
    ├── RuleError                 an environment was used against its contract
    ├── AnnotationError           an annotator can't label, or two can't be compared
    └── MetricError               a number that isn't defined for this input

Every message names the value, the bound and the way out.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


class FolkmootError(Exception):
    """Base of all errors that Folkmoot raises on purpose."""


class ConfigError(FolkmootError):
    """A key, a name or a value of the configuration is not allowed."""


class CorpusError(FolkmootError):
    """A file or folder can't be read as a community."""


class LogError(FolkmootError):
    """The event log or the call records are damaged or misused."""


class ReplayMismatch(LogError):
    """A re-run took another way than the recorded log tells."""


class ModelError(FolkmootError):
    """A model call failed for good."""


class ModelMissing(ModelError):
    """A backend, its weights or its server isn't there."""


class RequestRefused(ModelError):
    """A server can't take what was sent: an image, its size, the length of the prompt."""


class TransientModelError(ModelError):
    """A model call failed in a way that another try may mend.

    Args:
        message: what happened.
        retry_after_s: seconds that the server asked us to wait, if it did.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RuleError(FolkmootError):
    """An environment was used against its contract."""


class AnnotationError(FolkmootError):
    """An annotator can't label a text, or two annotations can't be compared."""


class MetricError(FolkmootError):
    """A metric isn't defined for its input."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for a wrong name: the nearest known names, else all of them.

    >>> did_you_mean("histroy", ["base", "history"])
    "did you mean 'history'?"
    >>> did_you_mean("zzz", ["base", "history"])
    "known: 'base', 'history'"
    >>> did_you_mean("zzz", [])
    'there are none to choose from'
    """
    known = sorted(known)
    if not known:
        return "there are none to choose from"
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(n) for n in near) + "?"
    return "known: " + ", ".join(repr(n) for n in known)


def counted(reasons: Mapping[str, int]) -> str:
    """What was left out, in words.

    >>> counted({"malformed JSON lines": 34853, "items without a label": 2})
    'left out: 34,853 malformed JSON lines, 2 items without a label'
    >>> counted({})
    'nothing was left out'
    """
    said = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
    return f"left out: {said}" if said else "nothing was left out"


def kind_of(value: object) -> str:
    """What a value of a JSON or YAML file is, in words.

    >>> [kind_of(one) for one in (None, [], {}, "a", True, 2.5)]
    ['nothing', 'a list', 'names with values', 'a text', 'true or false', 'a number']
    """
    if value is None:
        return "nothing"
    kinds: dict[type, str] = {list: "a list", dict: "names with values", str: "a text", bool: "true or false"}
    return next((words for kind, words in kinds.items() if isinstance(value, kind)), "a number")
