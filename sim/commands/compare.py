"""`folkmoot compare`: one table over runs; seeds are a sampled unit beside threads."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from folkmoot.metrics.annotations import Annotations, Source, check_comparable, columns_file, file_name
from folkmoot.metrics.compare import RunData, comparison_table
from folkmoot.metrics.compare import compare as compare_runs
from folkmoot.metrics.fidelity.compared import ScoredRun
from folkmoot.metrics.fidelity.scored import ScoredText
from folkmoot.metrics.recovery.compared import RecoveredRun, last_profiles
from folkmoot.metrics.recovery.made import MadeProfile
from folkmoot.metrics.target import Target, build_target
from folkmoot.sim.commands.real import config_of
from folkmoot.sim.errors import AnnotationError, ConfigError, LogError, did_you_mean
from folkmoot.sim.experiments.measures import counting_of
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run


def compare(paths: Sequence[Path], by: Sequence[str]) -> str:
    """The table, a row for each community and each combination of the values of `by`.

    Raises:
        LogError: a folder holds no run, or a run isn't finished.
        ConfigError: a key of `by` isn't one of the config's.
        AnnotationError: two sides, or two runs, went through different annotators.
    """
    wanted = [key.strip() for key in by if key.strip()]
    seen: dict[str, tuple[Source, Run]] = {}
    data = [one for run in runs_in(paths) for one in _data(run, wanted, seen)]
    return comparison_table(compare_runs(data))


def runs_in(paths: Sequence[Path]) -> list[Run]:
    """The runs in these folders; a folder of runs (a grid) stands for all of them.

    Raises:
        LogError: a folder holds none.
    """
    found: list[Run] = []
    for path in paths:
        inside = [Run(path)] if (path / "events.jsonl").is_file() else [Run(p) for p in sorted(_inside(path))]
        if not inside:
            raise LogError(f"{path} holds no run; give folders of runs, or a folder that holds some")
        found += inside
    unique = {run.path.resolve(): run for run in found}
    return list(unique.values())


def _inside(path: Path) -> Iterator[Path]:
    return (log.parent for log in path.glob("*/events.jsonl"))


def _data(run: Run, by: Sequence[str], seen: dict[str, tuple[Source, Run]]) -> Iterator[RunData]:
    if not run.summary_path.is_file():
        raise LogError(f"{run.path} has no summary: the run isn't over; `folkmoot resume {run.path}` first")
    config = config_of(run)
    events = list(run.events())
    for corpus in load(config.corpus):
        _measured(run, corpus.name)
        simulated = Annotations.read(columns_file(run.annotations, corpus.name), run.digest)
        reference = Annotations.read(columns_file(run.annotations, f"{corpus.name}.reference"), corpus.digest)
        check_comparable(simulated, reference)
        _same_annotators(run, simulated, seen)
        target = _target(config, corpus, reference)
        group = ", ".join([corpus.name, *_values(config.model_dump(mode="json"), by)])
        mine = [event for event in events if event.community == corpus.name]
        yield RunData(
            group=group,
            name=str(run.path),
            events=mine,
            columns=simulated.columns,
            target=target,
            counting=counting_of(config, corpus.name),
            seed=config.seed,
            scored=_scored(run, config, corpus.name),
            recovered=_recovered(run, config, corpus.name),
        )


def _scored(run: Run, config: RunConfig, community: str) -> ScoredRun | None:
    """What `monitor=fidelity` scored; None where it didn't watch.

    Raises:
        LogError: a line can't be read.
    """
    watch, found = config.monitor.fidelity, run.summary()["communities"][community].get("fidelity")
    if watch is None or found is None:
        return None
    texts = list(records(run.fidelity / f"{file_name(community)}.jsonl", ScoredText, "a scored text", _REMADE))
    scorer = {"evaluator": found["evaluator"]} | watch.asked() | _words(run, "fidelity/")
    return ScoredRun(texts, scorer, config.seed, watch.draws, watch.level)


def _recovered(run: Run, config: RunConfig, community: str) -> RecoveredRun | None:
    """What `monitor=recovery` made; None where it didn't watch.

    Raises:
        LogError: a line can't be read.
    """
    watch, found = config.monitor.recovery, run.summary()["communities"][community].get("recovery")
    if watch is None or found is None:
        return None
    lines = list(records(run.recovery / f"{file_name(community)}.jsonl", MadeProfile, "a profile", _REMADE))
    scorer = (
        {"evaluator": found["evaluator"], "matching": found["matching"]} | watch.asked() | _words(run, "interests/")
    )
    return RecoveredRun(last_profiles(lines), scorer, config.seed, watch.draws, watch.level)


def _words(run: Run, folder: str) -> dict[str, str]:
    """Hashes of the prompts that its monitor asked with."""
    return {name: found for name, found in run.manifest()["prompts"].items() if name.startswith(folder)}


_REMADE = "`folkmoot resume` makes this file again from the log"


def _measured(run: Run, community: str) -> None:
    """A run that failed early has a summary and no labels."""
    names = (community, f"{community}.reference")
    if not all(columns_file(run.annotations, name).is_file() for name in names):
        state = run.summary().get("state")
        raise LogError(f"{run.path} isn't measured (state: {state}); `folkmoot resume {run.path}` first")


def _same_annotators(run: Run, labels: Annotations, seen: dict[str, tuple[Source, Run]]) -> None:
    """Rows of one table are labelled by one annotator a role: else their difference may be the annotators'."""
    for role, source in labels.sources.items():
        first, where = seen.setdefault(role, (source, run))
        if (first.name, first.version) != (source.name, source.version):
            raise AnnotationError(
                f"{role}: {first.name} {first.version} labelled {where.path}, {source.name} {source.version} labelled "
                f"{run.path}: rows of two annotators don't compare; give runs of one, or run again with annotator=..."
            )


def _target(config: RunConfig, corpus: Any, reference: Annotations) -> Target:
    from folkmoot.environments.corpora.feed_split import parted

    events = parted(corpus, config.population).reference_events(corpus)
    roles = {role: source.labels for role, source in reference.sources.items()}
    return build_target(events, reference.columns, roles, community=corpus.name, families=list(config.monitor.families))


_SHORT = {"condition": "condition.name", "llm": "llm.backend", "corpus": "corpus.kind", "agents": "agents.kind"}


def _values(config: Mapping[str, Any], by: Sequence[str]) -> list[str]:
    return [f"{key}={_value(config, _SHORT.get(key, key), key)}" for key in by]


def _value(config: Any, path: str, key: str) -> Any:
    for step in path.split("."):
        if not isinstance(config, Mapping) or step not in config:
            known = list(config) if isinstance(config, Mapping) else []
            raise ConfigError(f"--by {key}: the config has no such key; {did_you_mean(step, known)}")
        config = config[step]
    if isinstance(config, Mapping):
        raise ConfigError(
            f"--by {key}: a group of keys has no value; name one of them: {key}.{f', {key}.'.join(config)}"
        )
    return config
