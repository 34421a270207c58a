"""`folkmoot export`: a run as Parquet tables, or as a ConvoKit corpus."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from folkmoot.sim.call_records import CallRecord
from folkmoot.sim.commands.folders import fresh_folder
from folkmoot.sim.commands.labels import Labels, read_labels
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import SCHEMA, Event, TextEvent, kinds
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run

EVENT_ROWS = 20_000
"""Rows of a row group; what is in memory at once."""
CALL_ROWS = 2_000
FILES = ("events.parquet", "calls.parquet")

Item = TypeVar("Item")


@dataclass(slots=True)
class Export:
    """What was written.

    Attributes:
        counts: name of a file or a thing -> how many.
        notices: what was left out or mended, in words.
    """

    folder: Path
    counts: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def export_parquet(run: Run, out: Path, *, text: bool = False, force: bool = False) -> Export:
    """Write events.parquet, and calls.parquet where there are calls.

    events.parquet has `kind` and one column a field over all known kinds, null where a kind has no such field;
    `time` is a timestamp in UTC; annotations of this log stand in columns named after their file. calls.parquet has
    a row an attempt. Rows are streamed, so memory doesn't grow with the run.

    Args:
        run: the run; it may still be going.
        out: folder to make.
        text: keep the prompts too.
        force: replace an earlier export.

    Raises:
        LogError: `out` is there already, the disk refuses, or a file of the run is damaged.
    """
    labels = read_labels(run)
    with fresh_folder(out, FILES, force=force) as folder:
        counts = {"events": _write_events(run, folder / FILES[0], labels)}
        if run.calls_path.exists():
            counts["calls"] = _write_calls(run, folder / FILES[1], text=text)
    return Export(out, counts, labels.notices)


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of up to `size` items.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def event_columns() -> dict[str, tuple[Any, dict[str, str]]]:
    """Columns of all known kinds: name -> (Arrow type, kind -> its field).

    Fields come in the order of Event, TextEvent, then of the other kinds by name. Where two kinds give one name
    two types, the later kind's column is `Kind.field`.
    """
    columns: dict[str, tuple[Any, dict[str, str]]] = {}
    known = kinds()
    order: list[tuple[str, type[Event]]] = [("", Event), ("", TextEvent), *sorted(known.items())]
    for name, kind in order:
        for info in msgspec.structs.fields(kind):
            arrow, title = arrow_type(info.type, info.name), info.name
            if columns.setdefault(title, (arrow, {}))[0] != arrow:
                title = f"{name}.{info.name}"
                columns[title] = (arrow, {})
            if name:
                columns[title][1][name] = info.name
    return columns


def arrow_type(hint: Any, name: str = "") -> Any:
    """The Arrow type of an event's field.

    Raises:
        LogError: events can't have such a field in a table.
    """
    import pyarrow as pa

    plain = {int: pa.int64(), str: pa.string(), float: pa.float64(), bool: pa.bool_()}
    if name == "time":
        return pa.timestamp("ms", tz="UTC")
    if hint in plain:
        return plain[hint]
    origin, parts = get_origin(hint), [part for part in get_args(hint) if part not in (type(None), Ellipsis)]
    if origin is Literal:
        return plain[type(parts[0])]
    if origin in (Union, UnionType) and len(parts) == 1:
        return arrow_type(parts[0])
    if origin in (tuple, list) and len(parts) == 1:
        return pa.list_(arrow_type(parts[0]))
    raise LogError(f"field {name!r} of type {hint!r} has no column type; use int, float, str, bool or tuples of them")


def _write_events(run: Run, path: Path, labels: Labels) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = event_columns()
    fields = [pa.field("kind", pa.string()), *(pa.field(name, kind) for name, (kind, _) in columns.items())]
    fields += [pa.field(name, column.values.type) for name, column in labels.columns.items()]
    schema = pa.schema(fields, metadata={"folkmoot.schema": SCHEMA, "folkmoot.log": run.digest})
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for events in batches(run.events(), EVENT_ROWS):
            arrays = _event_arrays(events, columns)
            arrays += [column.take([event.seq for event in events]) for column in labels.columns.values()]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            count += len(events)
    return count


def _event_arrays(events: Sequence[Event], columns: Mapping[str, tuple[Any, dict[str, str]]]) -> list[Any]:
    import pyarrow as pa

    names = [type(event).__name__ for event in events]
    arrays = [pa.array(names, pa.string())]
    for arrow, fields in columns.values():
        values = [
            getattr(event, fields[name]) if name in fields else None for event, name in zip(events, names, strict=True)
        ]
        arrays.append(pa.array(values, arrow))
    return arrays


# --- calls ----------------------------------------------------------------------------------------


def _call_schema(*, text: bool) -> Any:
    import pyarrow as pa

    whole, words = pa.int64(), pa.string()
    fields = [("agent", words), ("activation", whole), ("call", whole), ("attempt", whole), ("prompt", words)]
    fields += [("seed", whole), ("answer", words), ("error", words), ("final", pa.bool_()), ("finish", words)]
    fields += [("prompt_tokens", whole), ("completion_tokens", whole)]
    fields += [("latency", pa.float64()), ("cost", pa.float64())]
    fields += [("logprobs", pa.list_(pa.float64())), ("censored", pa.list_(whole)), ("sampled", pa.bool_())]
    if text:
        fields.append(("messages", pa.list_(pa.struct([("role", words), ("content", words)]))))
    return pa.schema(fields)


def _write_calls(run: Run, path: Path, *, text: bool) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, count = _call_schema(text=text), 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for some in batches(records(run.calls_path, CallRecord, "a CallRecord"), CALL_ROWS):
            writer.write_batch(pa.RecordBatch.from_pylist([_call_row(record) for record in some], schema=schema))
            count += len(some)
    return count


def _call_row(record: CallRecord) -> dict[str, Any]:
    names = ("agent", "activation", "call", "attempt", "prompt", "seed", "error", "final", "latency")
    row: dict[str, Any] = {name: getattr(record, name) for name in names}
    answer, scores = record.answer, record.scores
    if answer is not None:
        row |= {"answer": answer.text, "completion_tokens": answer.completion_tokens, "finish": answer.finish}
        row |= {"prompt_tokens": answer.prompt_tokens, "cost": answer.cost}
    if scores is not None:
        row |= {"logprobs": scores.logprobs, "censored": scores.censored, "sampled": scores.sampled}
        row |= {"prompt_tokens": scores.prompt_tokens, "cost": scores.cost}
    if record.messages is not None:
        row["messages"] = [message._asdict() for message in record.messages]
    return row
