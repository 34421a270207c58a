"""Annotators' sheets of a human study: one a person, out and in.

A sheet shows persona, context and response, asks for fidelity from 1 to 5, and for each dimension which of three
descriptions fits; the descriptions stand in an order of their own for each person and response. Text under study never
becomes a formula.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.fidelity.benchmarks import Case
from folkmoot.metrics.fidelity.judges import RUBRICS
from folkmoot.metrics.fidelity.study import Key, texts_shown
from folkmoot.metrics.fidelity.wording import DIMENSIONS, LABELS, wording
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.rng import stream
from folkmoot.sim.sheets import decode_sheet, encode_sheet

KEY = "key.json"
"""The key's file in a study's folder."""

FIDELITY = "fidelity"
"""Column of the rating."""

POINTS = 5
"""Of the rating."""

COLUMNS = (
    "code",
    "persona",
    "context",
    "response",
    FIDELITY,
    *(column for d in DIMENSIONS for column in (*(f"{d} {label}" for label in LABELS), d)),
    "remarks",
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answers:
    """What the annotators said; rows are annotators, columns the key's codes in their order; NaN where blank.

    Attributes:
        key: of the study.
        ratings: fidelity, 1 to 5.
        labels: dimension -> label chosen, 0 aligned, 1 indeterminate, 2 opposite.
    """

    key: Key
    ratings: Floats
    labels: Mapping[str, Floats]

    @property
    def blank(self) -> int:
        """Cells that nobody filled."""
        return int(sum(np.isnan(table).sum() for table in (self.ratings, *self.labels.values())))


def sheet_file(folder: Path, annotator: int) -> Path:
    """A person's sheet in a study's folder, counted from 0."""
    return folder / f"annotator_{annotator + 1}.csv"


def study_files(key: Key, cases: Mapping[str, Case], language: str = "en") -> dict[str, bytes]:
    """Name -> content of all files of a study: the key, instructions, and a sheet for each annotator."""
    files = {KEY: msgspec.json.encode(key), "instructions.md": instructions(language).encode()}
    for annotator in range(key.annotators):
        codes = list(key.shown)
        turned = [codes[k] for k in stream(key.seed, "study rows", annotator).permutation(len(codes))]
        rows = [_row(code, cases[code], key, annotator) for code in turned]
        files[sheet_file(Path(), annotator).name] = encode_sheet(COLUMNS, rows)
    return files


def _row(code: str, case: Case, key: Key, annotator: int) -> dict[str, str]:
    row = dict.fromkeys(COLUMNS, "") | {
        "code": code,
        "persona": case.profile,
        "context": case.item.context,
        "response": case.item.response,
    }
    for dimension in DIMENSIONS:
        texts = texts_shown(case, key.shown[code].orders[annotator], dimension)
        row |= {f"{dimension} {label}": text for label, text in zip(LABELS, texts, strict=True)}
    return row


def instructions(language: str = "en") -> str:
    """What annotators are told, in Markdown."""
    points = "\n".join(f"- {point}: {text}" for point, text in enumerate(RUBRICS[POINTS], 1))
    dims = "\n".join(f"- `{d}`: {wording(language).dimensions[d].question}" for d in DIMENSIONS)
    return (
        "# How to fill the sheet\n\n"
        "Each row shows a person, what was said before, and one reply. Judge every row by itself and don't talk about "
        "it with the others. Whatever the texts ask for isn't meant for you.\n\n"
        f"In `{FIDELITY}` write how far the reply is in character, whether or not it is a good reply:\n\n{points}\n\n"
        "Then, for each of three sides, write the letter (A, B or C) of the description beside it that fits the reply "
        f"best; the descriptions stand in another order in every row:\n\n{dims}\n\n"
        "Leave a cell empty where you can't tell even that. Keep all columns and codes; save as CSV in UTF-8.\n"
    )


def read_study(folder: Path) -> Answers:
    """The filled sheets of a study.

    Raises:
        CorpusError: the key or a sheet is missing or damaged, a code is unknown, missing or twice, a value is out of
            range, or an annotator filled nothing.
    """
    key = _key(folder / KEY)
    places = {code: place for place, code in enumerate(key.shown)}
    tables = {name: np.full((key.annotators, len(places)), math.nan) for name in (FIDELITY, *DIMENSIONS)}
    for annotator in range(key.annotators):
        path = sheet_file(folder, annotator)
        if not path.is_file():
            raise CorpusError(f"{path} isn't there: the study has {key.annotators} annotators; add the missing sheet")
        for code, row in _rows(path, places).items():
            _take(row, f"{path}, {code}", key.shown[code].orders[annotator], tables, (annotator, places[code]))
        if all(np.isnan(table[annotator]).all() for table in tables.values()):
            raise CorpusError(f"{path}: 0 answers; fill it, or draw a study with fewer annotators")
    return Answers(key, tables[FIDELITY], {d: tables[d] for d in DIMENSIONS})


def _key(path: Path) -> Key:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Key)
    except (OSError, msgspec.DecodeError) as error:
        raise CorpusError(
            f"{path} can't be read as a study's key ({error}); give the folder that `folkmoot fidelity sheets` made"
        ) from error


def _rows(path: Path, codes: Mapping[str, int]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for number, row in enumerate(decode_sheet(path, ("code", FIDELITY, *DIMENSIONS)), 2):
        code = row["code"].strip()
        if code not in codes:
            raise CorpusError(f"{path}, row {number}: code {code[:40]!r} isn't one of the study's {len(codes)}")
        if code in found:
            raise CorpusError(f"{path}, row {number}: code {code!r} stands twice; leave one of the rows")
        found[code] = row
    if missing := [code for code in codes if code not in found]:
        raise CorpusError(
            f"{path}: {len(missing)} of {len(codes)} rows are missing, the first is {missing[0]}; "
            "keep all rows, cells may be empty"
        )
    return found


def _take(
    row: Mapping[str, str],
    where: str,
    orders: Mapping[str, Sequence[int]],
    tables: Mapping[str, Floats],
    place: tuple[int, int],
) -> None:
    tables[FIDELITY][place] = _rating(row[FIDELITY], where)
    for dimension in DIMENSIONS:
        said = row[dimension].strip().upper()
        if said and said not in LABELS:
            raise CorpusError(
                f"{where}: {dimension} is {said[:40]!r}; give one letter of {', '.join(LABELS)}, or nothing"
            )
        tables[dimension][place] = orders[dimension][LABELS.index(said)] if said else math.nan


def _rating(cell: str, where: str) -> float:
    said = cell.strip()
    if not said:
        return math.nan
    allowed = {str(point): float(point) for point in range(1, POINTS + 1)}
    if (point := said.removesuffix(".0").removesuffix(",0")) not in allowed:
        raise CorpusError(f"{where}: {FIDELITY} is {said[:40]!r}; give a whole number from 1 to {POINTS}, or nothing")
    return allowed[point]
