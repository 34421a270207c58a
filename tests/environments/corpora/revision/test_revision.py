"""A revision is taken only if it loses no text."""

import asyncio
import json
import shutil
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.environments.corpora.checking import check_references
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.revision import Reviser, TextLost, check_partition, revise_store
from folkmoot.environments.corpora.revision.reviser import IRRECOVERABLE, LOST, NO_JSON, REVISED, RIGHT, STRANGER
from folkmoot.environments.talk_page.wikitext import load_language
from folkmoot.sim.errors import CorpusError, ModelError
from folkmoot.sim.protocols import Answer

EN = load_language("en")
ADA, BOB = "aaaaaaaaaa", "bbbbbbbbbb"
SIGNED = f"[[User:{ADA}|{ADA}]] ([[User talk:{ADA}|talk]]) 10:00, 1 May 2011 (UTC)"
RAW = f"First point. Second point, by me. {SIGNED}\n:Yes. [[User:{BOB}|{BOB}]] 11:00, 1 May 2011 (UTC)\nPS: more."


def _comment(number, actor, text, parent):
    return CommentRecord(f"c{number}", actor, 1304244000000 + 3_600_000 * number, True, parent, "signed", text, (), (number, number + 1), (number, number + 1))  # fmt: skip


THREAD = ThreadRecord(
    "t", "Talk:X", "p", 0, "T",
    (_comment(0, ADA, "First point. Second point, by me.", None), _comment(1, BOB, "Yes.", 0), _comment(2, ADA, "PS: more. No.", None)),
)  # fmt: skip


class Says:
    """A model that gives these answers, one after the other."""

    name, repeatable, window = "says", True, 32_768

    def __init__(self, *answers):
        self._answers, self.asked = list(answers), []

    def count_tokens(self, messages):
        """A token each four characters."""
        return sum(len(message.content) // 4 for message in messages)

    async def generate(self, messages, sampling, seed):
        """The next answer, the last again and again."""
        self.asked.append(messages)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Answer(text=answer if isinstance(answer, str) else json.dumps({"thread": answer}))


def _revise(*answers, thread=THREAD):
    return asyncio.run(Reviser(Says(*answers), EN).revise(thread, RAW))


def _given(*comments):
    return [{"user": user, "time": f"2011-05-01T{hour}:00Z", "text": text} for user, hour, text in comments]


SAME = _given((ADA, 10, "First point. Second point, by me."), (BOB, 11, "Yes."), (ADA, 12, "PS: more. No."))


def test_right_as_it_is():
    """An unchanged thread is the same thread."""
    assert _revise(SAME) == _revise(SAME)
    assert (_revise(SAME).reason, _revise(SAME).thread) == (RIGHT, THREAD)


def test_borders_move():
    """A merged comment is cut, a postscript goes back; pieces keep their places, times and parents."""
    cut = _given(
        (BOB, 10, "First point."), (ADA, 10, "Second point, by me."), (BOB, 11, "Yes. PS: more."), (ADA, 12, "No.")
    )
    revision = _revise(cut)
    assert revision.reason == REVISED
    comments = revision.thread.comments
    assert [(c.actor, c.text, c.parent) for c in comments] == [
        (BOB, "First point.", None),
        (ADA, "Second point, by me.", 0),
        (BOB, "Yes. PS: more.", 0),
        (ADA, "No.", None),
    ]
    assert len({comment.id for comment in comments}) == 4
    assert [c.time for c in comments] == [THREAD.comments[k].time for k in (0, 0, 1, 2)]


def test_signature_may_go():
    """Only a signature can be taken out of the text."""
    left = ThreadRecord(
        "t", "Talk:X", "p", 0, "T", (_comment(0, ADA, f"First. {SIGNED}", None), _comment(1, BOB, "Yes.", 0))
    )
    revision = _revise(_given((ADA, 10, "First."), (BOB, 11, "Yes.")), thread=left)
    assert (revision.reason, [c.text for c in revision.thread.comments]) == (REVISED, ["First.", "Yes."])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("no", NO_JSON),
        ('{"thread": 5}', NO_JSON),
        ('{"thread": null}', IRRECOVERABLE),
        ([], LOST),
        (SAME[:2], LOST),
        (SAME[::-1], LOST),
        ([*SAME[:2], {**SAME[2], "text": "PS: more. Never."}], LOST),
        ([*SAME, {**SAME[2], "text": "New words."}], LOST),
        ([{**SAME[0], "user": "cccccccccc"}, *SAME[1:]], STRANGER),
        ([{**SAME[0], "time": "1999-01-01T00:00Z"}, *SAME[1:]], STRANGER),
    ],
)  # fmt: skip
def test_flagged(answer, reason):
    """What loses, adds, changes or moves text, names strangers, or is no thread, is flagged with its reason."""
    revision = _revise(answer)
    assert (revision.reason, revision.thread) == (reason, None)


