"""`folkmoot profile sample` and `agreement`: answers for people to judge, and people beside the judges."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from folkmoot.agents.interests.respond import REQUESTS, show_profile
from folkmoot.metrics.profile.judging import DIMENSIONS
from folkmoot.metrics.profile.people import Answered, agreements, stratified
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.real import task_of
from folkmoot.sim.errors import ConfigError, CorpusError, LogError
from folkmoot.sim.experiments.dialogue import DialogueLine, read_dialogues
from folkmoot.sim.experiments.profile_settings import DialogueConfig
from folkmoot.sim.manifest import content_hash, write_whole
from folkmoot.sim.persona import Interests
from folkmoot.sim.sheets import decode_sheet, encode_sheet

COLUMNS = ("answer", "interests", "intent", "request", "response", *DIMENSIONS, "remarks")
"""`answer` names it; the three dimensions are to be filled with 0 to 5."""

WANTED = {"stable": "something that fits as always", "recent": "something that goes with the newest interests"}

Known = tuple[str, DialogueConfig, DialogueLine]
"""Key, the run's settings, the line."""


def write_sample(paths: Sequence[Path], out: Path, count: int, judge: str, seed: int) -> str:
    """Write the sheet; returns what to print.

    Raises:
        ConfigError: a run of another experiment, or a judge that isn't there.
        LogError: no answer has points.
    """
    known = {key: (task, line) for key, task, line in _answers(paths)}
    names = list(dict.fromkeys(name for _, line in known.values() for name in line.scores))
    if judge and judge not in names:
        raise ConfigError(f"judge {judge!r} isn't there; the runs have {', '.join(names) or 'none'}")
    chosen = judge or next(iter(names), "")
    answers = [
        Answered(key, task.context, task.intent, math.fsum(line.scores[chosen]) / len(DIMENSIONS))
        for key, (task, line) in known.items()
        if chosen in line.scores
    ]
    if not answers:
        raise LogError("none of the runs has an answer with points; give finished runs of dialogue")
    rows = [_row(one.key, *known[one.key]) for one in stratified(answers, count, seed)]
    write_whole(out, encode_sheet(COLUMNS, rows))
    return f"{len(rows)} answers in {out}; fill {', '.join(DIMENSIONS)} with 0 to 5, then: folkmoot profile agreement"


def _row(key: str, task: DialogueConfig, line: DialogueLine) -> dict[str, str]:
    gold = Interests.model_validate(line.gold)
    return dict.fromkeys(COLUMNS, "") | {
        "answer": key,
        "interests": show_profile(gold).replace("> ", ""),
        "intent": WANTED[task.intent],
        "request": REQUESTS[task.intent][line.request],
        "response": line.response,
    }


def read_agreement(paths: Sequence[Path], sheets: Sequence[Path]) -> str:
    """What the filled sheets say, a dimension a line.

    Raises:
        CorpusError: a sheet can't be read, names an answer that the runs don't have, holds points that aren't or none,
            or is given twice.
    """
    known = {key: line for key, _, line in _answers(paths)}
    _twice(sheets)
    filled = [_points(sheet, set(known)) for sheet in sheets]
    if empty := [str(sheet) for sheet, points in zip(sheets, filled, strict=True) if not _given(points)]:
        raise CorpusError(
            f"{', '.join(empty)}: 0 points; fill {', '.join(DIMENSIONS)} of at least 1 answer with 0 to 5, or "
            "leave the sheet out"
        )
    names = dict.fromkeys(name for line in known.values() for name in line.scores)
    judges = {name: {key: one.scores[name] for key, one in known.items() if name in one.scores} for name in names}
    return "\n".join(one.line() for one in agreements(filled, judges))


def _twice(sheets: Sequence[Path]) -> None:
    """Each person has a sheet: one given twice, or a copy under another name, would agree with itself."""
    seen: dict[bytes, Path] = {}
    for sheet in sheets:
        content = sheet.read_bytes() if sheet.is_file() else bytes(sheet)  # what isn't there is told when it is read
        if content in seen:
            raise CorpusError(
                f"{sheet} is the same as {seen[content]}; give the sheet of each person once (two people who truly "
                "agree in all: write a remark into one of the sheets)"
            )
        seen[content] = sheet


def _given(points: Mapping[str, Sequence[float]]) -> bool:
    return any(not math.isnan(value) for row in points.values() for value in row)


def _answers(paths: Sequence[Path]) -> Iterator[Known]:
    for run in runs_in(paths):
        task, seed = task_of(run, DialogueConfig)
        model = str(run.manifest()["model"])
        for line in read_dialogues(run):
            if line.response:
                key = [model, task.context, task.intent, seed, line.community, line.user, line.response]
                yield content_hash(key), task, line


def _points(path: Path, known: set[str]) -> dict[str, tuple[float, ...]]:
    found: dict[str, tuple[float, ...]] = {}
    for number, row in enumerate(decode_sheet(path, ["answer", *DIMENSIONS]), 2):
        key = row["answer"]
        if key not in known:
            raise CorpusError(f"{path}, row {number}: answer {key[:40]!r} isn't in these runs; give those it came from")
        found[key] = tuple(_point(row[name], f"{path}, row {number}, {name}") for name in DIMENSIONS)
    return found


def _point(text: str, where: str) -> float:
    plain = text.strip().replace(",", ".")
    if not plain:
        return math.nan
    try:
        value = float(plain)
    except ValueError as error:
        raise CorpusError(f"{where}: {plain[:40]!r} isn't a number from 0 to 5") from error
    if not 0 <= value <= 5:  # noqa: PLR2004 -- the scale
        raise CorpusError(f"{where}: {value:g} isn't from 0 to 5")
    return value
