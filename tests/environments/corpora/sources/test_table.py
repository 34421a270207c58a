"""Laws of the table importer."""

import gzip
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.base import ThreadSource
from folkmoot.environments.corpora.sources.halves import HALVES
from folkmoot.environments.corpora.sources.lines import LONGEST
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.table import open_table
from folkmoot.environments.corpora.sources.table_people import columns
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.persona import Persona

HEAD = "thread,id,author,time,parent,title,page,text,score\n"


def read(path, **options):
    """The threads of a table, and what was lost."""
    source = open_table(Request(str(path), options=options))
    return list(source.threads()), Counter(source.losses)


def write(path, text, encoding="utf-8"):
    """A file."""
    path.write_bytes(text.encode(encoding))
    return path


def said(thread):
    """The comments of a thread without facts."""
    return [(c.id, c.author, c.time, c.parent, c.text) for c in thread.comments]


ROWS = [
    {
        "thread": "t1",
        "id": "1",
        "author": "Ada",
        "time": "2024-05-01T12:00:00Z",
        "title": "Alter",
        "page": "Mühle",
        "text": 'Wie "alt",\nbitte?',
        "score": "3",
    },
    {"thread": "t2", "id": "7", "author": "Cleo", "time": "1714564860", "text": "Anderes", "page": "Mühle"},
    {
        "thread": "t1",
        "id": "2",
        "author": "",
        "time": "1714564800000",
        "parent": "1",
        "text": "So; alt|ja",
        "score": "4",
    },
]


def as_csv(delimiter=","):
    """The rows as CSV."""
    names = HEAD.strip().split(",")
    quoted = [[f'"{row.get(name, "").replace(chr(34), chr(34) * 2)}"' for name in names] for row in ROWS]
    return "\r\n".join(delimiter.join(cells) for cells in [names, *quoted]) + "\r\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.csv", as_csv().encode()),
        ("c.csv", b"\xef\xbb\xbf" + as_csv(";").encode()),
        ("c.tsv", as_csv("\t").encode()),
        ("c.csv", as_csv("|").encode("utf-16")),
        ("c.csv.gz", gzip.compress(as_csv().encode())),
        ("c.jsonl", "\n\n".join(json.dumps(row) for row in ROWS).encode()),
    ],
)
def test_every_form_gives_the_same_threads(tmp_path, name, content):
    """Law: CSV with any of four delimiters, TSV, UTF-16, packed, or JSON lines: the same threads, scattered rows joined."""
    path = tmp_path / name
    path.write_bytes(content)
    threads, losses = read(path)
    assert [(t.id, t.page, t.title) for t in threads] == [("t1", "Mühle", "Alter"), ("t2", "Mühle", "")]
    assert said(threads[0]) == [
        ("1", "Ada", 1_714_564_800_000, None, 'Wie "alt",\nbitte?'),
        ("2", "", 1_714_564_800_000, "1", "So; alt|ja"),
    ]
    assert [c.facts for c in threads[0].comments] == [{"score": "3"}, {"score": "4"}]
    assert not +losses
    assert isinstance(open_table(Request(str(path))), ThreadSource)


def test_two_columns_are_enough(tmp_path):
    """Law: thread and text make a corpus; ids are then the lines, the page is called as the file."""
    path = write(tmp_path / "talk.csv", "thread,text\na,one\na,two\n")
    ((thread,), losses) = read(path)
    assert said(thread) == [("line 2", "", None, None, "one"), ("line 3", "", None, None, "two")]
    assert thread.page == "talk"
    assert not +losses


