"""Laws of the API's client: polite, stubborn, and distrustful; against a real server that misbehaves on purpose."""

import gzip
import json
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from folkmoot.environments.corpora.sources import web
from folkmoot.environments.corpora.sources.api_client import Api
from folkmoot.environments.corpora.sources.api_settings import ApiSettings, read_settings
from folkmoot.environments.corpora.sources.api_site import fetch, fetch_before, read_site
from folkmoot.environments.corpora.sources.web import Web
from folkmoot.sim.errors import ConfigError, CorpusError

SITE = {
    "query": {
        "general": {"lang": "de", "sitename": "Mill"},
        "namespaces": {"0": {"id": 0, "name": ""}, "1": {"id": 1, "name": "Diskussion", "canonical": "Talk"}},
    }
}


class Handler(BaseHTTPRequestHandler):
    """Answers with what the test has laid ready, and keeps what it was asked."""

    def do_GET(self):
        """Note and answer."""
        self.server.asked.append((self.command, parse_qs(urlsplit(self.path).query), dict(self.headers)))
        self._answer()

    def do_POST(self):
        """Note and answer."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append((self.command, parse_qs(body), dict(self.headers)))
        self._answer()

    def _answer(self):
        status, headers, body = self.server.ready.pop(0) if self.server.ready else (200, {}, SITE)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        if status == "hang up":
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture
def server():
    """A server on this machine."""
    with HTTPServer(("127.0.0.1", 0), Handler) as made:
        made.ready, made.asked = [], []
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        made.url = f"http://127.0.0.1:{made.server_port}/api.php"
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def api(server):
    """A client on a clock of its own that only pauses move; pauses are noted, but for the space between requests."""

    def make(**settings):
        pauses, now = [], [0.0]

        def pause(seconds):
            now[0] += seconds
            if seconds > 0.02:
                pauses.append(seconds)

        return Api(server.url, ApiSettings(rate=100, **settings), pause, lambda: now[0]), pauses

    return make


LAGGED = {"error": {"code": "maxlag", "info": "Waiting for a database: 7 seconds lagged", "lag": 7}}
MISSING = {"batchcomplete": True, "query": {"pages": [{"title": "A", "ns": 1, "missing": True}]}}


def test_it_says_who_asks_and_asks_gently(server, api):
    """Law: every request names us and a contact, asks for gzip and JSON, and sets maxlag."""
    client, pauses = api(contact="ada@example.org", maxlag=7)
    assert read_site(client).language == "de"
    (method, asked, headers), *_ = server.asked
    assert (method, asked["maxlag"], asked["formatversion"]) == ("GET", ["7"], ["2"])
    assert headers["User-Agent"].startswith("folkmoot/")
    assert "ada@example.org" in headers["User-Agent"]
    assert headers["Accept-Encoding"] == "gzip"
    assert pauses == []


def test_requests_keep_their_distance(server):
    """Law: two requests begin 1/rate seconds apart at least."""
    pauses = []
    client = Api(server.url, ApiSettings(rate=0.1), pauses.append, lambda: 3.0)
    read_site(client)
    read_site(client)
    assert pauses == [10.0]


def test_it_waits_as_long_as_it_is_told(server, api):
    """Law: Retry-After in seconds or as a date, on a refusal or with a lag, is waited for; then the answer comes."""
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    server.ready = [
        (200, {"Retry-After": "5"}, LAGGED),
        (429, {"Retry-After": "11"}, b"slow down"),
        (503, {"Retry-After": later}, b""),
        (200, {}, {"error": {"code": "ratelimited", "info": "too many"}}),
        (503, {"Retry-After": "soon"}, b""),
    ]
    client, pauses = api()
    assert read_site(client).name == "Mill"
    assert pauses[:2] == [5.0, 11.0]
    assert 60 < pauses[2] <= 100
    assert all(pause <= 60 for pause in pauses[3:])
    assert len(server.asked) == 6


def test_its_patience_ends(server, api):
    """Law: when the waits that are asked for pass the bound, the build stops, says so, and can go on later."""
    server.ready = [(503, {"Retry-After": "40"}, b"")] * 9
    client, pauses = api(patience=100)
    with pytest.raises(CorpusError, match=r"answers 503 .*waited 80 s and 40 s more .*patience=100: go on later"):
        read_site(client)
    assert pauses == [40.0, 40.0]


@pytest.mark.parametrize(
    "shaken",
    [
        (502, {}, b""),
        ("hang up", {}, b""),
        (200, {"Content-Length": "500"}, b'{"query"'),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(json.dumps(SITE).encode())[:-9]),
        (200, {"Content-Encoding": "gzip"}, b"no gzip at all"),
    ],
)
def test_a_lost_answer_is_asked_for_again(server, api, shaken):
    """Law: a fault of the server or the line costs a try and nothing else; too many end with the reason."""
    server.ready = [shaken]
    client, pauses = api()
    assert read_site(client).name == "Mill"
    assert pauses == [1.0]
    server.ready = [shaken] * 9
    with pytest.raises(CorpusError, match="tried 5 times: check the address and the connection"):
        read_site(client)
    assert pauses == [1.0, 1.0, 2.0, 4.0, 8.0]


def test_nobody_there(api):
    """Law: an address where nobody listens is given up after two tries, with the reason."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        client = Api(f"http://127.0.0.1:{probe.getsockname()[1]}/api.php", ApiSettings(), lambda _: None)
        with pytest.raises(CorpusError, match=r"can't be reached .*refused.*tried 2 times"):
            read_site(client)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><html><body>Main page", "gives a web page.*often /w/api.php"),
        (b"MediaWiki API result", r"doesn't answer as MediaWiki's API does .*begins 'MediaWiki API"),
        (b"[" * 100_000, "doesn't answer as MediaWiki's API does"),
        (b'{"query": ' + b'{"x":' * 50_000, "doesn't answer as MediaWiki's API does"),
        ({"query": {"pages": {"1": {"title": "A"}}}}, r"Expected `array`, got `object` - at `\$.query.pages`"),
        ({"query": {"general": {"lang": 7}}}, "Expected `str`"),
        ({"batchcomplete": True}, "doesn't say what wiki it is"),
        ({"error": {"code": "readapidenied", "info": "Log in"}}, "read by members only: build from a dump"),
        ({"error": {"code": "unknown_action", "info": "?"}}, "'unknown_action'.*older than MediaWiki 1.25"),
    ],
)
def test_an_answer_of_another_kind_is_refused_in_words(server, api, body, said):
    """Law: what isn't an answer of the API is an error with the address, what came, and the way out."""
    server.ready = [(200, {}, body)]
    with pytest.raises(CorpusError, match=said) as caught:
        read_site(api()[0])
    assert server.url in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (404, {}, "answers 404 .*name the address of api.php"),
        (403, {}, "answers 403 .*contact=you@example.org"),
        (302, {"Location": "file:///etc/hostname"}, "answers 302 .*not allowed"),
        (302, {"Location": "ftp://127.0.0.1/x"}, "that isn't followed"),
        (302, {"Location": "/api.php"}, "answers 302"),
    ],
)
def test_a_refusal_is_final(server, api, status, headers, said):
    """Law: other refusals aren't tried again, and no redirect leaves the web or goes on for ever."""
    server.ready = [(status, headers, b"")] * 40
    with pytest.raises(CorpusError, match=said):
        read_site(api()[0])


