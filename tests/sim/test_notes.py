"""Notes beside the log: made again by a re-run, never lost to one that fails."""

import json

import numpy as np
import pytest

from folkmoot.sim.errors import LogError, ReplayMismatch
from folkmoot.sim.notes import Notes


def run(place, **options):
    """A run with notes; they are closed however it ends."""
    notes = Notes(place.folder / "notes.jsonl")
    try:
        return place.run(sinks=[notes, *options.pop("sinks", ())], **options)
    finally:
        notes.close()


def names(place):
    """Files that notes left."""
    return sorted(path.name for path in place.folder.glob("notes*"))


class Boom:
    """Ends the process's run at an event, as a crash of other code would."""

    def __init__(self, at, look=lambda: None):
        self.at, self.look, self.seen = at, look, None

    def committed(self, events, turn):
        """Raise at the event."""
        if events[0].seq == self.at:
            self.seen = self.look()
            raise KeyboardInterrupt

    async def settle(self):
        """Never stops a run."""


def test_a_rerun_makes_the_same_notes(town):
    """Each line names its event, and running a finished run again leaves the same bytes and no other file."""
    place = town()
    run(place)
    file = place.folder / "notes.jsonl"
    before = file.read_bytes()
    seqs = [json.loads(line)["seq"] for line in before.splitlines()]
    assert seqs == sorted(set(seqs))
    assert len(seqs) > 5
    run(place)
    assert file.read_bytes() == before
    assert names(place) == ["notes.jsonl"]


def test_a_rerun_that_fails_leaves_the_old_notes(town):
    """A re-run that takes another way at once erases nothing, and the next good one ends with the whole notes."""
    place = town()
    run(place)
    file = place.folder / "notes.jsonl"
    before = file.read_bytes()
    with pytest.raises(ReplayMismatch):
        run(place, seed=2)
    assert file.read_bytes() == before
    assert names(place) == ["notes.jsonl"]


def test_notes_of_a_cut_run_are_completed(town):
    """Cut log and notes anywhere, the notes within a line too: the resumed run's notes are the undisturbed ones."""
    whole = town("whole")
    run(whole)
    log, notes = whole.log.read_bytes(), (whole.folder / "notes.jsonl").read_bytes()
    for i, share in enumerate((0.01, 0.4, 0.99)):
        cut = town(f"cut{i}")
        cut.log.write_bytes(log[: int(len(log) * share)])
        cut.calls.write_bytes(whole.calls.read_bytes())
        (cut.folder / "notes.jsonl").write_bytes(notes[: int(len(notes) * share)])
        run(cut)
        assert (cut.folder / "notes.jsonl").read_bytes() == notes
        assert names(cut) == ["notes.jsonl"]


def test_notes_are_in_place_once_the_recorded_end_is_passed(town):
    """A crash after the recorded end finds old and new notes in place, one after the recorded events' own."""
    whole = town("whole")
    run(whole)
    file = whole.folder / "notes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    half = len(lines) // 2
    file.write_bytes(b"".join(lines[:half]))
    boom = Boom(json.loads(lines[half + 1])["seq"], file.read_bytes)
    with pytest.raises(KeyboardInterrupt):
        run(whole, sinks=[boom])
    assert boom.seen == b"".join(lines[: half + 2])


def test_a_fact_that_is_no_data_is_refused(town):
    """A fact that couldn't be read back is an error that names the agent, not its printed form in the file."""
    place = town()

    class Noting(place.person):
        async def act(self, activation, view):
            activation.note(odd=np.float32(1))
            return await super().act(activation, view)

    place.person = Noting
    with pytest.raises(LogError, match=r"of 'agent\d' noted what can't be written .*float32"):
        run(place)
