"""The `dialogue` experiment: an answer to one request a user, from timeline or made profile, judged from the gold.

dialogues.jsonl holds a line a user.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.agents.interests.construct import Built
from folkmoot.agents.interests.respond import Responder, request
from folkmoot.metrics.profile.counting import Count
from folkmoot.metrics.profile.judging import DialogueJudge
from folkmoot.metrics.profile.results import dialogue_numbers, dialogue_sentences
from folkmoot.metrics.profile.timelines import User
from folkmoot.sim.asking import Reply
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.profile_running import Models, Work, carry_out
from folkmoot.sim.experiments.profile_settings import DialogueConfig
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run

DIALOGUES = "dialogues.jsonl"
"""The users of a run, in its folder."""


class DialogueLine(msgspec.Struct, frozen=True, kw_only=True):
    """One user's request and its answer.

    Attributes:
        request: its number among the ten of the intent.
        response: "" where there is none.
        reason: why there is none.
        gold: bucket -> domain -> tags.
        predicted, counts: of the profile that the answer rests on; empty where it rests on the timeline.
        scores: judge -> coverage, concreteness, fluency; a judge whose answer couldn't be read is missing.
        unread: judge -> why its answer couldn't be read.
        notes: what was left out or dropped on the way, by reason.
    """

    community: str
    user: str
    request: int
    response: str
    gold: dict[str, dict[str, tuple[str, ...]]]
    reason: str = ""
    predicted: dict[str, dict[str, tuple[str, ...]]] = {}
    counts: dict[str, Count] = {}
    scores: dict[str, tuple[float, float, float]] = {}
    unread: dict[str, str] = {}
    notes: dict[str, int] = {}


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Have requests answered and judged, or those that are left.

    Raises:
        ConfigError: a replay is asked for.
        CorpusError: nobody in the corpus can be asked about.
        ModelError: a call failed for good, with on_failure=stop.
    """
    task = config.experiment
    assert isinstance(task, DialogueConfig)
    work = Work(
        DIALOGUES, DialogueLine, make=partial(_line, task), told=partial(_told, task), calls=partial(_calls, task)
    )
    return carry_out(config, task, folder, mode, work)


def _calls(task: DialogueConfig, user: User) -> int:
    """The answer, its judges', and those of the profile that it rests on."""
    profile = 0 if task.context == "timeline" else task.calls_of(task.context, len(user.posts))
    return 1 + max(1, len(task.judges)) + profile


def read_dialogues(run: Run) -> list[DialogueLine]:
    """The users of a run.

    Raises:
        LogError: a line can't be read.
    """
    return list(records(run.path / DIALOGUES, DialogueLine, "a user's dialogue", "start a new run"))


async def _line(task: DialogueConfig, models: Models, user: User) -> DialogueLine:
    number = request(models.config.seed, user.id, task.intent, task.context)
    responder = Responder(models.asker(models.pool, task.response_tokens), task.input)
    built: Built | None = None
    counts: dict[str, Count] = {}
    if task.context == "timeline":
        reply, notes = await responder.from_timeline(user.id, user.posts, task.intent, number)
    else:
        built = await models.builder(user).build(user.id, user.posts, task.context)
        reply = await responder.from_profile(user.id, built.profile, task.intent, number)
        counts, lost = await models.counted(user, built.profile)
        notes = built.notes + lost + Counter([f"no profile: {built.reason}"] if built.reason else [])
    scores, unread = await _judged(task, models, user, reply, number)
    return DialogueLine(
        community=user.community,
        user=user.id,
        request=number,
        response=reply.value or "",
        reason=reply.reason,
        gold=user.gold.model_dump(),
        predicted=built.profile.model_dump() if built else {},
        counts=counts,
        scores=scores,
        unread=unread,
        notes=dict(notes),
    )


async def _judged(
    task: DialogueConfig, models: Models, user: User, reply: Reply[str], number: int
) -> tuple[dict[str, tuple[float, float, float]], dict[str, str]]:
    scores: dict[str, tuple[float, float, float]] = {}
    unread: dict[str, str] = {}
    if reply.value is None:
        return scores, unread
    for name, pool in models.judges.items():
        judge = DialogueJudge(models.asker(pool, task.judge_tokens))
        found = await judge.score(user.id, user.gold, task.intent, number, reply.value)
        if found.value is None:
            unread[name] = found.reason
        else:
            scores[name] = found.value.points
    return scores, unread


def _told(task: DialogueConfig, models: Models, lines: Sequence[DialogueLine]) -> dict[str, Any]:
    scores = {name: [line.scores[name] for line in lines if name in line.scores] for name in models.judges}
    unread = {name: Counter(line.unread[name] for line in lines if name in line.unread) for name in models.judges}
    numbers = dialogue_numbers(scores, draws=task.draws, seed=models.config.seed)
    reasons = Counter(line.reason for line in lines if line.reason)
    what = f"{task.context}, {task.intent}, {models.pool.name}"
    return {
        "dialogue": numbers,
        "unanswered": dict(reasons),
        "unread": {name: dict(counts) for name, counts in unread.items()},
        "notes": dict(sum((Counter(line.notes) for line in lines), Counter())),
        "lines": dialogue_sentences(what, numbers, unread, reasons),
    }
