"""A replay needs nothing but the run's folder: no server, no key, no weights, no tokenizer."""

import json
import shutil
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import folkmoot
from folkmoot.agents.llm.build import build_model
from folkmoot.agents.llm.window import RecordedWindow
from folkmoot.sim.config import check
from folkmoot.sim.errors import LogError, ModelMissing, ReplayMismatch
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.protocols import Message
from folkmoot.sim.runs import Run

SMALL = (
    *("llm=server", "llm.api_key_env=FOLKMOOT_REPLAY_KEY", "llm.window=900", "llm.cache.mode=off"),
    *("condition.max_article_words=null", "condition.max_comments=null", "agents.checks.language=off"),
    *("monitor=[text]", "tracking=none", "live=off", "experiment.days=0.5", "budget.max_comments=12"),
)


class Answers(BaseHTTPRequestHandler):
    """Answers every chat completion with one sentence."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        said = {"choices": [{"message": {"content": "The second source gives another date."}}]}
        body = json.dumps(said | {"usage": {"prompt_tokens": 9, "completion_tokens": 7}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def serving():
    """The address of a server that is gone afterwards."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module", params=["true", "false"])
def finished(request, tmp_path_factory):
    """A run of a backend that can't be built any more; prompts kept in its record, or not."""
    with pytest.MonkeyPatch.context() as patch, serving() as url:
        patch.setenv("FOLKMOOT_REPLAY_KEY", "secret")
        folder = tmp_path_factory.mktemp("runs") / request.param
        return folkmoot.run([*SMALL, f"llm.url={url}", f"keep_prompts={request.param}"], folder).run


def copied(run, folder):
    """The run's folder, to be damaged."""
    shutil.copytree(run.path, folder)
    return Run(folder)


def test_a_run_replays_without_its_backend(finished):
    """Law: with server and key gone, articles that were cut to the window come out the same; nothing is written."""
    with pytest.raises(ModelMissing):
        build_model(check(RunConfig, finished.config()).llm, 1)
    before = {path: path.read_bytes() for path in finished.path.iterdir() if path.is_file()}
    assert b"article_kept" in before[finished.notes_path]
    assert before[finished.tokens_path].count(b"\n") > 1
    assert folkmoot.replay(finished.path).outcome.state == "identical"
    assert before == {path: path.read_bytes() for path in finished.path.iterdir() if path.is_file()}


def test_prompts_are_kept_as_configured(finished):
    """Law: `keep_prompts=false` leaves no prompt beside the log; the answers stand there all the same."""
    records = finished.calls()
    kept = finished.config()["keep_prompts"]
    assert {record.messages is not None for record in records} == {kept}
    assert all(record.answer for record in records)


def test_a_missing_count_is_told(finished, tmp_path):
    """Law: a replay whose counts were cut off refuses, and says what helps."""
    run = copied(finished, tmp_path / "cut")
    run.tokens_path.write_bytes(run.tokens_path.read_bytes()[:10])
    with pytest.raises(ReplayMismatch, match=r"tokens\.jsonl holds no token count of prompt .*resume"):
        folkmoot.replay(run.path)


def test_a_manifest_without_its_window_is_told(finished, tmp_path):
    """Law: without the window a replay can't begin, and says which file it misses what in."""
    run = copied(finished, tmp_path / "old")
    manifest = run.manifest()
    del manifest["window"]
    run.manifest_path.write_text(json.dumps(manifest))
    with pytest.raises(LogError, match=r"manifest\.json.*window"):
        folkmoot.replay(run.path)


def test_counts_are_made_once_and_kept_over_a_torn_tail(tmp_path):
    """Law: each prompt is counted once; after a kill within a line only that count is made again."""
    asked = []

    def count(messages):
        asked.append(messages)
        return len(messages[0].content)

    path = tmp_path / "tokens.jsonl"
    prompts = [[Message("user", "x" * n)] for n in (3, 5)]
    window = RecordedWindow(path, 100, count)
    assert not path.exists()
    assert [window.count_tokens(prompt) for prompt in (*prompts, *prompts)] == [3, 5, 3, 5]
    window.close()
    path.write_bytes(path.read_bytes()[:-4])
    again = RecordedWindow(path, 100, count)
    assert [again.count_tokens(prompt) for prompt in prompts] == [3, 5]
    again.close()
    assert asked == [*prompts, prompts[1]]
    assert [RecordedWindow(path, 100, None).count_tokens(prompt) for prompt in prompts] == [3, 5]
