"""Laws of the conformance check, and that our importers pass it."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from folkmoot.environments.corpora.sources.base import SourceComment, SourcePerson, SourceThread
from folkmoot.environments.corpora.sources.check import check_source
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.sim.errors import CorpusError


@pytest.fixture
def sources(tmp_path):
    """A small source of each kind that lies in files."""
    (tmp_path / "c.csv").write_text("thread,id,parent,text\na,1,,x\nb,2,9,y\na,3,1,z\nc,4,,w\n,5,,lost\n")
    kit = tmp_path / "kit"
    kit.mkdir()
    lines = [
        {"id": str(n), "conversation_id": str(n % 3), "speaker": f"u{n}", "text": "x", "reply-to": str(n - 3)}
        for n in range(9)
    ]
    (kit / "utterances.jsonl").write_text("\n".join(map(json.dumps, [*lines, {"text": "lost"}])))
    (kit / "speakers.json").write_text(json.dumps({"u1": {"meta": {"profile": "Miller."}}}))
    things = [
        {
            "id": f"c{n}",
            "link_id": f"t3_p{n % 4}",
            "parent_id": f"t1_c{n - 4}",
            "body": "x",
            "author": "a",
            "created_utc": n,
        }
        for n in range(12)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, things)))
    pages = tmp_path / "pages"
    pages.mkdir()
    for n in range(3):
        (pages / f"Mill {n}.wikitext").write_text(f"== A ==\nText {n}")
    return [f"table:{tmp_path / 'c.csv'}", f"convokit:{kit}", f"reddit:{tmp_path / 'r.jsonl'}", str(pages)]


@pytest.mark.parametrize("number", range(4))
def test_our_importers_keep_the_contract(sources, number):
    """Law: every importer of files passes the check that we give to others."""
    check_source(lambda: open_source(sources[number], Request("")))


class Three:
    """A source of three threads; tests break it."""

    name, language = "three", "en"

    def __init__(self):
        self.losses = Counter()

    def threads(self, after=None):
        """Three of them."""
        self.losses.clear()
        for number in range(0 if after is None else int(after) + 1, 3):
            self.losses["odd"] += 1
            yield self.thread(number)

    def thread(self, number):
        """One of them."""
        said = (SourceComment("a", "Ada", 1, None, "x"), SourceComment("b", "Bodo", 2, "a", "y"))
        return SourceThread(str(number), f"t{number}", "Talk:Mill", "Age", said)

    def people(self):
        """One of them."""
        yield SourcePerson("Ada", {"profile": "Miller."})


class Named(Three):
    """Its keys are names."""

    def thread(self, number):
        """With the key of its author."""
        return replace(super().thread(number), key="Ada" if number == 1 else str(number))


class Doubled(Three):
    """Its keys aren't unique."""

    def thread(self, number):
        """With a key of all."""
        return replace(super().thread(number), key="7")


class Backward(Three):
    """Answers stand before what they answer."""

    def thread(self, number):
        """Turned round."""
        return replace(super().thread(number), comments=super().thread(number).comments[::-1])


class Twice(Three):
    """Two comments have one id."""

    def thread(self, number):
        """Said twice."""
        return replace(super().thread(number), comments=super().thread(number).comments[:1] * 2)


class Stubborn(Three):
    """It always begins at the beginning."""

    def threads(self, after=None):
        """All of them."""
        return super().threads()


class Forgetful(Three):
    """It counts again what stood before."""

    def threads(self, after=None):
        """The rest, and the counts of all."""
        yield from super().threads(after)
        self.losses["odd"] = 3


class Odd(Three):
    """A person has a field that no persona has."""

    def people(self):
        """One of them."""
        yield SourcePerson("Ada", {"karma": 7})


def test_a_good_source_passes():
    """Law: what keeps the contract passes."""
    check_source(Three)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Named, "key 'Ada' is a title or a name"),
        (Doubled, "two of its items have one key"),
        (Backward, "answers 'a', which isn't before it"),
        (Twice, "two comments have the id 'a'"),
        (Stubborn, "doesn't go on with the next one"),
        (Forgetful, "its losses don't add up"),
        (Odd, "aren't a persona's"),
    ],
)
def test_a_breach_is_told_in_words(broken, said):
    """Law: each clause of the contract is checked, and the message says which is broken."""
    with pytest.raises(CorpusError, match=said):
        check_source(broken)
