"""The filled review sheet: counts by corpus and question, each with an interval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from folkmoot.environments.corpora.audit.sheet import ANSWERS, JUDGED
from folkmoot.sim.errors import CorpusError, did_you_mean
from folkmoot.sim.sheets import decode_sheet

Z = 1.959963984540054
"""Of a 95 % interval."""

SPELLINGS: Mapping[str, str] = {
    **{answer: answer for answer in ANSWERS},
    **dict.fromkeys(("y", "1", "ok", "true", "ja", "j", "sí", "si", "oui", "o", "s"), "yes"),
    **dict.fromkeys(("p", "0.5", "partially", "teilweise", "teils", "parcial", "partiellement", "parziale"), "partly"),
    **dict.fromkeys(("n", "0", "false", "nein", "non"), "no"),
}
"""What reviewers write -> answer."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One question over the users of one corpus, or of all.

    Attributes:
        corpus: its name; "all" for the sum.
        question: of `JUDGED`.
        answers: of yes, partly and no.
        blank: users that nobody judged.
        low, high: 95 % interval of the share of yes (Wilson); 0 and 1 where nobody judged.
    """

    corpus: str
    question: str
    answers: Counter[str]
    blank: int
    low: float
    high: float

    @property
    def n(self) -> int:
        """Judged users."""
        return self.answers.total()

    @property
    def share(self) -> float | None:
        """Of yes among those judged."""
        return self.answers["yes"] / self.n if self.n else None

    def line(self) -> str:
        """One line for people."""
        share = "nobody judged" if self.share is None else f"{self.share:.0%} yes [{self.low:.0%}, {self.high:.0%}]"
        counts = ", ".join(f"{self.answers[answer]} {answer}" for answer in ANSWERS)
        return f"{self.corpus}: {self.question}: {share} (n = {self.n}: {counts}; {self.blank} blank)"


def read_sheet(path: Path) -> list[dict[str, str]]:
    """The rows of a filled sheet, answers in one spelling ("" where there is none).

    Spreadsheets may have written commas, semicolons or tabs, and the columns in any order.

    Raises:
        CorpusError: unreadable, a column is missing, a user stands twice, or an answer isn't one.
    """
    rows = decode_sheet(path, ("corpus", "user", *JUDGED))
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(rows, 2):
        key = row["corpus"], row["user"]
        if key in seen:
            raise CorpusError(f"{path}, row {number}: user {row['user']} stands twice; leave one of the rows")
        seen.add(key)
        for question in JUDGED:
            row[question] = _answer(row[question] or "", f"{path}, row {number}, {question}")
    return rows


def _answer(given: str, where: str) -> str:
    plain = given.strip().casefold()
    if not plain:
        return ""
    if plain not in SPELLINGS:
        raise CorpusError(f"{where}: {given[:40]!r} is no answer; {did_you_mean(plain, ANSWERS)}")
    return SPELLINGS[plain]


def tally(rows: Iterable[Mapping[str, str]]) -> list[Judged]:
    """Each question for each corpus, and for all of them where there are several."""
    rows = list(rows)
    corpora = sorted({row["corpus"] for row in rows})
    groups = [(name, [row for row in rows if row["corpus"] == name]) for name in corpora]
    if len(groups) > 1:
        groups.append(("all", rows))
    return [_judged(name, question, own) for name, own in groups for question in JUDGED]


def _judged(name: str, question: str, rows: Sequence[Mapping[str, str]]) -> Judged:
    answers = Counter(row[question] for row in rows)
    blank = answers.pop("", 0)
    low, high = wilson(answers["yes"], answers.total())
    return Judged(name, question, answers, blank, low, high)


def wilson(count: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; (0, 1) where nothing was counted.

    >>> [round(bound, 3) for bound in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not total:
        return 0.0, 1.0
    share, square = count / total, Z * Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)
