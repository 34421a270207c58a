"""Human studies end to end with scripted annotators whose right answers are known."""

import csv
import io
from collections import Counter

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr

from folkmoot.metrics.agreement import rank_correlation
from folkmoot.metrics.fidelity.benchmarks import Benchmark, Case
from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.human_tables import human_tables
from folkmoot.metrics.fidelity.humans import ALL, Bootstrap, Part, agreement, fit, parts, told_apart, undecided
from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.sheets import COLUMNS, FIDELITY, read_study, sheet_file, study_files
from folkmoot.metrics.fidelity.spaces import trait_space
from folkmoot.metrics.fidelity.study import draw_study
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.sim.errors import ConfigError, CorpusError, MetricError

SPACE = trait_space("openness", "high")
HOW = Bootstrap(draws=60, seed=1)


def benchmark(name="hard", groups=12, kinds=(("swap", "cross"),)):
    """A benchmark whose negatives are of the given kinds, in turn; each response says what it is."""
    cases = []
    for g in range(groups):
        for n, kind in enumerate(("positive", *kinds[g % len(kinds)])):
            item = Item(f"{name}{g}_{n}", SPACE, "=SUM(1)", f"-reply {name} {g} {kind}")
            cases.append(Case(item, f"{name}{g}", n == 0, kind, "@persona"))
    return Benchmark(name, tuple(cases), Counter())


def truth(shown):
    """Rating and labels of a response: positives fit, swaps violate one dimension, the rest violates two."""
    wrong = 0 if shown.positive else 1 + (shown.kind == "cross")
    first = len(shown.group) % 3
    violated = [DIMENSIONS[(first + k) % 3] for k in range(wrong)]
    return 5 - 2 * wrong, {d: 2 if d in violated else 0 for d in DIMENSIONS}


def study(tmp_path, benchmarks, answer=lambda annotator, shown: truth(shown), **options):
    """A study drawn, given out, filled by `answer`, and read back."""
    key, cases = draw_study(benchmarks, seed=3, **options)
    for name, content in study_files(key, cases).items():
        (tmp_path / name).write_bytes(content)
    for annotator in range(key.annotators):
        fill(sheet_file(tmp_path, annotator), lambda code, a=annotator: answer(a, key.shown[code]))
    return key, read_study(tmp_path)


def rows_of(path):
    """Rows of a sheet."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def fill(path, answer):
    """Answer each row by its description's text, as a person would."""
    rows = rows_of(path)
    for row in rows:
        rating, labels = answer(row["code"])
        row[FIDELITY] = rating
        for d, label in labels.items():
            texts = [row[f"{d} {letter}"] for letter in "ABC"]
            row[d] = "" if label is None else "ABC"[texts.index(SPACE.texts[d][label])]
    write(path, rows)


def write(path, rows):
    """Write a sheet as a spreadsheet would."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def lines_of(key, wrong=frozenset()):
    """Lines of a method that agrees with the truth, but for the items in `wrong`, where it has it upside down."""
    lines = {}
    for shown in key.shown.values():
        rating, labels = truth(shown)
        q = {d: (0.1, 0.1, 0.8) if labels[d] else (0.8, 0.1, 0.1) for d in DIMENSIONS}
        if shown.item in wrong:
            q = {d: p[::-1] for d, p in q.items()}
        line = Line(item=shown.item, group=shown.group, positive=shown.positive, kind=shown.kind, score=rating / 5, q=q)
        lines[shown.benchmark, shown.item] = line
    return lines


def test_annotators_who_know_agree_and_confirm_a_method_that_knows(tmp_path):
    """With right answers alpha, separation, rank correlation, Top-1, Top-2 and macro-F1 are all 1."""
    key, answers = study(tmp_path, [benchmark()])
    (part,) = parts(answers)
    assert all(agreement(part, q, HOW).value == 1 for q in (FIDELITY, *DIMENSIONS, ALL))
    assert told_apart(part, HOW).group_accuracy.value == 1
    found = fit(part, lines_of(key), HOW)
    assert [one.value for one in (found.rank, found.top1, found.top2)] == pytest.approx([1, 1, 1])
    assert found.f1.value == pytest.approx(1)
    assert found.chance1 == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert found.chance2 == pytest.approx((2 / 3 + 1) / 2)
    assert undecided(part) == answers.blank == 0


def test_a_method_that_errs_is_found_out(tmp_path):
    """Items with their dimensions upside down lower Top-1 and macro-F1 by what they weigh, and nothing else."""
    key, answers = study(tmp_path, [benchmark()])
    crossed = {s.item for s in key.shown.values() if s.kind == "cross"}
    found = fit(parts(answers)[0], lines_of(key, crossed), HOW)
    assert found.top1.value == 0.5
    assert found.rank.value == pytest.approx(1)
    assert found.f1.value < 1


def test_alpha_with_an_annotator_of_another_mind_is_the_packages(tmp_path):
    """Alpha over what was read back equals the krippendorff package's, blanks included; the majority still counts."""

    def answer(annotator, shown):
        rating, labels = truth(shown)
        if annotator == 2:
            return 6 - rating, {d: None if d == DIMENSIONS[0] else 2 - label for d, label in labels.items()}
        return rating, labels

    key, answers = study(tmp_path, [benchmark()], answer)
    (part,) = parts(answers)
    expected = krippendorff.alpha(answers.ratings, level_of_measurement="ordinal")
    assert agreement(part, FIDELITY, HOW).value == pytest.approx(expected)
    pooled = np.hstack([answers.labels[d] for d in DIMENSIONS])
    expected = krippendorff.alpha(pooled, level_of_measurement="ordinal")
    assert agreement(part, ALL, HOW).value == pytest.approx(expected)
    assert answers.blank == len(key.shown)
    assert fit(part, lines_of(key), HOW).top1.value == 1


