"""A server that sees, in the form of OpenAI's: a real one, on a port of its own."""

import json
import struct
import threading
import zlib
from base64 import b64decode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from folkmoot.environments.corpora.captions.images import grey

SALT = "a salt for the tests of captions"


def chunk(name, data):
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(mark, *extra):
    """The frame of an image, told apart by a mark; nobody decodes it."""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", mark.encode()) + b"".join(extra) + chunk(b"IEND", b"")


def jpeg(mark):
    """The same of a JPEG."""
    return b"\xff\xd8\xff\xda\x00\x02" + mark.encode() + b"\xff\xd9"


class Eyes(ThreadingHTTPServer):
    """Describes images by what its test says; keeps what it was shown.

    `refuses` are marks of images that are answered with 400, `says` words for others; `fails_after` so many images
    ends all answers with 401.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.shown, self.refuses, self.fails_after, self.sight = [], (), None, True
        self.says = {}
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def say(self, body):
        """(status, words) for a request."""
        parts = body["messages"][1]["content"]
        data = b64decode(parts[0]["image_url"]["url"].partition(",")[2])
        if not self.sight:
            return 400, "this model is not multimodal"
        if data == grey().data:
            return 200, "A grey square."
        if self.fails_after is not None and len(self.shown) >= self.fails_after:
            return 401, "no more"
        self.shown.append(data)
        mark = data[16:-16].decode()
        return (400, "bad image") if mark in self.refuses else (200, self.says.get(mark, f"An image of {mark}."))


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        """Answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, words = self.server.say(body)
        answer = json.dumps({"choices": [{"message": {"content": words}}]} if status == 200 else {"error": words})
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def eyes():
    """The server."""
    server = Eyes()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """A salt and a cache of the test's own."""
    monkeypatch.setenv("FOLKMOOT_SALT", SALT)
    monkeypatch.setenv("FOLKMOOT_CACHE", str(tmp_path / "cache"))
