"""Tables about a study: its sample, comparisons of conditions, answers left out, prompts."""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from folkmoot.metrics.next_turn import tables
from folkmoot.metrics.next_turn.answers import KINDS
from folkmoot.metrics.next_turn.drawn import key_of
from folkmoot.metrics.next_turn.pairs import Cell as GridCell
from folkmoot.metrics.next_turn.pairs import Pair
from folkmoot.metrics.next_turn.study import GENDERS, Study
from folkmoot.metrics.next_turn.tables import PLACE, TITLES, notes_of, place
from folkmoot.metrics.table import Cell, Number, Table
from folkmoot.metrics.text import count_sentences

UNREAD = ("acts unread", "sentiment unread")
"""Headings of counts of comments that have no label."""


def all_tables(study: Study) -> list[Table]:
    """All tables, in the order of a report."""
    numbers = [tables.text, tables.behaviour, tables.deltas, tables.gender, tables.profile_length, tables.sentiment]
    return [make(study) for make in (sample, *numbers, comparisons, answers, prompts)]


def comparisons(study: Study) -> Table:
    """Paired comparisons of conditions."""
    table = Table(
        "comparisons",
        "Conditions compared on the targets that both answered: first - second, two-sided sign-flip test over whole "
        f"{study.settings.unit}s, Holm's correction over all comparisons of a score, Cohen's d_z.",
        [
            "first",
            "second",
            "community",
            "model",
            "score",
            "n",
            "difference",
            "p",
            "p (Holm)",
            "d_z",
            "nearer to people",
        ],
        notes=notes_of(study, "The last column names a condition where the corrected p is below 0.05."),
    )
    for one in study.compared:
        where: list[Cell] = [one.first, one.second, one.community, one.model, TITLES[one.score], one.n]
        if one.found is None:
            table.rows.append([*where, None, "", "", "", ""])
            continue
        gap = one.found.difference
        number = Number(gap.value, gap.low, gap.high, one.n, gap.n_units)
        tests = [f"{one.found.p:.4f}", f"{one.found.p_holm:.4f}", f"{one.found.effect:.2f}", one.verdict]
        table.rows.append([*where, number, *tests])
    return table


def answers(study: Study) -> Table:
    """What was left out, by kind, and what was mended."""
    table = Table(
        "answers",
        "Answers: targets, answers left out of every number by kind, share left out, and answers that were mended.",
        [*PLACE, "sampled", "targets", *KINDS, "left out", "mended", *UNREAD],
        notes=[
            "The rules stand in docs/next_turn.md; a target without a comment is left out on both sides.",
            "Fewer targets than sampled: the run was stopped. Unread: comments without a label, human / agent.",
        ],
    )
    for cell in study.cells:
        kinds = cell.kinds
        mended = "; ".join(f"{name} {count}" for name, count in sorted(cell.mended.items()))
        counts: list[Cell] = [kinds[kind] for kind in KINDS]
        sampled = int(cell.sample.get("chosen", 0)) * max(1, cell.runs)
        row: list[Cell] = [*place(key_of(cell)), sampled, len(cell.pairs), *counts, f"{cell.left_out:.1%}", mended]
        table.rows.append([*row, *_unread(cell)])
    return table


def _unread(cell: GridCell) -> list[Cell]:
    """How many comments have no label, by role and side: a number that isn't there has its reason here."""
    roles = [[pair.acts for pair in cell.usable], [pair.sentiment for pair in cell.usable]]
    return [" / ".join(str(sum(sides[n] is None for sides in role)) for n in (0, 1)) for role in roles]


def prompts(study: Study) -> Table:
    """What was shortened, and how much of the prompts' beginnings is shared."""
    names = ("tokens", "shared, queued", "shared, in time", "shared with any", "article cut", "history dropped")
    table = Table(
        "prompts",
        "Prompts: tokens; share of prompt tokens that the prompt just before has too, as the calls are queued and as "
        "the comments came; share that any earlier prompt has; prompts with a shortened article or history.",
        [*PLACE, "prompts", *names, "history under 5 threads", "comments left out"],
        notes=["Shares by blocks of 64 characters; 'too few': the run kept no prompts (keep_prompts=false)."],
    )
    for cell in study.cells:
        table.rows.append([*place(key_of(cell)), *_prompt_cells(cell)])
    return table


