"""Building the three benchmarks from labelled responses and multiple-choice items (PRISM, section 3 and appendix A).

EASY: context and response stay, the persona is replaced by the opposite polarity of its trait. HARD: one
negative has the persona of another trait at the same level, the other a response written for another trait at the
same level in the same scenario. SOCIAL: the distractors of an item are its negatives. Everything is drawn from named
streams; what can't be used is counted.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from folkmoot.metrics.fidelity.benchmarks import read_records
from folkmoot.metrics.fidelity.wording import BIG_FIVE, DIMENSIONS, LEVELS, wording
from folkmoot.sim.errors import ConfigError, CorpusError, counted
from folkmoot.sim.rng import stream

Kind = Literal["easy", "hard", "social"]

_OTHER = {"high": "low", "low": "high"}
_LETTERS = {trait[0]: trait for trait in BIG_FIVE}
_STEERED = re.compile(r"_trait_([a-z])$")
_SCENE = re.compile(r"^Scenario: (.+)$", re.MULTILINE)
_TURN = re.compile(r"^Turn #\d+: (.+)$", re.MULTILINE)
_CONTEXTS = ("context", "train_input", "prompt", "input")
_RESPONSES = ("response", "train_output", "output")
_SCENARIOS = ("original_index", "env_idx", "scenario", "id")


@dataclass(frozen=True, slots=True)
class Written:
    """A response that was written to show one polarity of one trait in a scenario."""

    scenario: str
    trait: str
    level: str
    context: str
    response: str


def trait_profile(trait: str, level: str) -> str:
    """A trait-polarity persona in words; "<Trait> = <level>" is how readers tell it."""
    texts = wording("en").traits[trait][level]
    return f"Big Five: {trait.capitalize()} = {level}. " + " ".join(texts[d] for d in DIMENSIONS)


def read_written(paths: Sequence[Path], dropped: Counter[str], level: str = "high") -> list[Written]:
    """Big5-CHAT responses: CSV or JSON lines with trait, level, context, response.

    Of steered generations the trait stands in the file's name, the level in their `personality` (five numbers in the
    order of `BIG_FIVE`: 0 high, 1 low, -1 left alone); what has none there opens the conversation and shows no trait.
    Their prompts hold a description of the speaker: only scenario and turns become the context.

    Args:
        paths: files; a folder stands for its .csv, .json and .jsonl files.
        dropped: grows by what can't be used, by reason.
        level: of files that state none.

    Raises:
        CorpusError: nothing usable is there.
    """
    found = [w for file in _files(paths) for w in _of_file(file, dropped, level)]
    if not found:
        raise CorpusError(
            f"{', '.join(map(str, paths))}: 0 usable responses ({counted(dropped)}); "
            "columns trait, level, context and response are needed"
        )
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.iterdir() if file.suffix in {".csv", ".json", ".jsonl"})
        else:
            yield path


def _of_file(path: Path, dropped: Counter[str], level: str) -> Iterator[Written]:
    named = _STEERED.search(path.stem)
    trait = _LETTERS.get(named[1], "") if named else ""
    strength = path.stem if named else ""
    for record in _rows(path, dropped):
        written = _written(record, trait, level, strength)
        if isinstance(written, str):
            dropped[written] += 1
        else:
            yield written


def _rows(path: Path, dropped: Counter[str]) -> Iterator[Mapping[str, Any]]:
    if path.suffix != ".csv":
        yield from read_records(path, dropped)
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"{path} can't be read as CSV in UTF-8 ({error})") from error


def _written(record: Mapping[str, Any], trait: str, level: str, strength: str) -> Written | str:
    """The record as a response, or the reason why it is none."""
    said = str(record.get("trait") or trait).strip().lower()
    said = _LETTERS.get(said, said)
    if said not in BIG_FIVE:
        return "responses of an unknown trait"
    if strength and not record.get("personality") and "turn" in record:
        return "turns that no trait steers"
    polarity = str(record.get("level") or _steered(record, said) or level).strip().lower()
    context, response = _scene(_first(record, _CONTEXTS)), _first(record, _RESPONSES)
    if polarity not in LEVELS:
        return "responses of an unknown level"
    if not context or not response:
        return "responses without context or text"
    alpha = strength.removesuffix(f"_trait_{said[0]}")
    return Written(f"{alpha}{_first(record, _SCENARIOS) or context}", said, polarity, context, response)


def _steered(record: Mapping[str, Any], trait: str) -> str:
    """The level of a trait by a record's `personality`; "" where it has none, "?" where that is no such list."""
    given = str(record.get("personality") or "").split()
    if not given:
        return ""
    value = given[BIG_FIVE.index(trait)] if len(given) == len(BIG_FIVE) else "?"
    return dict(zip("01", LEVELS, strict=True)).get(value, "?")


def _scene(prompt: str) -> str:
    """Scenario and turns of a steered generation's prompt; any other context as it is."""
    scene = _SCENE.search(prompt)
    return "\n".join([scene[1], *_TURN.findall(prompt)]) if scene else prompt