def test_three_answers_of_three_kinds_are_counted():
    """Without a majority a dimension counts as not violated, and is counted."""
    key, _ = draw_study([benchmark(groups=1)], seed=0)
    from folkmoot.metrics.fidelity.sheets import Answers

    table = np.tile(np.array([[0.0], [1.0], [2.0]]), (1, len(key.shown)))
    answers = Answers(key, table + 1, dict.fromkeys(DIMENSIONS, table))
    part = Part("hard", answers, np.arange(len(key.shown)))
    assert undecided(part) == 3 * len(key.shown)
    assert fit(part, lines_of(key), HOW).top1 is None


def test_groups_are_balanced_over_ways_of_making_negatives():
    """Where groups have one kind of negative each, both kinds are drawn equally often, whole groups only, by the seed."""
    source = benchmark(groups=30, kinds=(("swap",), ("swap",), ("cross",)))
    key, _ = draw_study([source], groups=10, seed=5)
    assert Counter(s.kind for s in key.shown.values()) == {"positive": 10, "swap": 5, "cross": 5}
    assert draw_study([source], groups=10, seed=5)[0] == key
    assert draw_study([source], groups=10, seed=6)[0] != key


def test_sheets_hide_the_truth_and_are_safe(tmp_path):
    """No sheet holds an item's id, its kind's column or a formula; orders of rows and of options differ between people."""
    key, _ = study(tmp_path, [benchmark("easy"), benchmark("hard")], groups=10)
    sheets = [rows_of_any(sheet_file(tmp_path, a)) for a in range(3)]
    assert all(len(rows) == 60 for rows in sheets)
    ids = {shown.item for shown in key.shown.values()}
    for rows in sheets:
        cells = [cell for row in rows for cell in row.values()]
        assert not ids & set(cells)
        assert not any(cell.startswith(("=", "-", "@", "+")) for cell in cells)
    assert len({tuple(row["code"] for row in rows) for rows in sheets}) == 3
    assert len({tuple(sorted((row["code"], row["task_framing A"]) for row in rows)) for rows in sheets}) == 3
    places = Counter(order.index(0) for s in key.shown.values() for o in s.orders for order in o.values())
    assert min(places.values()) > 0.25 * sum(places.values())


def rows_of_any(path):
    """Rows of a filled sheet."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")), delimiter=";"))


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        (FIDELITY, "6", "whole number from 1 to 5"),
        (FIDELITY, "2.5", "whole number from 1 to 5"),
        (FIDELITY, "=2+3", "whole number from 1 to 5"),
        ("task_framing", "D", "one letter of A, B, C"),
        ("code", "zzz", "isn't one of the study's 36"),
        ("code", "twice", "stands twice"),
        ("code", None, "1 of 36 rows are missing"),
    ],
)
def test_bad_cells_are_named(tmp_path, column, cell, said):
    """A value out of range, an unknown, doubled or missing code: the error names sheet, row and what is allowed."""
    study(tmp_path, [benchmark()])
    path = sheet_file(tmp_path, 1)
    rows = rows_of_any(path)
    if cell is None:
        del rows[4]
    else:
        rows[4][column] = rows[3]["code"] if cell == "twice" else cell
    write(path, rows)
    with pytest.raises(CorpusError, match=said):
        read_study(tmp_path)


def test_missing_people_are_named(tmp_path):
    """A sheet that isn't there, one that nobody filled, and a folder without key are errors; some blanks are not."""
    study(tmp_path, [benchmark()])
    path = sheet_file(tmp_path, 2)
    rows = rows_of_any(path)
    write(path, [row | dict.fromkeys((FIDELITY, *DIMENSIONS), "") for row in rows])
    with pytest.raises(CorpusError, match="0 answers"):
        read_study(tmp_path)
    path.unlink()
    with pytest.raises(CorpusError, match="add the missing sheet"):
        read_study(tmp_path)
    with pytest.raises(CorpusError, match="folkmoot fidelity sheets"):
        read_study(tmp_path / "other")


def test_studies_that_cannot_be(tmp_path):
    """Two benchmarks of one name, no annotators, and a benchmark without whole groups are refused."""
    with pytest.raises(ConfigError, match="rename a file"):
        draw_study([benchmark(), benchmark()])
    with pytest.raises(ConfigError, match="at least 1"):
        draw_study([benchmark()], annotators=0)
    lonely = Benchmark("x", tuple(c for c in benchmark().cases if c.positive), Counter())
    with pytest.raises(CorpusError, match="0 groups"):
        draw_study([lonely])


def test_tables_say_what_is_missing(tmp_path):
    """Two benchmarks give a row each and one for both; a method that scored one of them stands with that one."""
    key, answers = study(tmp_path, [benchmark("easy"), benchmark("hard")])
    half = {k: line for k, line in lines_of(key).items() if k[0] == "easy"}
    made = {table.name: table for table in human_tables(answers, {("m", "prism"): half}, HOW)}
    assert {row[0] for row in made["annotators"].rows} == {"easy", "hard", ALL}
    assert [row[0] for row in made["diagnosis"].rows] == ["easy", ALL]
    assert ["responses without a score by prism, m", 36] in made["missing"].rows


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_is_scipys(seed):
    """Spearman's correlation equals scipy's, ties included; a constant side has none."""
    values = np.random.default_rng(seed).integers(0, 5, (2, 40))
    assert rank_correlation(*values) == pytest.approx(spearmanr(*values).statistic)
    with pytest.raises(MetricError, match="2 different values"):
        rank_correlation([1, 1], [1, 2])
