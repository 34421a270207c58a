"""`folkmoot profile gold`: from a feed to proposed profiles and a review sheet."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.agents.interests.posts import Post
from folkmoot.agents.interests.prompts import interest_hashes
from folkmoot.metrics.profile.calibration import Calibrator
from folkmoot.metrics.profile.canonical import GoldSettings, Interest, as_profile, canonical
from folkmoot.metrics.profile.gold import write_gold
from folkmoot.metrics.profile.review import COLUMNS, review_rows
from folkmoot.metrics.profile.timelines import User, sampled, timelines
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.profile_running import Models, models_of
from folkmoot.sim.experiments.profile_settings import ProfileConfig
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.manifest import write_json, write_whole
from folkmoot.sim.persona import Interests
from folkmoot.sim.protocols import Encoder
from folkmoot.sim.sheets import encode_sheet

INTERESTS, PROPOSED, SHEET, RECORD = "interests.jsonl", "proposed.jsonl", "review.csv", "record.json"
"""Files of the folder: all interests with scores and posts; profiles as proposed; for people; what was done."""


@dataclass(slots=True)
class Made:
    """One user's interests, before and after the calibration."""

    user: str
    posts: Sequence[Post]
    found: list[Interest]
    kept: list[Interest]
    counts: Counter[str] = field(default_factory=Counter)


def make_gold(source: str, out: Path, overrides: Sequence[str]) -> str:
    """Run the pipeline; returns what to print.

    Raises:
        ConfigError: an unknown key or value.
        CorpusError: the corpus can't be read, or holds no posts.
        ModelError: a call failed for good; the same command makes only the missing calls (answers are cached).
    """
    own, others = _parted(overrides)
    corpus = ["corpus=demo_feed"] if source == "demo_feed" else ["corpus=built", f"corpus.path={source}"]
    config = check(RunConfig, compose(["experiment=profile", "tracking=none", *corpus, *others]))
    settings = check(GoldSettings, own, "gold")
    task = config.experiment
    assert isinstance(task, ProfileConfig)
    losses: Counter[str] = Counter()
    everybody = [
        User(corpus.name, user, corpus.language, tuple(posts), Interests())
        for corpus in load(config.corpus)
        for user, posts in timelines(corpus, task, losses).items()
    ]
    if not everybody:
        raise CorpusError(f"{source}: 0 users with posts, at least 1 is needed; give the corpus of a feed")
    made, calls = asyncio.run(_made(config, task, settings, sampled(everybody, task)))
    counts = losses + sum((one.counts for one in made), Counter())
    _write(out, made, {"settings": settings.model_dump(), "prompts": interest_hashes(), "counts": counts, **calls})
    return "\n".join(_told(out, made, counts))


def _parted(overrides: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Overrides of the pipeline (gold.KEY=VALUE) as nested values, and Hydra's."""
    own: dict[str, Any] = {}
    others = []
    for one in overrides:
        key, equals, value = one.partition("=")
        if not key.startswith("gold."):
            others.append(one)
            continue
        if not equals:
            raise ConfigError(f"{one!r}: write gold.KEY=VALUE")
        *path, last = key.split(".")[1:]
        place = own
        for step in path:
            place = place.setdefault(step, {})
        place[last] = value
    return own, others


async def _made(
    config: RunConfig, task: ProfileConfig, settings: GoldSettings, users: Sequence[User]
) -> tuple[list[Made], dict[str, Any]]:
    async with models_of(config, task) as models:
        encoder = _encoder(config, task)
        second = Calibrator(models.asker(next(iter(models.judges.values())), task.max_tokens))
        made = [await _of_user(models, second, user, settings, encoder) for user in users]
        calls = {
            "model": models.pool.name,
            "second": {name: pool.name for name, pool in models.judges.items()},
            "calls": asdict(models.pool.counters),
        }
    return made, calls


def _encoder(config: RunConfig, task: ProfileConfig) -> Encoder | None:
    if task.match == "exact":
        return None
    from folkmoot.agents.llm.encoder import SentenceEncoder

    return SentenceEncoder(config.annotator.encoder)


async def _of_user(
    models: Models, second: Calibrator, user: User, settings: GoldSettings, encoder: Encoder | None
) -> Made:
    signals, lost = await models.builder(user).signals(user.id, user.posts, settings.posts_per_call)
    found = canonical(signals, user.posts, encoder, settings)
    kept, done = await second.calibrate(user.id, found, user.posts)
    return Made(user.id, user.posts, found, kept, lost + done)


def _write(out: Path, made: Sequence[Made], record: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    lines = [{"user": one.user, **_plain(interest)} for one in made for interest in one.found]
    write_whole(out / INTERESTS, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    write_gold(out / PROPOSED, {one.user: as_profile(one.kept) for one in made})
    rows = [row for one in made for row in review_rows(one.user, one.kept, one.posts)]
    write_whole(out / SHEET, encode_sheet(COLUMNS, rows))
    write_json(out / RECORD, record)


def _plain(interest: Interest) -> dict[str, Any]:
    return {
        "domain": interest.domain,
        "tag": interest.tag,
        "bucket": interest.bucket,
        "names": interest.names,
        "posts": interest.posts,
        "modalities": dict(interest.modalities),
        "scores": interest.scores._asdict(),
    }


def _told(out: Path, made: Sequence[Made], counts: Counter[str]) -> list[str]:
    proposed = [interest for one in made for interest in one.kept]
    found = sum(len(one.found) for one in made)
    stable = sum(interest.bucket == "stable" for interest in proposed)
    read = f"{len(made)} users, {sum(len(one.posts) for one in made)} posts"
    return [
        f"{read}: {found} interests, of which {stable} stable and {len(proposed) - stable} recent are proposed",
        *(f"  {count:,} {reason}" for reason, count in counts.items() if count),
        f"to verify: {out / SHEET}; then: folkmoot profile verified {out / SHEET} --out {out / 'gold.jsonl'}",
    ]