def test_a_redirect_is_remembered(server, api):
    """Law: where the first answer came from is asked from then on."""
    server.ready = [(301, {"Location": f"http://localhost:{server.server_port}/w/api.php?a=b"}, b"")]
    client, _ = api()
    read_site(client)
    assert client.url == f"http://localhost:{server.server_port}/w/api.php"


@pytest.mark.parametrize("packed", [True, False])
def test_an_answer_without_end_is_cut_off(server, api, monkeypatch, packed):
    """Law: no more than the bound is unpacked, however well it was packed."""
    monkeypatch.setattr(web, "MOST_BYTES", 100_000)
    raw = b"0" * 5_000_000
    server.ready = [(200, {"Content-Encoding": "gzip"}, gzip.compress(raw)) if packed else (200, {}, raw)]
    with pytest.raises(CorpusError, match="more than 100,000 bytes"):
        read_site(api()[0])


def test_a_query_is_continued_to_its_end(server, api):
    """Law: parts of an answer are put together; a page whose text comes late is whole; a server's ring is left."""
    text = {"revid": 9, "timestamp": "2020-01-01T00:00:00Z", "slots": {"main": {"content": "x"}}}
    bare = [{"title": "A", "ns": 1, "pageid": 1}, {"title": "B", "ns": 1, "pageid": 2}]
    whole = [{**page, "revisions": [text]} for page in bare]
    moved = [{"from": "a", "to": "A"}]
    server.ready = [
        (200, {}, {"continue": {"rvcontinue": "2|9"}, "query": {"pages": [whole[0], bare[1]], "normalized": moved}}),
        (200, {}, {"batchcomplete": True, "query": {"pages": [bare[0], whole[1]], "normalized": moved}}),
    ]
    client, _ = api()
    found = dict(fetch(client, ["a", "B", "C"]))
    assert [found[name].revisions[0].main.content for name in ("a", "B")] == ["x", "x"]
    assert found["C"] is None
    assert server.asked[1][1]["rvcontinue"] == ["2|9"]
    server.ready = [(200, {}, {"continue": {"rvcontinue": "2|9"}, "query": {}})] * 3
    with pytest.raises(CorpusError, match="continues a query with what it continued before"):
        list(fetch(client, ["A"]))


