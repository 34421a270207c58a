"""The review of accounts: a sheet out, in which people name what they take out, and the filled sheet in."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from folkmoot.environments.corpora.pipeline.feed import ACCOUNTS
from folkmoot.environments.corpora.pipeline.totals import whole_digest
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.files import write_bytes
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.sim.errors import CorpusError, did_you_mean
from folkmoot.sim.sheets import decode_sheet, encode_sheet

STAGE, TABLE = "review", "account_reviews"
COLUMNS_STORED = {"id": "string", "verdict": "string"}

KEEP = "keep"
VERDICTS = (KEEP, "commercial", "celebrity", "organization", "repost_heavy", "low_information")
"""What is written into the sheet; an empty cell keeps the account."""

COLUMNS = (
    "user", "posts", "repost_share", "image_share", "followers", "followees", "profile", "latest", "verdict", "remarks",
)  # fmt: skip

SHOWN = 10
"""Posts of an account that the sheet shows, the latest."""


def write_accounts(store: Store, path: Path) -> int:
    """Write the sheet, a row an account; returns how many.

    Raises:
        CorpusError: the corpus holds no timelines, or the file can't be written.
    """
    rows = list(_rows(store))
    write_bytes(path, encode_sheet(COLUMNS, rows))
    return len(rows)


def _rows(store: Store) -> Iterator[dict[str, str]]:
    _timelines(store)
    profiles = {persona.id: persona.profile for persona in store.personas()}
    latest: dict[str, list[tuple[int, str]]] = {}
    for thread in store.threads():
        for comment in thread.comments:
            if comment.text:
                latest.setdefault(comment.actor, []).append((comment.time, comment.text))
    for row in store.rows(ACCOUNTS):
        texts = [text for _, text in sorted(latest.get(row["id"], ()), reverse=True)[:SHOWN]]
        yield {
            "user": row["id"],
            "posts": str(row["posts"]),
            "repost_share": f"{row['reposts'] / max(row['posts'], 1):.3f}",
            "image_share": row["image_share"],
            "followers": _number(row["followers"]),
            "followees": _number(row["followees"]),
            "profile": profiles.get(row["id"], ""),
            "latest": "\n---\n".join(texts),
            "verdict": "",
            "remarks": "",
        }


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def take_review(store: Store, sheet: Path) -> StageRecord:
    """Note the verdicts of a filled sheet in the corpus; who is taken out is in no run of it, and counted.

    A second sheet takes the place of the first. The corpus keeps all posts, so that a verdict can be taken back.

    Raises:
        CorpusError: no timelines, an unreadable sheet, an unknown verdict or user, or a user who is there twice.
    """
    _timelines(store)
    known = [row["id"] for row in store.rows(ACCOUNTS, ["id"])]
    verdicts = _verdicts(sheet, set(known))
    found = Counter(verdicts.get(user, KEEP) for user in known)
    store.write(TABLE, ({"id": user, "verdict": verdicts.get(user, KEEP)} for user in known), COLUMNS_STORED)
    dropped = {f"accounts judged {verdict}": count for verdict, count in found.items() if verdict != KEEP}
    record = StageRecord(name=STAGE, counts={"accounts": tally(found[KEEP], dropped)})
    store.finish(record)
    store.update(msgspec.structs.replace(store.manifest, digest=whole_digest(store)))
    return record


def _timelines(store: Store) -> None:
    if not store.has(ACCOUNTS):
        raise CorpusError(f"{store.path} holds Talk pages, not timelines: it has no accounts to review")


def _verdicts(sheet: Path, known: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, row in enumerate(decode_sheet(sheet, ("user", "verdict")), 2):
        user, verdict = row["user"].strip(), row["verdict"].strip().lower() or KEEP
        if user not in known:
            raise CorpusError(
                f"{sheet}, row {number}: no account {user[:40]!r} in the corpus; give the sheet of this one"
            )
        if verdict not in VERDICTS:
            raise CorpusError(f"{sheet}, row {number}: verdict {verdict[:40]!r}; {did_you_mean(verdict, VERDICTS)}")
        if user in found:
            raise CorpusError(f"{sheet}, row {number}: {user} stands twice; leave one of the rows")
        found[user] = verdict
    return found


def taken_out(store: Store) -> dict[str, str]:
    """Pseudonym -> verdict of every account that a review took out."""
    return {row["id"]: row["verdict"] for row in store.rows(TABLE) if row["verdict"] != KEEP}