def _prompt_cells(cell: GridCell) -> list[Cell]:
    found = cell.prefixes
    facts = [pair.facts for pair in cell.pairs]
    counts: list[Cell] = [
        sum(name in one for one in facts)
        for name in ("article_kept", "history_dropped", "history_short", "comments_omitted")
    ]
    if not found.prompts:
        return [len(cell.pairs), None, None, None, None, *counts]
    shares = found.shared(found.queued), found.shared(found.in_time), found.kept(found.queued)
    return [len(cell.pairs), found.tokens, *(f"{share:.1%}" for share in shares), *counts]


def sample(study: Study) -> Table:
    """The sample of each community (Wiki-Talkie, table 3), and who is eligible for what."""
    table = Table(
        "sample",
        "Sample: comments written again, comments before them, authors, sentences by the author's gender; and how many "
        "comments of the community each condition can be used for.",
        [
            *("community", "condition", "comments", "threads", "previous comments", "users", "men", "women"),
            *("men's sentences", "women's sentences", "eligible", "eligible for all"),
        ],
        notes=[
            "Previous comments: mean ± sd. Eligible: of all comments by known authors, before sampling.",
            *_trait_notes(study),
        ],
    )
    table.rows += [[cell.community, cell.condition, *_sample_cells(cell)] for cell in _sampled(study)]
    return table


def _sampled(study: Study) -> list[GridCell]:
    """A cell for each community and condition: models have the same sample."""
    ordered = sorted(study.cells, key=lambda cell: study.communities.index(cell.community))
    first = study.models[0]
    return [c for c in ordered if c.model == first or not study.keys(c.condition, c.community, first)]


def _trait_notes(study: Study) -> list[str]:
    """How often a condition that shows traits may show what was read from the target."""
    found: dict[str, dict[str, list[str]]] = {}
    for cell in _sampled(study):
        traits = cell.sample.get("traits")
        if traits and not traits["as_of_target"]:
            counts = f"{traits['targets']}, {traits['thread_read']}, {traits['unknown']}"
            found.setdefault(cell.community, {}).setdefault(counts, []).append(cell.condition)
    if not found:
        return []
    told = (
        "Traits are not as of the target: they are the persona's, whenever they were learned. Comments by authors with "
        "traits, of these in a thread that the author's traits were read from, and those of whom it isn't known what "
        "was read: "
    )
    return [f"{told}{'; '.join(_trait_counts(name, counted) for name, counted in found.items())}."]


def _trait_counts(community: str, counted: Mapping[str, Sequence[str]]) -> str:
    """Conditions are named where they differ."""
    if len(counted) == 1:
        return f"{community}: {next(iter(counted))}"
    return "; ".join(f"{community} ({', '.join(names)}): {counts}" for counts, names in counted.items())


def _sample_cells(cell: GridCell) -> list[Cell]:
    unique = list({pair.target: pair for pair in cell.pairs}.values())
    before = [pair.position for pair in unique]
    spread = stdev(before) if len(before) > 1 else 0.0
    eligible: dict[str, Any] = dict(cell.sample.get("eligible", {}))
    return [
        *(len(unique), len({pair.thread for pair in unique}), f"{fmean(before or [0]):.2f} ± {spread:.2f}"),
        len({pair.user for pair in unique}),
        *(len({pair.user for pair in unique if pair.gender == name}) for name in GENDERS),
        *(_sentences(unique, name) for name in GENDERS),
        eligible.get(cell.condition, ""),
        cell.sample.get("eligible_for_all", ""),
    ]


def _sentences(pairs: Sequence[Pair], name: str) -> int:
    return sum(count_sentences(pair.real) for pair in pairs if pair.gender == name)
