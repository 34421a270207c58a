"""Columns beside the log: labels by event, written to and read from Parquet, never part of an event.

A file belongs to one log or corpus (its hash) and says of each column which annotator wrote it, in which version.
Real and simulated text are compared only where both went through the same annotator and version.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from folkmoot.metrics.context import Contexts
from folkmoot.metrics.tallies import Columns
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.protocols import Annotator, Utterance

SCHEMA = "folkmoot.annotations/1"
_BATCH = 256
_DIGEST = b"folkmoot.digest"
_ABOUT = b"folkmoot.annotators"
_SCHEMA = b"folkmoot.schema"


@dataclass(frozen=True, slots=True)
class Source:
    """Who wrote a column; `counts` is what it couldn't do or had to change, by reason."""

    name: str
    version: str
    labels: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Annotations:
    """Labels of one log or corpus.

    Attributes:
        digest: hash of the log or corpus that the numbers belong to.
        columns: seq -> role -> labels; None where the annotator could read none.
        sources: role -> who wrote the column.
    """

    digest: str
    columns: Columns
    sources: Mapping[str, Source]

    def write(self, file: Path) -> None:
        """Write as Parquet: seq, and one column of label lists a role."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        seqs = sorted(self.columns)
        arrays = [
            _whole_numbers(seqs),
            *(_label_lists([self.columns[seq].get(r) for seq in seqs]) for r in self.sources),
        ]
        about = {role: _plain(source) for role, source in self.sources.items()}
        metadata = {_SCHEMA: SCHEMA, _DIGEST: self.digest, _ABOUT: json.dumps(about, sort_keys=True)}
        half = file.with_name(file.name + ".half")
        table = pa.Table.from_arrays(arrays, names=["seq", *self.sources])
        pq.write_table(table.replace_schema_metadata(metadata), half)
        half.replace(file)

    @classmethod
    def read(cls, file: Path, digest: str | None = None) -> "Annotations":
        """Read what `write` wrote.

        Raises:
            AnnotationError: not such a file, or it belongs to another log or corpus than `digest`.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(file)
        except (OSError, pa.ArrowException) as error:
            raise AnnotationError(f"{file} can't be read as annotations ({error}); annotate again") from error
        facts = table.schema.metadata or {}
        if facts.get(_SCHEMA) != SCHEMA.encode():
            raise AnnotationError(f"{file} has schema {facts.get(_SCHEMA)!r}, not {SCHEMA!r}; annotate again")
        own = facts[_DIGEST].decode()
        if digest is not None and own != digest:
            raise AnnotationError(f"{file} belongs to {own[:12]}, not to {digest[:12]}; annotate this one")
        return cls(own, _rows(table), {role: _source(about) for role, about in json.loads(facts[_ABOUT]).items()})


def _whole_numbers(values: Sequence[int]) -> Any:
    """An Arrow array. `pyarrow.array` would import pandas, where that is installed, to see if it was given some."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(np.asarray(values, np.int64))])


def _label_lists(values: Sequence[tuple[str, ...] | None]) -> Any:
    """An Arrow array of lists of strings, None as null; made from buffers for the same reason."""
    import pyarrow as pa

    flat = [label.encode() for labels in values for label in labels or ()]
    texts = [_offsets(map(len, flat)), pa.py_buffer(b"".join(flat))]
    there = np.packbits(np.array([labels is not None for labels in values], np.bool_), bitorder="little")
    lists = [pa.py_buffer(there.tobytes()), _offsets(len(labels or ()) for labels in values)]
    strings = pa.StringArray.from_buffers(len(flat), *texts)
    return pa.ListArray.from_buffers(pa.list_(pa.string()), len(values), lists, children=[strings])


def _offsets(lengths: Iterable[int]) -> Any:
    import pyarrow as pa

    return pa.py_buffer(np.cumsum([0, *lengths], dtype=np.int32))


def utterances(events: Iterable[Event], context: int = 2) -> list[Utterance]:
    """The comments of a log in order, each with its thread's title and up to `context` comments before it."""
    contexts = Contexts(context)
    return [contexts.take(event) for event in events if isinstance(event, TextEvent)]


async def label(
    events: Iterable[Event], annotators: Mapping[str, Annotator], counts: Callable[[Event], bool] | None = None
) -> Columns:
    """Label the comments of a log.

    Args:
        events: in order; all of them, since comments that aren't labelled are context of others.
        annotators: role -> annotator.
        counts: which comments to label; None: all.
    """
    width = max((annotator.context for annotator in annotators.values()), default=0)
    batch = [one for one in utterances(events, width) if counts is None or counts(one.event)]
    columns: dict[int, dict[str, tuple[str, ...] | None]] = {one.event.seq: {} for one in batch}
    for role, annotator in annotators.items():
        for start in range(0, len(batch), _BATCH):
            part = batch[start : start + _BATCH]
            for one, labels in zip(part, await annotator.annotate(part), strict=True):
                columns[one.event.seq][role] = labels
    return columns


def sources(annotators: Mapping[str, Annotator]) -> dict[str, Source]:
    """What the annotators say of themselves."""
    return {
        role: Source(one.name, one.version, tuple(one.labels), dict(getattr(one, "counts", {})))
        for role, one in annotators.items()
    }


def save_columns(folder: Path, name: str, digest: str, columns: Columns, annotators: Mapping[str, Annotator]) -> Path:
    """Write `columns_file(folder, name)` for the log or corpus with this hash."""
    file = columns_file(folder, name)
    Annotations(digest, columns, sources(annotators)).write(file)
    return file


def columns_file(folder: Path, name: str) -> Path:
    """`<folder>/<name>.parquet`; characters unfit for a file become `_`.

    >>> columns_file(Path("annotations"), "Talk:Old mill").as_posix()
    'annotations/Talk_Old_mill.parquet'
    """
    return folder / f"{file_name(name)}.parquet"


def file_name(name: str) -> str:
    """A community's name as part of a file's name."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def check_comparable(one: Annotations, other: Annotations) -> None:
    """Refuse a comparison of labels by different annotators or versions.

    Raises:
        AnnotationError: a role is missing on one side, or its annotator or version differs.
    """
    for role in sorted({*one.sources, *other.sources}):
        pair = one.sources.get(role), other.sources.get(role)
        if pair[0] is None or pair[1] is None:
            raise AnnotationError(f"{role}: only one side is labelled; label both with the same annotator")
        if (pair[0].name, pair[0].version) != (pair[1].name, pair[1].version):
            raise AnnotationError(
                f"{role}: {pair[0].name} {pair[0].version} against {pair[1].name} {pair[1].version}: both sides must"
                " go through the same annotator and version; label one of them again"
            )


def _plain(source: Source) -> dict[str, Any]:
    return {"name": source.name, "version": source.version, "labels": source.labels, "counts": dict(source.counts)}


def _source(about: Mapping[str, Any]) -> Source:
    return Source(about["name"], about["version"], tuple(about["labels"]), about["counts"])


def _rows(table: Any) -> Columns:
    roles: Sequence[str] = [name for name in table.column_names if name != "seq"]
    values = {role: table[role].to_pylist() for role in roles}
    return {
        seq: {role: None if values[role][row] is None else tuple(values[role][row]) for role in roles}
        for row, seq in enumerate(table["seq"].to_pylist())
    }