def test_bad_rows_are_counted_with_their_lines(tmp_path):
    """Law: a bad row costs itself and is told with its reason and line; every other row is read."""
    text = 'thread,text,time\nt,good,1\n,no thread,1\nt,x\nt,when,noon\nt,"a"b,1\nt,"two\nlines",2\nt,last,3\n'
    (thread,), losses = read(write(tmp_path / "c.csv", text))
    assert [c.text for c in thread.comments] == ["good", "when", "two\nlines", "last"]
    assert losses == {
        "rows without a thread (line 3)": 1,
        "rows with more or fewer fields than the 3 columns (line 4)": 1,
        "times that can't be read (kept without) (line 5)": 1,
        "rows that aren't CSV: ',' expected after '\"' (line 6)": 1,
    }
    lines = [
        '{"thread": "t", "text": "good"}',
        '{"thread": 5, "text": "number"}',
        '{"thread": "t"}',
        "[1]",
        "{",
        '{"thread": null, "text": "x"}',
    ]
    threads, losses = read(write(tmp_path / "c.jsonl", "\n".join(lines)))
    assert [t.id for t in threads] == ["t", "5"]
    assert losses["rows without a text (line 3)"] == losses["rows without a thread (line 6)"] == 1
    assert sum(losses.values()) == 4


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(tmp_path, end):
    """Law: each of the three ends of lines, that of the first Macintosh too, gives the same rows, however long the file."""
    rows = [f't{n % 7},"words, {n}",{n}' for n in range(9_000)]
    path = write(tmp_path / "c.csv", end.join(["thread,text,time", *rows]) + end)
    threads, losses = read(path)
    assert sum(len(thread.comments) for thread in threads) == 9_000
    assert threads[0].comments[1].text == "words, 7"
    assert not +losses


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"thread,te\rxt,au\nt,x,y\n", "c.csv isn't CSV .*in its first line, which names the columns"),
        (b"x" * (LONGEST + 1), "c.csv isn't CSV .*field larger than field limit"),
        (b'{"orderedItems": [' + b'{"a": "b"}, ' * 20_000, "c.csv begins with '{', as JSON does, and is no CSV"),
        (b"x" * 500 + b"".join(b",y%d" % n for n in range(500)), r"has no column 'thread'; it has 'x{40}\.\.\.', 'y0', .*, \.\.\.; rename"),
        (bytes(range(1, 255)), "c.csv (isn't CSV|has no column)"),
    ],
)  # fmt: skip
def test_a_first_line_of_anything(tmp_path, head, said):
    """Law: a first line that no reader of CSV takes is an error in words, and short, whatever it holds."""
    (tmp_path / "c.csv").write_bytes(head)
    with pytest.raises(CorpusError, match=said) as raised:
        read(tmp_path / "c.csv")
    assert len(str(raised.value)) < 2_000
    str(raised.value).encode()


