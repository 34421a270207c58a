"""What `profile` and `dialogue` share: models and judges, a line a user kept in batches, budgets, manifest, summary.

The log stays empty: nothing is simulated. A run that was ended goes on behind its last whole line.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from folkmoot.agents.interests.construct import Builder
from folkmoot.agents.interests.prompts import interest_hashes
from folkmoot.agents.llm.build import build_model, build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.profile.counting import Count
from folkmoot.metrics.profile.matching import Likeness, nothing_alike
from folkmoot.metrics.profile.profiler import Profiler, likeness_of
from folkmoot.metrics.profile.prompts import judge_hashes
from folkmoot.metrics.profile.timelines import User
from folkmoot.sim.asking import Asker
from folkmoot.sim.errors import ConfigError, CorpusError, FolkmootError
from folkmoot.sim.experiments import facts
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.profile_settings import InterestTask
from folkmoot.sim.experiments.profile_users import Users, find_users
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.experiments.spending import SPENT, Spending
from folkmoot.sim.lines import records
from folkmoot.sim.log import EventLog
from folkmoot.sim.manifest import content_hash, write_json, write_manifest, write_whole
from folkmoot.sim.persona import Interests
from folkmoot.sim.runs import Run
from folkmoot.sim.together import together
from folkmoot.sim.tracking import build_tracker
from folkmoot.sim.turn import Outcome

FINISHED = "finished"


class Line(Protocol):
    """A line of a run's items."""

    @property
    def community(self) -> str: ...  # noqa: D102

    @property
    def user(self) -> str: ...  # noqa: D102


One = TypeVar("One", bound=Line)


@dataclass(slots=True)
class Models:
    """The models of a run.

    Attributes:
        pool: the model that is studied.
        judges: name -> model; the studied one where no others are given.
        likeness: how tags that aren't equal are matched; None: by the first judge.
    """

    config: RunConfig
    task: InterestTask
    pool: Pool
    judges: dict[str, Pool] = field(default_factory=dict)
    likeness: Likeness | None = nothing_alike

    @property
    def profiler(self) -> Profiler:
        """Makes profiles, and counts them."""
        first, skips = next(iter(self.judges.values()), self.pool), self.config.on_failure == "abstain"
        return Profiler(self.task, self.pool, self.likeness, first, self.config.seed, skips)

    def asker(self, pool: Pool, max_tokens: int) -> Asker:
        """Asks one of the models."""
        return self.profiler.asker(pool, max_tokens)

    def builder(self, user: User) -> Builder:
        """Makes the profile of this user."""
        return self.profiler.builder(user.language)

    async def counted(self, user: User, predicted: Interests) -> tuple[dict[str, Count], Counter[str]]:
        """Counts of a user's predicted profile against the gold one, and what couldn't be judged."""
        return await self.profiler.counted(user.id, predicted, user.gold)

    @property
    def matching(self) -> str:
        """How tags are matched, in words."""
        return self.profiler.matching

    def spent(self) -> tuple[int, float]:
        """Tokens and US dollars of this process."""
        pools = {id(pool): pool for pool in (self.pool, *self.judges.values())}.values()
        return sum(pool.counters.tokens for pool in pools), sum(pool.counters.cost for pool in pools)


@asynccontextmanager
async def models_of(config: RunConfig, task: InterestTask) -> AsyncIterator[Models]:
    """The models, closed at the end.

    Raises:
        ModelMissing: a backend or the encoder isn't there.
    """
    async with AsyncExitStack() as stack:
        pool = build_pool(config.llm, config.seed)
        stack.push_async_callback(pool.close)
        judges = {}
        for name, given in task.judges.items():
            judges[name] = build_pool(given, config.seed)
            stack.push_async_callback(judges[name].close)
        yield Models(config, task, pool, judges or {pool.name: pool}, likeness_of(task, config.annotator.encoder))


def users_of(config: RunConfig, task: InterestTask) -> Users:
    """The users of the run's corpus.

    Raises:
        CorpusError: the corpus can't be read, or nobody in it can be asked about.
    """
    return find_users(load(config.corpus), task)


@dataclass(frozen=True, slots=True)
class Work(Generic[One]):
    """What is done with each user.

    Attributes:
        file: name of the items' file in the run's folder.
        kind: of its lines.
        make: a user's line.
        told: (models, lines) -> what the summary tells: `lines` and the numbers.
        calls: how many a user takes, repairs aside.
    """

    file: str
    kind: type[One]
    make: Callable[[Models, User], Awaitable[One]]
    told: Callable[[Models, Sequence[One]], dict[str, Any]]
    calls: Callable[[User], int]