def test_repaired_once():
    """The model is told what was wrong, and asked once more."""
    model = Says(SAME[:2], SAME)
    revision = asyncio.run(Reviser(model, EN).revise(THREAD, RAW))
    assert (revision.reason, revision.repaired) == (RIGHT, True)
    assert "words at the end are in no comment" in model.asked[1][-1].content


WORDS = st.lists(st.sampled_from(["a", "b", "c", "no", "yes."]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.lists(st.integers(0, 12), max_size=4), WORDS)
def test_partitions_alone_pass(words, cuts, others):
    """Any cutting of the words passes; any other list of words doesn't."""
    places = sorted({min(cut, len(words)) for cut in cuts} | {0, len(words)})
    pieces = [" ".join(words[start:end]) for start, end in pairwise(places)] or [""]
    assert check_partition([" ".join(words)], pieces, EN) == 0
    if others != words:
        with pytest.raises(TextLost):
            check_partition([" ".join(words)], [" ".join(others)], EN)


def test_a_corpus_revised(small_store, tmp_path):
    """The scripted model finds every thread right: the revised corpus holds the same threads, sound and complete."""
    with asyncio.Runner() as runner:
        new = revise_store(
            small_store, tmp_path / "revised", Reviser(ScriptedModel(), EN), runner, {"model": "scripted"}
        )
        assert list(new.threads(dropped=True)) == list(small_store.threads(dropped=True))
        assert not list(check_references(new))
        stage = new.manifest.stage("revision")
        assert (stage.counts["threads"].kept, stage.facts["of"]) == (6, small_store.manifest.digest)
        with pytest.raises(CorpusError, match="is there already and holds a corpus"):
            revise_store(small_store, tmp_path / "revised", Reviser(ScriptedModel(), EN), runner)


class Interrupted(asyncio.Runner):
    """A runner that is interrupted at the second question, as by Ctrl-C."""

    asked = 0

    def run(self, coro, *, context=None):
        """The answer, then an interruption."""
        self.asked += 1
        if self.asked > 1:
            coro.close()
            raise KeyboardInterrupt
        return super().run(coro, context=context)


@pytest.mark.parametrize(("runs", "fault"), [(asyncio.Runner, ModelError), (Interrupted, KeyboardInterrupt)])
def test_an_interrupted_revision_can_be_made_again(small_store, tmp_path, runs, fault):
    """Law: a call that fails, or Ctrl-C, leaves nothing at the name; the same call then gives the undisturbed corpus."""

    class Stops(ScriptedModel):
        """Answers once."""

        asked = 0

        async def generate(self, messages, sampling, seed):
            """The scripted answer, then the fault."""
            self.asked += 1
            if self.asked > 1:
                raise ModelError("out of order")
            return await super().generate(messages, sampling, seed)

    out = tmp_path / "new" / "revised"
    with runs() as runner, pytest.raises(fault):
        revise_store(small_store, out, Reviser(Stops(), EN), runner, in_flight=1)
    assert not list(out.parent.iterdir())
    (out.parent / ".revised.unfinished" / "pages").mkdir(parents=True)  # as a kill leaves it
    (out.parent / ".revised.unfinished" / "pages" / "00009.parquet").write_bytes(b"half")
    with asyncio.Runner() as runner:
        again = revise_store(small_store, out, Reviser(ScriptedModel(), EN), runner)
        whole = revise_store(small_store, tmp_path / "whole", Reviser(ScriptedModel(), EN), runner)
    assert again.manifest == whole.manifest
    assert again.manifest.state == "complete"
    assert [path.name for path in out.parent.iterdir()] == ["revised"]
    assert not list(check_references(again))


def test_flagged_threads_are_left_out(small_store, tmp_path):
    """A model that gives up leaves no thread; each is counted, and pages stay."""
    with asyncio.Runner() as runner:
        new = revise_store(small_store, tmp_path / "revised", Reviser(Says('{"thread": null}'), EN), runner)
    assert new.manifest.stage("revision").counts["threads"].dropped == {IRRECOVERABLE: 6}
    assert not list(new.threads())
    assert len(list(new.pages())) == 6
    shutil.rmtree(new.path)