def test_rows_of_json_that_are_odd(tmp_path):
    """Law: the first rows together tell the columns, and half a character costs itself alone."""
    lines = [
        '{"odd": 1}',
        r'{"thread": "t", "text": "half \ud83e, whole \ud83e\udd16, written \\ud83e"}',
        '{"thread": "t", "text": "raw "}',
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes("\n".join(lines).encode().replace(b"raw ", b"raw \xed\xa0\xbd"))
    (thread,), losses = read(path)
    assert [c.text for c in thread.comments] == ["half \ufffd, whole \U0001f916, written \\ud83e", "raw \ufffd"]
    assert losses == {f"rows with {HALVES} (lines 2, 3)": 2, "rows without a thread (line 1)": 1}


def test_an_open_quote_and_a_huge_field_end_somewhere(tmp_path):
    """Law: a field of megabytes is read whole; a quote that never closes is told."""
    (thread,), losses = read(write(tmp_path / "c.csv", f'thread,text\nt,"{"x" * 3_000_000}"\n'))
    assert len(thread.comments[0].text) == 3_000_000
    assert not +losses
    (thread,), losses = read(write(tmp_path / "d.csv", 'thread,text\nt,good\nt,"never closed\nt,lost\n'))
    assert [c.text for c in thread.comments] == ["good"]
    assert losses == {"rows that aren't CSV: unexpected end of data (line 4)": 1}


def test_other_encodings_have_to_be_named(tmp_path):
    """Law: bytes that aren't UTF-8 cost their rows and name the way out; with the encoding named they are read."""
    path = write(tmp_path / "c.csv", "thread,text\nt,Mühle\nt,plain\n", "latin-1")
    (thread,), losses = read(path)
    assert [c.text for c in thread.comments] == ["plain"]
    assert losses == {"rows that aren't UTF-8 (the option encoding= names another one) (line 2)": 1}
    (thread,), losses = read(path, encoding="latin-1")
    assert [c.text for c in thread.comments] == ["Mühle", "plain"]
    with pytest.raises(ConfigError, match="unknown encoding 'klingon'"):
        read(path, encoding="klingon")
    broken = tmp_path / "b.csv"
    broken.write_bytes("thread,text\nt,x\n".encode("utf-16")[:-1])
    with pytest.raises(CorpusError, match="isn't utf-16.*name its encoding="):
        read(broken)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("thraed,text", "has no column 'thread'; did you mean 'thraed'"),
        ("thread,body", "has no column 'text'; it has 'thread', 'body'; rename"),
        ("thread,text,tiem", "has a column 'tiem' and none 'time'; did you mean 'time'. If not, call it 'fact.tiem'"),
        ("thread,text,Author", "has a column 'Author' and none 'author'"),
        ("thread;body;author", "has no column 'text'; it has 'thread', 'body', 'author'; rename"),
        ("thread;body", "has no column 'text'; it has 'thread', 'body'; rename"),
        ("thread,text,text", "has two columns 'text'; rename one"),
        ("", "is empty"),
        ("\n\nthread,text", "has no column 'thread'; its first line names none; name the columns there"),
        (",,", "has no column 'thread'; its first line names none"),
        ("red,red", "has no column 'thread'; did you mean 'red'.$"),
    ],
)
def test_columns_are_checked(tmp_path, head, said):
    """Law: a missing, doubled or misspelled column is an error that names the likely one."""
    with pytest.raises(CorpusError, match=said):
        read(write(tmp_path / "c.csv", head))


def test_a_column_can_be_a_fact_on_purpose(tmp_path):
    """Law: a column marked as a fact is one, whatever it resembles."""
    (thread,), _ = read(write(tmp_path / "c.csv", "thread,text,fact.tiem\nt,x,5\n"))
    assert thread.comments[0].facts == {"tiem": "5"}


def test_differences_within_a_thread_are_counted(tmp_path):
    """Law: a thread has one title, page and article: its first row's; others are counted, as are rings and strangers."""
    text = "thread,id,parent,title,text\nt,1,3,A,x\nt,2,9,B,y\nt,3,1,,z\nt,1,,A,again\n"
    (thread,), losses = read(write(tmp_path / "c.csv", text))
    assert (thread.title, [c.text for c in thread.comments]) == ("A", ["again", "y", "z"])
    assert +losses == {
        "rows whose title isn't their thread's (kept; the first one counts)": 1,
        "answers to comments that aren't in the thread (kept, as standing by themselves)": 1,
        "comments that are there twice (the last one counts)": 1,
    }


def test_people_come_from_a_second_table(tmp_path):
    """Law: a row is a person; JSON lines may nest; a wrong field is told with its line and costs no person."""
    write(tmp_path / "comments.csv", "thread,text\nt,x\n")
    rows = [
        "author,profile,gender,location,hobbies,registration_year,rate_per_day,traits.policy_usage,traits.policy_usage.reasoning,note",
        "Ada,Likes mills.,woman,,mills; wheels ,2010,0.5,Occasional citation,Twice.,x",
        "Bodo,,male,Ulm,,,,,,",
        "Cleo,,,,,,,Never,,",
        ",nobody,,,,,,,,",
        "Ada,again,,,,,,,,",
    ]
    write(tmp_path / "personas.csv", "\n".join(rows))
    source = open_table(Request(str(tmp_path)))
    ada, bodo, cleo = source.people()
    assert (ada.author, bodo.fields, cleo.fields) == ("Ada", {"attributes": {"location": "Ulm"}}, {"traits": {}})
    persona = Persona.model_validate({"id": "0", "language": "de", **ada.fields})
    assert persona.attributes.hobbies == ("mills", "wheels")
    assert (persona.attributes.registration_year, persona.rate_per_day) == (2010, 0.5)
    assert persona.traits["policy_usage"].values == ("Occasional citation",)
    losses = source.losses
    assert losses["columns of people (kept without) that personas don't have: 'note' (line 2)"] == 1
    wrong = "fields of people (kept without) that are wrong: "
    assert any(reason.startswith(f"{wrong}attributes.gender") and "line 3" in reason for reason in losses)
    assert any(reason.startswith(f"{wrong}traits.policy_usage") and "line 4" in reason for reason in losses)
    assert (
        losses["people without an author (line 5)"]
        == losses["people who are there twice (the first row counts) (line 6)"]
        == 1
    )
    nested = {
        "author": "Dora",
        "attributes": {"gender": "woman"},
        "location": "Ulm",
        "traits": {"policy_usage": {"values": ["Occasional citation"]}},
    }
    people = write(tmp_path / "people.jsonl", json.dumps(nested))
    (dora,) = open_table(Request(str(tmp_path / "comments.csv"), options={"personas": str(people)})).people()
    assert dora.fields["attributes"] == {"gender": "woman", "location": "Ulm"}