def _first(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next(
        (str(record[key]).strip() for key in keys if isinstance(record.get(key), str | int) and record[key] != ""), ""
    )


def build_traits(
    written: Sequence[Written], kind: Literal["easy", "hard"], *, groups: int | None, seed: int, dropped: Counter[str]
) -> list[dict[str, Any]]:
    """EASY or HARD items, balanced over the ten polarities.

    Args:
        written: responses with their polarities.
        kind: which.
        groups: how many at most; None: all that the rarest polarity allows.
        seed: of all draws.
        dropped: grows by what can't be used, by reason.

    Raises:
        CorpusError: no group can be made.
    """
    unique: dict[tuple[str, str, str], Written] = {}
    for one in written:
        dropped["further responses for the same scenario and polarity"] += (
            one.scenario,
            one.trait,
            one.level,
        ) in unique
        unique.setdefault((one.scenario, one.trait, one.level), one)
    made: dict[tuple[str, str], list[list[dict[str, Any]]]] = {}
    for one in unique.values():
        group = _easy(one) if kind == "easy" else _hard(one, unique, seed)
        if group is None:
            dropped["responses without a reply of another trait at the same level in the scenario"] += 1
        else:
            made.setdefault((one.trait, one.level), []).append(group)
    if not made:
        raise CorpusError(f"0 {kind} groups from {len(written)} responses ({counted(dropped)}); at least 1 is needed")
    return _balanced(made, groups, seed, dropped)


def _item(one: Written, label: int, kind: str, **changed: Any) -> dict[str, Any]:
    base = f"{one.scenario}_{one.trait}_{one.level}"
    return {
        "case_id": f"{base}_pos" if label else f"{base}_neg_{kind}",
        "original_index": one.scenario,
        "trait": one.trait,
        "level": one.level,
        "profile": trait_profile(one.trait, one.level),
        "context": one.context,
        "response": one.response,
        "label": label,
        "negative_type": kind,
    } | changed


def _easy(one: Written) -> list[dict[str, Any]]:
    other = trait_profile(one.trait, _OTHER[one.level])
    return [_item(one, 1, "none"), _item(one, 0, "swap_within_trait", profile=other)]


def _hard(one: Written, all_: Mapping[tuple[str, str, str], Written], seed: int) -> list[dict[str, Any]] | None:
    """One negative of each type, both from the same other trait at the same level, drawn from a named stream."""
    others = [
        t
        for t in BIG_FIVE
        if t != one.trait
        and (one.scenario, t, one.level) in all_
        and all_[one.scenario, t, one.level].response != one.response
    ]
    if not others:
        return None
    other = others[stream(seed, "hard", one.scenario, one.trait, one.level).integers(len(others))]
    swapped = all_[one.scenario, other, one.level]
    return [
        _item(one, 1, "none"),
        _item(one, 0, "profile_swap_same_level", profile=trait_profile(other, one.level)),
        _item(one, 0, "cross_trait_same_level", response=swapped.response),
    ]


def _balanced(
    made: Mapping[tuple[str, str], list[list[dict[str, Any]]]], groups: int | None, seed: int, dropped: Counter[str]
) -> list[dict[str, Any]]:
    least = min(map(len, made.values()))
    each = least if groups is None else max(1, min(least, groups // len(made)))
    kept: list[dict[str, Any]] = []
    for polarity in sorted(made):
        chosen = stream(seed, "balance", *polarity).permutation(len(made[polarity]))[:each]
        dropped["groups left out for balance or size"] += len(made[polarity]) - each
        kept += [item for k in sorted(chosen) for item in made[polarity][k]]
    return kept


def build_social(path: Path, *, groups: int | None, seed: int, dropped: Counter[str]) -> list[dict[str, Any]]:
    """SOCIAL items from SocialBench: profile (or instruction), dialogue, choices, one gold label.

    Raises:
        CorpusError: no item can be used.
    """
    made = [group for k, record in enumerate(read_records(path, dropped)) if (group := _social(record, k, dropped))]
    if not made:
        raise CorpusError(
            f"{path}: 0 usable items ({counted(dropped)}); each needs a profile, a dialogue, choices and one gold label"
        )
    chosen = stream(seed, "social").permutation(len(made))[:groups]
    dropped["groups left out for size"] += len(made) - len(chosen)
    return [item for k in sorted(chosen) for item in made[k]]


def _social(record: Mapping[str, Any], number: int, dropped: Counter[str]) -> list[dict[str, Any]] | None:
    profile = str(record.get("profile") or record.get("instruction") or "").strip()
    choices, labels = record.get("choices"), record.get("label")
    gold = labels if isinstance(labels, list) else [labels]
    if not profile or not isinstance(choices, dict) or len(choices) < 2:  # noqa: PLR2004 -- a choice
        dropped["items without a profile or choices"] += 1
        return None
    if len(gold) != 1 or not isinstance(gold[0], str) or gold[0] not in choices:
        dropped["items without one gold label"] += 1
        return None
    if not all(isinstance(text, str) and text.strip() for text in choices.values()):
        dropped["items with a choice that isn't text"] += 1
        return None
    if len({text.strip() for text in choices.values()}) < len(choices):
        dropped["items with the same choice twice"] += 1
        return None
    meta = record.get("meta")
    key = str(record.get("id") or (meta.get("id") if isinstance(meta, dict) else "") or number)
    common = {"id": key, "profile": profile, "dialogue": _dialogue(record.get("dialogue"))}
    return [
        common
        | {
            "case_id": f"{key}_pos" if option == gold[0] else f"{key}_neg_{option}",
            "label": int(option == gold[0]),
            "option": option,
            "response": text,
        }
        for option, text in choices.items()
    ]


def _dialogue(turns: Any) -> str:
    if not isinstance(turns, list):
        return str(turns or "")
    return "\n".join(f"{turn.get('from', '')}: {turn.get('value', '')}" for turn in turns if isinstance(turn, dict))


def write_benchmark(items: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write items as a JSON array, in the released files' fields.

    Raises:
        ConfigError: the file can't be written.
    """
    try:
        path.write_text(json.dumps(list(items), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} can't be written ({error}); choose another --out") from error