def carry_out(config: RunConfig, task: InterestTask, folder: Path, mode: Mode, work: Work[One]) -> Result:
    """Do what is left of a run: one line a user, then the summary.

    Raises:
        ConfigError: a replay is asked for.
        CorpusError: nobody in the corpus can be asked about, or the users aren't those that the run began with.
        ModelError: a call failed for good, with on_failure=stop; what was done stays.
    """
    if mode == "replay":
        raise ConfigError(
            f"{folder}: nothing was simulated, so there is no log to replay; `folkmoot resume` does what is left and "
            "answers the rest from the cache"
        )
    if config.dry_run:
        return _dry_run(config, task, Run(folder), work)
    return asyncio.run(_play(config, task, Run(folder), work))


async def _play(config: RunConfig, task: InterestTask, run: Run, work: Work[One]) -> Result:
    users = users_of(config, task)
    tracker = build_tracker(config.tracking)
    try:
        async with models_of(config, task) as models:
            tracker.start(facts.plain(config), run.path)
            _begin(config, run, users, models)
            spending = Spending(run.path / SPENT, models.spent)
            lines, state = await _all_lines(run.path / work.file, work, users.users, models, spending)
            summary = _summary(config, users, models, lines, state) | _told(models, lines, state, work)
            summary["spent"] = {"tokens": spending.tokens, "cost": spending.cost}
    except FolkmootError as error:
        tracker.finish("failed", {"state": f"failed: {error}"})
        raise
    tracker.finish("finished" if state == FINISHED else "failed", summary, [], {}, run.path)
    write_json(run.summary_path, summary)
    return Result(run, Outcome(state=state), summary)


def _begin(config: RunConfig, run: Run, users: Users, models: Models) -> None:
    asked = content_hash([[u.community, u.id, [list(p) for p in u.posts], u.gold.model_dump()] for u in users.users])
    manifest = {
        "seed": config.seed,
        "config_hash": content_hash(facts.plain(config)),
        "prompts": interest_hashes() | judge_hashes(),
        "model": models.pool.name,
        "judges": {name: pool.name for name, pool in models.judges.items()},
        "matching": models.matching,
        "window": models.pool.window,
        "answers": "repeatable" if models.pool.repeatable else "not repeatable",
        "users": asked,
        "communities": {},
    }
    if not run.manifest_path.exists():
        write_manifest(run.manifest_path, manifest)
    elif run.manifest().get("users") != asked:
        raise CorpusError(
            f"{run.path}: the users and their gold profiles aren't those that the run began with; give back the corpus "
            "(and gold file) that it began with, or start a new run"
        )
    EventLog(run.log).close()


async def _all_lines(
    path: Path, work: Work[One], users: Sequence[User], models: Models, spending: Spending
) -> tuple[list[One], str]:
    done = list(_kept(records(path, work.kind, "a line of this run", "start a new run"), users))
    write_whole(path, b"".join(msgspec.json.encode(one) + b"\n" for one in done))
    began, size = monotonic(), models.task.users_at_once
    with path.open("ab") as file:
        for start in range(len(done), len(users), size):
            if reason := spending.used_up(models.config.budget, monotonic() - began):
                return done, f"stopped: {reason}"
            try:
                made = await together(_coroutine(work.make(models, user)) for user in users[start : start + size])
            finally:
                spending.note()
            file.write(b"".join(msgspec.json.encode(one) + b"\n" for one in made))
            file.flush()
            done += made
    return done, FINISHED


async def _coroutine(act: Awaitable[One]) -> One:
    return await act


def _kept(lines: Iterable[One], users: Sequence[User]) -> Iterable[One]:
    for line, user in zip(lines, users, strict=False):
        if (line.community, line.user) != (user.community, user.id):
            return
        yield line


def _summary(config: RunConfig, users: Users, models: Models, lines: Sequence[One], state: str) -> dict[str, Any]:
    return {
        "state": state,
        "title": config.name or f"{config.experiment.name}, {models.pool.name}, seed {config.seed}",
        "model": models.pool.name,
        "matching": models.matching,
        "users": {"asked": len(lines), "of": len(users.users)},
        "losses": dict(users.losses),
        "calls": asdict(models.pool.counters),
        "judge_calls": {name: asdict(pool.counters) for name, pool in models.judges.items()},
        "notices": [],
    }


def _told(models: Models, lines: Sequence[One], state: str, work: Work[One]) -> dict[str, Any]:
    found = work.told(models, lines) if lines else {"lines": ["nobody was asked about yet"]}
    end = [] if state == FINISHED else [f"{state}; go on with `folkmoot resume RUN`"]
    return {**found, "lines": [*found["lines"], *end]}


def _dry_run(config: RunConfig, task: InterestTask, run: Run, work: Work[One]) -> Result:
    """Users, posts and the calls to come, repairs aside; no call is made."""
    users = users_of(config, task)
    model = build_model(config.llm, config.seed)
    asyncio.run(model.close())
    told = {
        "model": model.name,
        "users": len(users.users),
        "posts": sum(len(user.posts) for user in users.users),
        "calls_expected": sum(work.calls(user) for user in users.users),
    }
    return Result(run, Outcome(state="dry run"), told)
