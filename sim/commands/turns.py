"""The model calls of one turn, for a terminal: prompt, answers, every attempt."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from folkmoot.sim.call_records import CallRecord
from folkmoot.sim.commands.plain import line, shown


def call_blocks(records: Sequence[CallRecord], made: int) -> Iterator[RenderableType]:
    """Each call's prompt once, then its attempts.

    Args:
        records: of one turn, by call and attempt.
        made: calls that the turn made, as it noted.
    """
    found = 0
    for number, attempts in groupby(records, key=lambda record: record.call):
        found += 1
        yield from _call(number, list(attempts))
    if found < made:
        yield Text(f"{made - found} of {made} calls aren't in calls.jsonl: it was cut or taken away", style="yellow")


def _call(number: int, attempts: Sequence[CallRecord]) -> Iterator[RenderableType]:
    first = attempts[0]
    yield Rule(shown(f"call {number}: prompt {first.prompt}, seed {first.seed}"))
    if first.messages is None:
        yield Text("(the run kept no prompts)", style="dim")
    for message in first.messages or ():
        yield Text(f"[{line(message.role)}]", style="bold")
        yield shown(message.content)
    for record in attempts:
        yield Rule(shown(_costs(record)), style="dim")
        yield _outcome(record)


def _costs(record: CallRecord) -> str:
    parts = [f"attempt {record.attempt}", f"{record.latency:.3f} s"]
    if record.answer is not None:
        answer = record.answer
        parts.append(f"{answer.prompt_tokens} + {answer.completion_tokens} tokens")
        parts.append(f"ended by {line(answer.finish)}")
        parts += [f"{answer.cost:.6f} US dollars"] if answer.cost else []
    if record.scores is not None:
        parts.append(f"{record.scores.prompt_tokens} tokens")
    return ", ".join(parts)


def _outcome(record: CallRecord) -> RenderableType:
    if record.error is not None:
        return shown(record.error + (" (final: a re-run repeats it)" if record.final else ""), "red")
    if record.scores is not None:
        scores = record.scores
        told = "  ".join(f"{i}: {score:.4f}" for i, score in enumerate(scores.logprobs))
        bounds = f"  (upper bounds: {list(scores.censored)})" if scores.censored else ""
        return Text(f"log-probabilities by label, in the order asked: {told}{bounds}")
    if record.answer is None or not record.answer.text:
        return Text("(an empty answer)", style="dim")
    return shown(record.answer.text)