def test_rings_of_redirects_and_hidden_texts_are_no_pages(server, api):
    """Law: a ring of redirects ends, and a text that the wiki hides is no text."""
    ring = [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}]
    server.ready = [(200, {}, {"query": {"redirects": ring}})]
    client, _ = api()
    assert dict(fetch(client, ["A"])) == {"A": None}
    hidden = {"revid": 9, "timestamp": "never", "slots": {"main": {"texthidden": True}}}
    server.ready = [(200, {}, {"query": {"pages": [{"title": "A", "ns": 0, "revisions": [hidden]}]}})]
    assert fetch_before(client, "A", 1_000_000) is None


def test_old_wikis_without_slots_are_read(server, api):
    """Law: a revision's text is found where wikis before 1.32 put it."""
    old = {"revid": 9, "timestamp": "2012-01-01T00:00:00Z", "content": "old", "contentmodel": "wikitext"}
    server.ready = [(200, {}, {"query": {"pages": [{"title": "A", "ns": 0, "revisions": [old]}]}})]
    assert fetch_before(api()[0], "A", 1_600_000_000_000) == "old"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "https://", "ftp://wiki.example/api.php", "wiki.example/api.php"]
)
def test_only_the_web_is_opened(url):
    """Law: no address but one of the web is ever opened."""
    with pytest.raises(CorpusError, match="isn't an address of the web"):
        Web(url, "test", 1.0)


def test_no_password_is_taken():
    """Law: an address with a password in it is refused, without repeating the password."""
    with pytest.raises(CorpusError, match="leave name and password out") as caught:
        Web("https://ada:secret@wiki.example/api.php", "test", 1.0)
    assert "secret" not in str(caught.value)


def test_options_are_checked():
    """Law: an unknown option gets a hint, a value out of its bounds its reason; strings from a shell are read."""
    assert read_settings({"rate": "2.5", "users": "false"}) == ApiSettings(rate=2.5, users=False)
    with pytest.raises(ConfigError, match="unknown option 'contakt'.*did you mean 'contact'"):
        read_settings({"contakt": "x"})
    with pytest.raises(ConfigError, match="option rate of an API source is 0: .*greater than 0"):
        read_settings({"rate": 0})
    with pytest.raises(ConfigError, match="option contact"):
        read_settings({"contact": "a\r\nX-Evil: 1"})
