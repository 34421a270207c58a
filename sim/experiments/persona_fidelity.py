"""The `persona_fidelity` experiment: a benchmark scored by one method (PRISM), with intervals over its groups.

items.jsonl holds a line a scored item, kept batch by batch; a run that was ended goes on behind the last whole group.
The log stays empty: a benchmark has no simulated events.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import msgspec

from folkmoot.agents.llm.build import build_model, build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.fidelity.benchmarks import Benchmark, Case, read_benchmark
from folkmoot.metrics.fidelity.evaluator import Evaluator
from folkmoot.metrics.fidelity.forms import misfits
from folkmoot.metrics.fidelity.judges import Judge, JudgeSettings
from folkmoot.metrics.fidelity.methods import (
    JudgeScorer,
    Line,
    PairwiseScorer,
    PrismScorer,
    Scorer,
    losses,
    score_groups,
)
from folkmoot.metrics.fidelity.table import results, sentences
from folkmoot.metrics.fidelity.wording import wording_hashes
from folkmoot.sim.errors import ConfigError, CorpusError, FolkmootError, MetricError
from folkmoot.sim.experiments import facts
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.settings import FidelityConfig, RunConfig
from folkmoot.sim.lines import records
from folkmoot.sim.log import EventLog
from folkmoot.sim.manifest import content_hash, write_json, write_manifest, write_whole
from folkmoot.sim.rng import stream
from folkmoot.sim.runs import Run
from folkmoot.sim.tracking import Tracker, build_tracker
from folkmoot.sim.turn import Outcome

ITEMS = "items.jsonl"
"""The scored items of a run, in its folder."""


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Score the benchmark, or what is left of it.

    Raises:
        ConfigError: a replay is asked for, or a method lacks its model.
        CorpusError: the benchmark can't be read.
        MetricError: nothing in it can be compared.
    """
    if mode == "replay":
        raise ConfigError(
            f"{folder}: a benchmark has no log to replay; `folkmoot resume` scores what is left and answers the rest "
            "from the cache"
        )
    settings = config.experiment
    assert isinstance(settings, FidelityConfig)
    benchmark = read_benchmark(Path(settings.data).expanduser(), settings.lang)
    groups = _chosen(benchmark, settings.max_groups, config.seed)
    if config.dry_run:
        return asyncio.run(_dry_run(config, settings, Run(folder), groups))
    return asyncio.run(_score(config, settings, Run(folder), benchmark, groups))


def read_items(run: Run) -> list[Line]:
    """The scored items of a run.

    Raises:
        LogError: a line can't be read.
    """
    return list(records(run.path / ITEMS, Line, "a scored item", "start a new run"))


def _chosen(benchmark: Benchmark, most: int | None, seed: int) -> list[list[Case]]:
    groups = list(benchmark.groups().values())
    if most is None or most >= len(groups):
        return groups
    return [groups[k] for k in sorted(stream(seed, "groups").permutation(len(groups))[:most])]


async def _dry_run(config: RunConfig, settings: FidelityConfig, run: Run, groups: Sequence[Sequence[Case]]) -> Result:
    model = build_model(config.llm, config.seed)
    await model.close()
    items = sum(map(len, groups))
    calls = {
        "prism": items * 3 * settings.permutations,
        "pairwise": (items - len(groups)) * 2,
        "alignment": 0,
    }.get(settings.method, items * (settings.samples if settings.temperature else 1))
    facts_ = {"model": model.name, "groups": len(groups), "items": items, "calls_expected": calls}
    if wrong := misfits(settings.benchmark, groups):
        facts_["doubts"] = [sentence.removeprefix("warning: ") for sentence in wrong]
    return Result(run, Outcome(state="dry run"), facts_)


async def _score(
    config: RunConfig, settings: FidelityConfig, run: Run, benchmark: Benchmark, groups: list[list[Case]]
) -> Result:
    tracker = build_tracker(config.tracking)
    try:
        summary = await _scored(config, settings, run, benchmark, groups, tracker)
    except FolkmootError as error:
        tracker.finish("failed", {"state": f"failed: {error}"})
        raise
    tracker.finish("finished", summary, [], {}, run.path)
    write_json(run.summary_path, summary)
    return Result(run, Outcome(state="finished"), summary)


