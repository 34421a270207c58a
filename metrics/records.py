"""Lines of metrics.jsonl: publish points and alarms."""

from pathlib import Path

import msgspec

from folkmoot.sim.errors import LogError


class Point(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="point"):
    """One publish point; a line of metrics.jsonl.

    Attributes:
        seq: the last event that was read.
        time: simulated time, milliseconds: of that event, or the day's end.
        n: comments counted so far.
        cause: what made it due: so many comments, the end of a simulated day, the end of the run.
        values: the numbers of the monitors that were due.
    """

    seq: int
    time: int
    n: int
    cause: str
    values: dict[str, float]


class AlarmRaised(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="alarm"):
    """A number out of bounds at a publish point; a line of metrics.jsonl, never of the log."""

    seq: int
    time: int
    n: int
    metric: str
    value: float
    above: float | None
    below: float | None
    stop: bool

    @property
    def words(self) -> str:
        """What happened, in words."""
        bounds = (("above", self.above), ("below", self.below))
        limit = ", ".join(f"{name} {bound:g}" for name, bound in bounds if bound is not None)
        return f"{self.metric} = {self.value:.4g} ({limit}) at comment {self.n}"


Record = Point | AlarmRaised


def read_records(path: Path) -> list[Record]:
    """The records of a metrics.jsonl, in order; a torn last line is left out.

    Raises:
        LogError: a line inside the file isn't a record.
    """
    decoder = msgspec.json.Decoder(Record)
    lines = path.read_bytes().split(b"\n")
    try:
        return [decoder.decode(line) for line in lines[:-1] if line]
    except msgspec.MsgspecError as error:
        raise LogError(
            f"{path} holds a line that isn't a record of metrics ({error}); run the monitors again"
        ) from error