def test_every_column_of_people_is_documented():
    """Law: docs/importers.md names every column of both tables."""
    page = (__import__("pathlib").Path(__file__).resolve().parents[4] / "docs" / "importers.md").read_text("utf-8")
    missing = [name for name in columns() if f"`{name}`" not in page and not name.startswith("traits.")]
    assert not missing


def test_names_go_out_of_every_thread(tmp_path, monkeypatch):
    """Law: a user who writes anywhere is replaced in every thread's text, as is one who is called; ordinary words stay."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for tests")
    rows = [
        "thread,author,time,text",
        "a,Ada Rad,1,How old is the mill?",
        'b,Cleo_W,2,"Ada Rad\'s mill, says @Dora9 (u/Emil-7); Bodo knows, and bodo too."',
        "c,Bodo,3,The age",
        "c,The,4,x",
    ]
    path = write(tmp_path / "c.csv", "\n".join(rows))
    store = build(BuildSettings(source=f"table:{path}", out=tmp_path / "out", lang="en"))
    texts = [comment.text for thread in store.threads() for comment in thread.comments]
    assert not any(name in "".join(texts).lower() for name in ("ada", "cleo", "dora", "emil", "bodo"))
    assert texts[0] == "How old is the mill?"
    assert texts[2] == "The age"


def test_wrong_paths_and_options_are_errors(tmp_path):
    """Law: nothing there, two tables of one name, another kind of file, an unknown option: told with the way out."""
    with pytest.raises(CorpusError, match="no table there; name a .csv"):
        open_table(Request(str(tmp_path)))
    write(tmp_path / "comments.csv", "x")
    write(tmp_path / "comments.jsonl", "x")
    with pytest.raises(CorpusError, match="holds comments.csv and comments.jsonl; keep one"):
        open_table(Request(str(tmp_path)))
    with pytest.raises(ConfigError, match="unknown option 'person'.*did you mean 'personas'"):
        open_table(Request(str(tmp_path / "comments.csv"), options={"person": "x"}))
    with pytest.raises(CorpusError, match="no table of personas there"):
        open_table(Request(str(tmp_path / "comments.csv"), options={"personas": str(tmp_path / "gone.csv")}))
    with pytest.raises(CorpusError, match="a table ends in .csv, .tsv"):
        read(write(tmp_path / "book.xlsx", "x"))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60), st.sampled_from([",", ";", "\t", "|"]))
def test_any_file_is_read_or_refused_in_words(tmp_path_factory, text, delimiter):
    """Law: whatever stands in a table, every line's text is in a comment, or counted, or the table is refused."""
    path = write(tmp_path_factory.mktemp("any") / "c.csv", f"thread{delimiter}text\n{text}")
    threads, losses = read(path)
    assert sum(len(t.comments) for t in threads) + sum(losses.values()) <= text.count("\n") + 1
    if text.strip("\r\n ") and "\r" not in text:
        assert threads or losses