async def _scored(
    config: RunConfig,
    settings: FidelityConfig,
    run: Run,
    benchmark: Benchmark,
    groups: list[list[Case]],
    tracker: Tracker,
) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        pool = None
        if settings.method != "alignment":
            pool = build_pool(config.llm, config.seed)
            stack.push_async_callback(pool.close)
        scorer = _scorer(settings, pool, config.seed)
        tracker.start(facts.plain(config), run.path)
        manifest = _manifest(config, settings, benchmark, pool)
        if run.manifest_path.exists():
            _same(run, manifest)
        else:
            write_manifest(run.manifest_path, manifest)
        EventLog(run.log).close()
        lines = await _all_lines(scorer, groups, run)
        try:
            numbers = results(lines, draws=settings.draws, seed=config.seed)
        except MetricError as error:
            lost = ", ".join(f"{count} {reason}" for reason, count in losses(lines).items()) or "nothing else is known"
            raise MetricError(f"{error}; {len(lines)} items were asked about: {lost}") from error
        return _summary(config, settings, benchmark, lines, pool, numbers)


def _same(run: Run, manifest: Mapping[str, Any]) -> None:
    began = run.manifest().get("benchmark")
    if began != manifest["benchmark"]:
        raise CorpusError(
            f"{run.path}: the benchmark is {manifest['benchmark']}, the run began with {began}; "
            "give back the file that it began with, or start a new run"
        )


def _scorer(settings: FidelityConfig, pool: Pool | None, seed: int) -> Scorer:
    if pool is None:
        if not settings.alignment_model:
            raise ConfigError(
                "method=alignment needs experiment.alignment_model: a hub name or a folder of a sequence classifier"
            )
        from folkmoot.metrics.fidelity.alignment import AlignmentScorer

        return AlignmentScorer(settings.alignment_model)
    if settings.method == "prism":
        return PrismScorer(
            Evaluator(pool, permutations=settings.permutations, seed=seed, show_persona=settings.show_persona)
        )
    if settings.method == "pairwise":
        return PairwiseScorer(pool, seed)
    method: Literal["vanilla", "cot"] = "cot" if settings.method == "cot" else "vanilla"
    asked = JudgeSettings(method, settings.rubric, settings.temperature, settings.samples, seed)
    return JudgeScorer(Judge(pool, asked))


async def _all_lines(scorer: Scorer, groups: list[list[Case]], run: Run) -> list[Line]:
    path = run.path / ITEMS
    done = _whole_groups(read_items(run) if path.exists() else [], groups)
    seen = {one.group for one in done}
    write_whole(path, b"".join(msgspec.json.encode(one) + b"\n" for one in done))
    with path.open("ab") as file:
        async for lines in score_groups(scorer, [g for g in groups if g[0].group not in seen]):
            file.write(b"".join(msgspec.json.encode(one) + b"\n" for one in lines))
            file.flush()
            done += lines
    return done


def _whole_groups(lines: list[Line], groups: list[list[Case]]) -> list[Line]:
    sizes = {group[0].group: len(group) for group in groups}
    found: dict[str, list[Line]] = {}
    for one in lines:
        found.setdefault(one.group, []).append(one)
    return [one for key, part in found.items() if len(part) == sizes.get(key) for one in part]


def _manifest(config: RunConfig, settings: FidelityConfig, benchmark: Benchmark, pool: Pool | None) -> dict[str, Any]:
    return {
        "seed": config.seed,
        "config_hash": content_hash(facts.plain(config)),
        "prompts": wording_hashes(),
        "model": settings.alignment_model if pool is None else pool.name,
        "window": None if pool is None else pool.window,
        "answers": "repeatable" if pool is None or pool.repeatable else "not repeatable",
        "benchmark": content_hash([[case.item.id, case.item.response, case.profile] for case in benchmark.cases]),
        "communities": {},
    }


def _summary(
    config: RunConfig,
    settings: FidelityConfig,
    benchmark: Benchmark,
    scored: Sequence[Line],
    pool: Pool | None,
    numbers: dict[str, Any],
) -> dict[str, Any]:
    counters = {} if pool is None else asdict(pool.counters)
    model = settings.alignment_model if pool is None else pool.name
    lost = losses(scored)
    lines = sentences(settings.benchmark, settings.method, model, numbers)
    lines += misfits(settings.benchmark, list(benchmark.groups().values()))
    lines += [f"left out of the benchmark: {count} {reason}" for reason, count in benchmark.dropped.items()]
    lines += [f"not scored in full: {count} {reason}" for reason, count in lost.items()]
    return {
        "state": "finished",
        "title": config.name or f"{settings.benchmark}: {settings.method}, {model}, seed {config.seed}",
        "model": model,
        "fidelity": numbers,
        "losses": {"benchmark": dict(benchmark.dropped), "scoring": dict(lost)},
        "calls": counters,
        "lines": lines,
        "notices": [],
    }
