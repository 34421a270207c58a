"""`folkmoot fidelity`: building and scoring from the command line."""

import json

import pytest
from typer.testing import CliRunner

from folkmoot.sim.__main__ import app
from folkmoot.sim.commands.api import run

ASKED = ["llm=scripted"]


def folkmoot(*arguments):
    """Exit code and output of the command line."""
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, result.output


@pytest.fixture
def persona(tmp_path):
    """A persona file."""
    path = tmp_path / "persona.json"
    path.write_text(json.dumps({"trait": "openness", "level": "high"}), encoding="utf-8")
    return path


def test_texts_get_scores_and_an_audit_page(persona, tmp_path):
    """Each text has S, three dimensions with three labels each, the lowest; hostile text is escaped in the page."""
    texts, page = tmp_path / "texts.jsonl", tmp_path / "page.html"
    nasty = "<script>alert(1)</script>"
    said = [{"text": "A plain line."}, {"id": "x", "text": nasty, "context": nasty}]
    texts.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", texts, "--page", page, *ASKED)
    assert code == 0, output
    found = json.loads(output)
    assert [one["id"] for one in found["texts"]] == ["1", "x"]
    for one in found["texts"]:
        assert sum(one["dimensions"][d]["e"] for d in one["dimensions"]) / 3 == pytest.approx(one["score"], abs=1e-5)
        assert one["dimensions"][one["lowest"]]["e"] == min(d["e"] for d in one["dimensions"].values())
        assert all(sum(d["q"].values()) == pytest.approx(1, abs=1e-5) for d in one["dimensions"].values())
    html = page.read_text(encoding="utf-8")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert found["texts"][0]["dimensions"]["task_framing"]["labels"]["A"] in html


def test_broken_lines_are_counted_never_scored(persona, tmp_path):
    """In a file of JSON a damaged line, a bare value and an entry without a text are counted; a text file has none."""
    texts = tmp_path / "texts.txt"
    lines = ["no brace", "{oops", "3", '{"text": null}', '{"id": "x"}', '{"text": " "}', '{"text": "Let us try."}']
    texts.write_text("\n".join(lines), encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", texts, *ASKED)
    assert code == 0, output
    found = json.loads(output)
    assert [one["score"] is None for one in found["texts"]] == [True, False]
    assert found["losses"] == {
        "malformed JSON lines": 2,
        "entries that aren't objects": 1,
        "entries whose text or context isn't text": 2,
        "empty response": 1,
    }
    texts.write_text('"Quoted" speech.\n3\n', encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", texts, *ASKED)
    assert len(json.loads(output)["texts"]) == 2
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no JSON at all\n", encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", broken, *ASKED)
    assert code == 2
    assert "0 texts" in output


def test_a_runs_comments_are_scored(persona, tmp_path):
    """--log takes the simulated comments of a run, never the recorded ones."""
    done = run(
        ["llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.3", "monitor=[acts]"],
        tmp_path / "run",
    )
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--log", done.run.path, *ASKED)
    assert code == 0, output
    assert len(json.loads(output)["texts"]) == done.outcome.comments > 0


def test_build_writes_what_the_experiment_reads(tmp_path):
    """A benchmark is built from JSON lines and scored."""
    source, out = tmp_path / "chat.jsonl", tmp_path / "easy.json"
    lines = [
        {"trait": "openness", "level": level, "context": f"Scene {k}?", "response": f"{level} in {k}"}
        for k in range(4)
        for level in ("high", "low")
    ]
    source.write_text("\n".join([*map(json.dumps, lines), "oops"]), encoding="utf-8")
    code, output = folkmoot("fidelity", "build", "--from", "big5chat", source, "--kind", "easy", "--out", out)
    assert code == 0, output
    assert "16 items in 8 groups" in output
    assert "dropped: 1 malformed JSON lines" in output
    asked = ["experiment=persona_fidelity", f"data={out}", "llm=scripted", "tracking=none", "live=off"]
    assert run(asked, tmp_path / "run").summary["fidelity"]["groups"] == 8


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "--from", "big5chats", "x", "--kind", "easy", "--out", "y"], "did you mean"),
        (["build", "--from", "socialbench", "x", "--kind", "easy", "--out", "y"], "gives social"),
        (["build", "--from", "big5chat", "no.jsonl", "--kind", "easy", "--out", "y"], "no.jsonl"),
        (["score", "--persona", "none.json", "--texts", "x"], "none.json"),
        (["score", "--persona", "none.json"], "one of --log RUN and --texts FILE"),
    ],
)
def test_bad_input_is_one_message(arguments, said, tmp_path, monkeypatch):
    """Unknown names, files that aren't there and missing options end with exit code 2 and the way out."""
    monkeypatch.chdir(tmp_path)
    code, output = folkmoot("fidelity", *arguments)
    assert code == 2
    assert said in output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"profile": "\\ud800"}', "half a character"),
        ("[" * 100_000, "can't be read as JSON"),
        ('{"trait": "opennes", "level": "high"}', "did you mean"),
        ("[]", "holds a list"),
        ("null", "holds nothing"),
        ('{"profile": 3}', "profile is a number"),
    ],
)
def test_a_persona_that_is_none_is_one_message(text, said, tmp_path):
    """Half a character, endless nesting, an unknown trait and a list end with exit code 2, naming what is wrong."""
    persona, texts = tmp_path / "p.json", tmp_path / "t.txt"
    persona.write_text(text, encoding="utf-8")
    texts.write_text("Hello.\n", encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", texts, *ASKED)
    assert code == 2
    assert said in output


def test_persona_that_says_nothing_is_refused(tmp_path):
    """A persona without cues has no score, never a silent 0.5."""
    persona, texts = tmp_path / "p.json", tmp_path / "t.txt"
    persona.write_text('{"profile": " "}', encoding="utf-8")
    texts.write_text("Hello.\n", encoding="utf-8")
    code, output = folkmoot("fidelity", "score", "--persona", persona, "--texts", texts, *ASKED)
    assert code == 2
    assert "0 cues" in output
