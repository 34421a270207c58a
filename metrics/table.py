"""A table as data, and as Markdown, CSV and LaTeX. Text of others is escaped in each."""

import csv
import io
import math
from dataclasses import dataclass, field

from folkmoot.metrics.uncertainty import FEW_UNITS

FEW = "too few"
_UNDEFINED = "\u2013"
_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u2013": "--",
    "\u2212": "$-$",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as tables show it.

    Attributes:
        value: the number; NaN where it isn't defined.
        low, high: bounds of its interval; NaN where there are none.
        n: pairs behind it.
        units: sampled units behind it.
        sd: standard deviation, over pairs or over the cells of an average; None where none is shown.
        digits: shown; None: the table's.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    units: int = 0
    sd: float | None = None
    digits: int | None = None

    @property
    def few(self) -> bool:
        """Too few units for an honest interval."""
        return 0 < self.units < FEW_UNITS


Cell = str | int | Number | None
"""None: a number that there is too little data for."""


@dataclass(slots=True)
class Table:
    """Rows of cells under names.

    Attributes:
        name: of its files.
        caption: a sentence or two: what it shows, and how to read it.
        columns: headings.
        rows: cells; a row of an average starts with `Avg`.
        notes: how the numbers were made, a line each.
        digits: of its numbers.
    """

    name: str
    caption: str
    columns: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    digits: int = 3

    def markdown(self) -> str:
        """The table with its caption and notes."""
        shown = [[escape_markdown(_text(cell, self.digits)) for cell in row] for row in self.rows]
        head = [escape_markdown(name) for name in self.columns]
        rule = ["---" if at == 0 else "---:" for at in range(len(head))]
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *shown)]
        notes = [f"- {escape_markdown(note)}" for note in self.notes]
        return "\n".join([f"**{escape_markdown(self.caption)}**", "", *lines, "", *notes]).rstrip() + "\n"

    def csv(self) -> str:
        """One line a row; a number's interval, n and deviation stand in columns of their own. Full precision."""
        wide = [
            any(isinstance(row[at], Number) or row[at] is None for row in self.rows) for at in range(len(self.columns))
        ]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        head: list[str] = []
        for name, several in zip(self.columns, wide, strict=True):
            head += [name, *(f"{name} {part}" for part in _PARTS)] if several else [name]
        writer.writerow(head)
        for row in self.rows:
            line: list[str] = []
            for cell, several in zip(row, wide, strict=True):
                line += _csv_cells(cell, several=several)
            writer.writerow(line)
        return out.getvalue()

    def latex(self) -> str:
        """A `table*` with booktabs rules; needs the packages booktabs and graphicx."""
        columns = "l" + "r" * (len(self.columns) - 1)
        head = " & ".join(escape_latex(name) for name in self.columns)
        lines = [" & ".join(_latex_cell(cell, self.digits) for cell in row) + r" \\" for row in self.rows]
        notes = [rf"\par\smallskip\footnotesize {escape_latex(' '.join(self.notes))}"] if self.notes else []
        body = [r"\toprule", head + r" \\", r"\midrule", *lines, r"\bottomrule"]
        return "\n".join(
            [
                r"\begin{table*}[t]",
                r"\centering\small",
                r"\resizebox{\textwidth}{!}{%",
                rf"\begin{{tabular}}{{{columns}}}",
                *body,
                r"\end{tabular}}",
                rf"\caption{{{escape_latex(self.caption)}}}",
                rf"\label{{tab:{self.name.replace('_', '-')}}}",
                *notes,
                r"\end{table*}",
                "",
            ]
        )


_PARTS = ("low", "high", "sd", "n", "units")


def _csv_cells(cell: Cell, *, several: bool) -> list[str]:
    if not several:
        return ["" if cell is None else str(cell)]
    if not isinstance(cell, Number):
        return ["" if cell is None else str(cell)] + [""] * len(_PARTS)
    values = (cell.value, cell.low, cell.high, math.nan if cell.sd is None else cell.sd)
    return ["" if math.isnan(value) else f"{value:.6g}" for value in values] + [str(cell.n), str(cell.units)]


def _text(cell: Cell, digits: int) -> str:
    if cell is None:
        return FEW
    return number_text(cell, digits) if isinstance(cell, Number) else str(cell)


def number_text(number: Number, digits: int = 3) -> str:
    """Value, deviation, interval; `*` where too few units were drawn.

    >>> number_text(Number(0.12345, 0.1, 0.2, n=30, units=12)), number_text(Number(63.1, 60, 66, 9, 9, sd=10.5), 1)
    ('0.123 [0.100, 0.200]', '63.1 ± 10.5 [60.0, 66.0]*')
    """
    if math.isnan(number.value):
        return _UNDEFINED
    digits = digits if number.digits is None else number.digits
    spread = "" if number.sd is None or math.isnan(number.sd) else f" ± {number.sd:.{digits}f}"
    if math.isnan(number.low) or math.isnan(number.high):
        return f"{number.value:.{digits}f}{spread}"
    star = "*" if number.few else ""
    return f"{number.value:.{digits}f}{spread} [{number.low:.{digits}f}, {number.high:.{digits}f}]{star}"


def _latex_cell(cell: Cell, digits: int) -> str:
    if not isinstance(cell, Number) or math.isnan(cell.value):
        return escape_latex(_text(cell, digits))
    value, _, interval = number_text(cell, digits).partition(" [")
    value = escape_latex(value).replace("-", "$-$")
    return f"{value} {{\\scriptsize [{interval}}}" if interval else value


def escape_latex(text: str) -> str:
    r"""Text that LaTeX sets as it is, on one line.

    >>> escape_latex("a_b & 5 % {x} \\input")
    'a\\_b \\& 5 \\% \\{x\\} \\textbackslash{}input'
    """
    return "".join(_TEX.get(char, char) for char in " ".join(text.split()))


def escape_markdown(text: str) -> str:
    r"""Text that opens no cell, link, tag or code in Markdown, on one line.

    >>> escape_markdown("a|b <c> `d` [x](y) *z")
    'a\\|b &lt;c> \\`d\\` \\[x](y) \\*z'
    """
    one = " ".join(text.split())
    for char in "\\`|*":
        one = one.replace(char, f"\\{char}")
    return one.replace("<", "&lt;").replace("[", "\\[") if "](" in one else one.replace("<", "&lt;")
