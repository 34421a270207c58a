"""People verify proposed profiles: a review sheet out, verified sheets in, agreement, counts of what they changed."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from folkmoot.agents.interests.answers import LONGEST, domain_name, plain_tag
from folkmoot.agents.interests.posts import Post, date
from folkmoot.metrics.agreement import krippendorff_alpha
from folkmoot.metrics.profile.canonical import Interest
from folkmoot.metrics.profile.scores import Bucket
from folkmoot.sim.errors import CorpusError, MetricError, did_you_mean
from folkmoot.sim.persona import Domain, Interests
from folkmoot.sim.sheets import decode_sheet

VERDICTS = ("keep", "remove", "refine", "add")

KEY = ("user", "domain", "tag", "bucket")

COLUMNS = (
    *KEY,
    *("other_names", "posts", "months", "stable_score", "recent_score", "seen_in", "calibration", "evidence"),
    *("verdict", "new_tag", "new_bucket", "remarks"),
)
"""To be filled: verdict (keep, remove, refine; add in a row of one's own), and the new tag or bucket."""

SHOWN = 5
"""Posts that a row shows."""


def review_rows(user: str, interests: Sequence[Interest], posts: Sequence[Post]) -> Iterable[dict[str, str]]:
    """A row for each proposed interest of a user."""
    texts = {post.number: post for post in posts}
    for one in interests:
        if one.bucket is None:
            continue
        shown = [texts[number] for number in one.posts[-SHOWN:]]
        yield dict.fromkeys(COLUMNS, "") | {
            "user": user,
            "domain": one.domain,
            "tag": one.tag,
            "bucket": one.bucket,
            "other_names": ", ".join(one.names[1:]),
            "posts": str(len(one.posts)),
            "months": str(one.scores.months),
            "stable_score": f"{one.scores.stable:.3f}",
            "recent_score": f"{one.scores.recent:.3f}",
            "seen_in": ", ".join(f"{name} {count}" for name, count in sorted(one.modalities.items())),
            "calibration": one.change,
            "evidence": "\n".join(f"{date(p.time)}: {' | '.join((p.text, *p.captions))}" for p in shown),
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person says of one row: the tag and bucket that stay; `verdict` "" where nothing was filled in."""

    verdict: str
    tag: str
    bucket: Bucket


RowKey = tuple[str, str, str, str]


@dataclass(slots=True)
class Verified:
    """Profiles after verification.

    Attributes:
        profiles: user -> gold profile.
        counts: what became of proposed tags: kept, removed, refined, moved, added, undecided, not looked at.
        acceptance, buckets: Krippendorff's alpha (nominal) of tag acceptance and of the bucket; NaN where undefined.
        rows: that several people judged.
    """

    profiles: dict[str, Interests] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    acceptance: float = math.nan
    buckets: float = math.nan
    rows: int = 0

    def lines(self) -> list[str]:
        """In words."""
        proposed = sum(n for name, n in self.counts.items() if name != "added")
        shares = ", ".join(f"{n} {name} ({n / proposed:.0%})" for name, n in self.counts.items() if proposed)
        several = f"agreement on {self.rows} rows that several people judged"
        return [
            f"{len(self.profiles)} users, {proposed} proposed tags: {shares}",
            f"{several}: tag acceptance alpha {_alpha(self.acceptance)}, bucket alpha {_alpha(self.buckets)}",
        ]


def _alpha(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.2f}"


def read_decisions(path: Path) -> dict[RowKey, Decision]:
    """The decisions of one person's sheet.

    Raises:
        CorpusError: unreadable, a row stands twice, or a verdict, domain, tag or bucket isn't allowed.
    """
    found: dict[RowKey, Decision] = {}
    for number, row in enumerate(decode_sheet(path, [*KEY, "verdict", "new_tag", "new_bucket"]), 2):
        where = f"{path}, row {number}"
        decision = _decision(row, where)
        tag = decision.tag if decision.verdict == "add" else row["tag"]
        key = (row["user"], row["domain"], tag, decision.bucket if decision.verdict == "add" else row["bucket"])
        if key in found:
            raise CorpusError(f"{where}: {row['user']}, {row['domain']}, {tag!r} stands twice; leave one of the rows")
        found[key] = decision
    return found


def _decision(row: Mapping[str, str], where: str) -> Decision:
    verdict = row["verdict"].strip().casefold()
    if verdict and verdict not in VERDICTS:
        raise CorpusError(f"{where}: verdict {verdict[:40]!r}; {did_you_mean(verdict, VERDICTS)}")
    if domain_name(row["domain"]) is None:
        raise CorpusError(f"{where}: domain {row['domain'][:40]!r} isn't one of the seven")
    new = row["new_bucket"].strip().casefold() or row["bucket"].strip().casefold()
    if new not in ("stable", "recent"):
        raise CorpusError(f"{where}: bucket {new[:40]!r}; {did_you_mean(new, ['stable', 'recent'])}")
    tag = plain_tag(row["new_tag"]) or plain_tag(row["tag"])
    if not 0 < len(tag) <= LONGEST:
        raise CorpusError(f"{where}: a tag of {len(tag)} characters; 1 to {LONGEST}")
    return Decision(verdict, tag, "stable" if new == "stable" else "recent")


def verify(
    sheets: Sequence[Mapping[RowKey, Decision]], adjudicated: Mapping[RowKey, Decision] | None = None
) -> Verified:
    """Profiles by the decisions of several people.

    What more than half of those who judged a row accept stays, with the tag and bucket that most of them give; where
    they don't agree the adjudicated sheet decides, and without its word the tag is left out, as undecided.
    """
    keys = list(dict.fromkeys(key for sheet in [*sheets, adjudicated or {}] for key in sheet))
    result = Verified()
    buckets: dict[str, dict[str, dict[Domain, list[str]]]] = {}
    for key in keys:
        result_of = _settled([sheet[key] for sheet in sheets if key in sheet], (adjudicated or {}).get(key))
        user, domain = key[0], domain_name(key[1])
        own = buckets.setdefault(user, {"stable": {}, "recent": {}})
        result.counts[_kind(key, result_of)] += 1
        if isinstance(result_of, Decision) and domain is not None and result_of.verdict in ("keep", "refine", "add"):
            own[result_of.bucket].setdefault(domain, []).append(result_of.tag)
    result.profiles = {
        user: Interests(
            **{bucket: {d: tuple(dict.fromkeys(tags)) for d, tags in found.items()} for bucket, found in own.items()}
        )
        for user, own in buckets.items()
    }
    _agreement(result, sheets, keys)
    return result


def _settled(given: Sequence[Decision], judge: Decision | None) -> Decision | str:
    """The decision that counts, or why there is none."""
    if judge is not None and judge.verdict:
        return judge
    votes = [one for one in given if one.verdict]
    if not votes:
        return "not looked at"
    yes = [one for one in votes if one.verdict != "remove"]
    if 2 * len(yes) == len(votes):
        return "undecided"
    side = yes if 2 * len(yes) > len(votes) else [one for one in votes if one.verdict == "remove"]
    best, most = Counter(side).most_common(1)[0]
    return best if 2 * most > len(side) else "undecided"


def _kind(key: RowKey, decision: Decision | str) -> str:
    if isinstance(decision, str):
        return decision
    if decision.verdict == "add":
        return "added"
    if decision.verdict == "remove":
        return "removed"
    if decision.tag != key[2]:
        return "refined"
    return "kept" if decision.bucket == key[3] else "moved"


def _agreement(result: Verified, sheets: Sequence[Mapping[RowKey, Decision]], keys: Sequence[RowKey]) -> None:
    """Rows that were proposed and judged by two people at least."""
    rows = [key for key in keys if sum(bool(key in sheet and _judged(sheet[key])) for sheet in sheets) > 1]
    result.rows = len(rows)
    accepted = [[_accepted(sheet.get(key)) for key in rows] for sheet in sheets]
    chosen = [[_bucket(sheet.get(key)) for key in rows] for sheet in sheets]
    result.acceptance, result.buckets = _nominal(accepted), _nominal(chosen)


def _judged(one: Decision) -> bool:
    return one.verdict not in ("", "add")


def _accepted(one: Decision | None) -> float:
    return float(one.verdict != "remove") if one is not None and _judged(one) else math.nan


def _bucket(one: Decision | None) -> float:
    return float(one.bucket == "stable") if one is not None and _accepted(one) == 1 else math.nan


def _nominal(ratings: Sequence[Sequence[float]]) -> float:
    try:
        return krippendorff_alpha(ratings, "nominal")
    except MetricError:
        return math.nan  # one value only, or nobody judged the same rows
