"""The `profile` experiment: stable and recent interests from each timeline, scored against the gold profile.

profiles.jsonl holds a line a user.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.metrics.profile.counting import Count
from folkmoot.metrics.profile.results import profile_numbers, profile_sentences
from folkmoot.metrics.profile.timelines import User
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.profile_running import Models, Work, carry_out
from folkmoot.sim.experiments.profile_settings import ProfileConfig
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run

PROFILES = "profiles.jsonl"
"""The users of a run, in its folder."""


class ProfileLine(msgspec.Struct, frozen=True, kw_only=True):
    """One user.

    Attributes:
        posts: of the timeline.
        predicted, gold: bucket -> domain -> tags.
        counts: scope -> (true positives, predicted, gold).
        reason: why no profile could be made; it counts as an empty one. "" where one was made.
        notes: what was left out or dropped on the way, by reason.
    """

    community: str
    user: str
    posts: int
    predicted: dict[str, dict[str, tuple[str, ...]]]
    gold: dict[str, dict[str, tuple[str, ...]]]
    counts: dict[str, Count]
    reason: str = ""
    notes: dict[str, int] = {}


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Make the profiles, or those that are left.

    Raises:
        ConfigError: a replay is asked for.
        CorpusError: nobody in the corpus can be asked about.
        ModelError: a call failed for good, with on_failure=stop.
    """
    task = config.experiment
    assert isinstance(task, ProfileConfig)
    work = Work(
        PROFILES,
        ProfileLine,
        make=partial(_line, task),
        told=partial(_told, task),
        calls=lambda user: task.calls_of(task.setting, len(user.posts)),
    )
    return carry_out(config, task, folder, mode, work)


def read_profiles(run: Run) -> list[ProfileLine]:
    """The users of a run.

    Raises:
        LogError: a line can't be read.
    """
    return list(records(run.path / PROFILES, ProfileLine, "a user's profile", "start a new run"))


async def _line(task: ProfileConfig, models: Models, user: User) -> ProfileLine:
    built = await models.builder(user).build(user.id, user.posts, task.setting)
    counts, lost = await models.counted(user, built.profile)
    return ProfileLine(
        community=user.community,
        user=user.id,
        posts=len(user.posts),
        predicted=built.profile.model_dump(),
        gold=user.gold.model_dump(),
        counts=counts,
        reason=built.reason,
        notes=dict(built.notes + lost),
    )


def _told(task: ProfileConfig, models: Models, lines: Sequence[ProfileLine]) -> dict[str, Any]:
    numbers = profile_numbers([line.counts for line in lines], draws=task.draws, seed=models.config.seed)
    reasons = Counter(line.reason for line in lines if line.reason)
    notes = sum((Counter(line.notes) for line in lines), Counter())
    what = f"{task.setting}, {task.prompt}, {task.input}, {models.pool.name}"
    return {
        "profile": numbers,
        "unread": dict(reasons),
        "notes": dict(notes),
        "lines": profile_sentences(what, models.matching, numbers, reasons, len(lines)),
    }
