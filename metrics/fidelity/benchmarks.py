"""Persona-fidelity benchmarks as files: persona, context, response, and whether the response is in character.

The released EASY, HARD and SOCIAL files (JSON arrays) and JSON-lines files of the same fields are read as
they are. A group is one positive and its negatives; its key is `case_id` without its suffix (PRISM, section 3).
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.spaces import LabelSpace, NoCues, profile_space, trait_space
from folkmoot.metrics.fidelity.wording import BIG_FIVE
from folkmoot.sim.errors import ConfigError, CorpusError, counted

_SUFFIX = re.compile(r"(?:_pos)?(?:_(?:neg|NEG)_.*)?$")
UNNAMED = "negative"
"""Kind of a negative whose file doesn't say which sort it is."""
_POLARITY = re.compile(rf"\b({'|'.join(BIG_FIVE)})\s*=\s*(high|low)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """One item of a benchmark.

    Attributes:
        item: what is scored.
        group: key of its group.
        positive: the truth.
        kind: "positive", or which sort of negative it is.
        profile: the persona in words.
        trait: of the Big Five, "" for open-ended profiles.
        level: "high", "low", or "".
    """

    item: Item
    group: str
    positive: bool
    kind: str
    profile: str
    trait: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The cases of a file, in its order, and what was dropped, counted by reason."""

    name: str
    cases: tuple[Case, ...]
    dropped: Counter[str]

    def groups(self) -> dict[str, list[Case]]:
        """Group key -> its cases."""
        found: dict[str, list[Case]] = {}
        for case in self.cases:
            found.setdefault(case.group, []).append(case)
        return found


def read_benchmark(path: Path | str, language: str = "en") -> Benchmark:
    """Read a benchmark file.

    A line or entry that isn't an item, a duplicate case, a response that is empty or no text, an unknown label and a
    persona without cues are dropped and counted; a trait persona is told by "<Trait> = <level>" in its profile.

    Args:
        path: a JSON array or JSON lines.
        language: of prompts and label texts.

    Raises:
        CorpusError: the file can't be read or holds no item.
    """
    source = Path(path)
    dropped: Counter[str] = Counter()
    cases: dict[str, Case] = {}
    for record in read_records(source, dropped):
        case = _case(record, language, dropped)
        if case is None:
            continue
        if case.item.id in cases:
            dropped["duplicate items"] += 1
            continue
        cases[case.item.id] = case
    if not cases:
        raise CorpusError(f"{source}: 0 items ({counted(dropped)}); at least 1 with {', '.join(_NEEDED)} is needed")
    return Benchmark(source.stem, tuple(cases.values()), dropped)


_NEEDED = ("case_id", "profile", "response", "label")


def read_records(path: Path, dropped: Counter[str]) -> Iterator[Mapping[str, Any]]:
    """Objects of a JSON array or of JSON lines; others, and those whose text is no Unicode, are counted.

    Raises:
        CorpusError: the file can't be read, or isn't text in UTF-8.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} can't be read as UTF-8 text ({error}); give a JSON or JSON-lines file") from error
    for entry in _entries(path, text, dropped):
        if not isinstance(entry, dict):
            dropped["entries that aren't objects"] += 1
        elif not is_text(entry):
            dropped["entries with broken characters"] += 1
        else:
            yield entry


def is_text(entry: Any) -> bool:
    r"""Whether all its strings are Unicode: JSON can hold half a character.

    >>> is_text({"a": "\u00e9"}), is_text(["\ud800"])
    (True, False)
    """
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _entries(path: Path, text: str, dropped: Counter[str]) -> Iterator[Any]:
    if text.lstrip().startswith("["):
        try:
            yield from json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CorpusError(
                f"{path}: the JSON array is damaged ({error}); mend it or write one object a line"
            ) from error
        return
    for line in text.split("\n"):  # a string may hold other line ends, such as U+2028
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                dropped["malformed JSON lines"] += 1


def _case(record: Mapping[str, Any], language: str, dropped: Counter[str]) -> Case | None:
    if reason := _unfit(record):
        dropped[reason] += 1
        return None
    profile, positive = record["profile"], record["label"] == 1
    try:
        space, trait, level = _space(profile, record, language)
    except NoCues:
        dropped["items whose persona has no cues"] += 1
        return None
    except ConfigError:
        dropped["items with an unknown trait or level"] += 1
        return None
    context = str(record.get("context") or record.get("dialogue") or "")
    case_id = str(record["case_id"])
    item = Item(case_id, space, context, record["response"])
    kind = "positive" if positive else str(record.get("negative_type") or record.get("option") or UNNAMED)
    return Case(item, group_of(case_id), positive, kind, profile, trait, level)


def _unfit(record: Mapping[str, Any]) -> str:
    """Why a record is no item; "" where it is one."""
    if missing := [key for key in _NEEDED if key not in record]:
        return f"items without {', '.join(missing)}"
    if record["label"] not in (0, 1):
        return "items with a label other than 0 and 1"
    if not isinstance(record["response"], str) or not isinstance(record["profile"], str):
        return "items whose response or profile isn't text"
    return "" if record["response"].strip() else "items with an empty response"


def _space(profile: str, record: Mapping[str, Any], language: str) -> tuple[LabelSpace, str, str]:
    """The label space: the profile's own polarity comes before the fields, which a profile swap leaves as they were."""
    if stated := _POLARITY.search(profile):
        trait, level = stated[1].lower(), stated[2].lower()
    elif record.get("trait"):
        trait, level = str(record["trait"]).lower(), str(record.get("level", "")).lower()
    else:
        return profile_space(profile, language), "", ""
    return trait_space(trait, level, language, profile), trait, level


def group_of(case_id: str) -> str:
    """The key of an item's group.

    >>> [group_of(x) for x in ("7_openness_low_neg_swap", "7_openness_low_pos_NEG_cross_trait", "r_2_pos")]
    ['7_openness_low', '7_openness_low', 'r_2']
    """
    return _SUFFIX.sub("", case_id, count=1)
