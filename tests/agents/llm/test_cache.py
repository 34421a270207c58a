"""A cache may cost time, never a run."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkmoot.agents.llm.base import CacheConfig, cache_folder
from folkmoot.agents.llm.cache import AnswerCache, call_key
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling

PROMPT = [Message("user", "Hello")]
ANSWER = Answer(text="Grüße \N{SLIGHTLY SMILING FACE}", prompt_tokens=3, cost=0.1)


@pytest.fixture
def config(tmp_path):
    """A cache in a folder that doesn't exist yet."""
    return CacheConfig(path=str(tmp_path / "deep" / "answers.sqlite"))


def test_keeps_across_openings(config):
    """What one opening kept, the next one finds; answers and scores alike."""
    cache = AnswerCache(config)
    scores = LabelScores(logprobs=(-0.5, -1.25), censored=(1,))
    cache.put("a", ANSWER)
    cache.put("b", scores)
    cache.close()
    again = AnswerCache(config)
    assert again.get("a", Answer) == ANSWER
    assert again.get("b", LabelScores) == scores
    assert again.get("c", Answer) is None
    assert again.notices == []
    again.close()


def test_keys_differ_in_all_that_shapes_an_answer():
    """Model, roles, texts, sampling, labels and seed each change the key; nothing else does."""
    keys = [
        call_key("m", PROMPT, Sampling(), None),
        call_key("n", PROMPT, Sampling(), None),
        call_key("m", [Message("system", "Hello")], Sampling(), None),
        call_key("m", [Message("user", "Hello "), Message("user", "")], Sampling(), None),
        call_key("m", PROMPT, Sampling(temperature=0.5), None),
        call_key("m", PROMPT, Sampling(temperature=0.5), 1),
        call_key("m", PROMPT, Sampling(stop=("x",)), None),
        call_key("m", PROMPT, ("A", "B"), None),
        call_key("m", PROMPT, ("B", "A"), None),
    ]
    assert len(set(keys)) == len(keys)
    assert call_key("m", tuple(PROMPT), Sampling(), None) == keys[0]


def test_modes(tmp_path):
    """Greedy keeps temperature 0, all keeps everything, off nothing."""
    kept = {}
    for mode in ("off", "greedy", "all"):
        cache = AnswerCache(CacheConfig(mode=mode, path=str(tmp_path / mode)))
        kept[mode] = (cache.keeps(Sampling()), cache.keeps(Sampling(temperature=1)))
        cache.close()
    assert kept == {"off": (False, False), "greedy": (True, False), "all": (True, True)}


def test_damaged_file_is_set_aside(config, tmp_path, caplog):
    """A file that is no database is kept under another name, and a new cache begun."""
    path = tmp_path / "deep" / "answers.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 500)
    cache = AnswerCache(config)
    cache.put("a", ANSWER)
    assert cache.get("a", Answer) == ANSWER
    assert (tmp_path / "deep" / "answers.sqlite.aside-1").read_bytes().startswith(b"not a database")
    assert len(cache.notices) == 1
    assert "set aside" in caplog.text
    cache.close()


def test_damage_while_open_is_survived(config, tmp_path):
    """Pages that go bad under an open cache lead to a notice and a new file, never to an error."""
    cache = AnswerCache(config)
    for number in range(300):
        cache.put(f"{number:03}", Answer(text="x" * 2000))
    cache._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache.close()
    path = tmp_path / "deep" / "answers.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 : len(data) - 4096] = b"\xa5" * (len(data) - 8192)
    cache = AnswerCache(config)
    path.write_bytes(data)
    found = [cache.get(f"{number:03}", Answer) for number in range(300)]
    cache.put("new", ANSWER)
    assert found.count(None) > 0
    assert cache.get("new", Answer) == ANSWER
    assert cache.notices
    cache.close()


def test_unusable_place_costs_only_the_cache(tmp_path):
    """Where no file can be made, calls go on without a cache, noticed and counted."""
    (tmp_path / "file").write_text("in the way")
    cache = AnswerCache(CacheConfig(path=str(tmp_path / "file" / "answers.sqlite")))
    cache.put("a", ANSWER)
    assert cache.get("a", Answer) is None
    assert (cache.dropped, len(cache.notices)) == (1, 1)
    cache.close()


def test_read_only_file_is_set_aside():
    """A read-only file in a writable folder is set aside; in a read-only folder the cache is left out."""
    folder = Path(tempfile.mkdtemp())  # outside pytest's private folder: the child gives up root's rights
    path = folder / "a.sqlite"
    AnswerCache(CacheConfig(path=str(path))).close()
    code = f"""
        import os
        from pathlib import Path
        from folkmoot.agents.llm.base import CacheConfig
        from folkmoot.agents.llm.cache import AnswerCache
        from folkmoot.sim.protocols import Answer
        if os.geteuid() == 0:
            os.chown({str(folder)!r}, 65534, 65534)
            os.setgroups([]); os.setgid(65534); os.chdir({str(folder)!r}); os.setuid(65534)
        cache = AnswerCache(CacheConfig(path="a.sqlite"))
        cache.put("a", Answer(text="x"))
        print(len(cache.notices), cache.get("a", Answer).text, sorted(p.name for p in Path(".").glob("*aside-?")))
        cache.close()
        os.chmod(".", 0o555)
        os.chmod("a.sqlite", 0o444)
        cache = AnswerCache(CacheConfig(path="a.sqlite"))
        cache.put("b", Answer(text="x"))
        print(len(cache.notices), cache.dropped)
        os.chmod(".", 0o755)
    """
    path.chmod(0o444)
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    shutil.rmtree(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["1 x ['a.sqlite.aside-1']", "1 1"]


WRITER = """
import sys
from folkmoot.agents.llm.base import CacheConfig
from folkmoot.agents.llm.cache import AnswerCache
from folkmoot.sim.protocols import Answer
cache = AnswerCache(CacheConfig(path=sys.argv[1]))
print("open", flush=True)
for number in range(int(sys.argv[3])):
    cache.put(f"{sys.argv[2]}-{number}", Answer(text="x" * 500))
    print(number, flush=True)
cache.close()
print(cache.dropped, cache.notices, flush=True)
"""


def writer(config, name, count):
    """A process that keeps `count` answers, telling each."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, config.path, name, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_several_processes_write_at_once(config):
    """Four processes that create and fill one cache lose nothing."""
    writers = [writer(config, name, 200) for name in "abcd"]
    for process in writers:
        out, _ = process.communicate(timeout=60)
        assert out.splitlines()[-1] == "0 []"
    cache = AnswerCache(config)
    assert all(cache.get(f"{name}-{number}", Answer) for name in "abcd" for number in range(200))
    cache.close()


def test_a_killed_process_leaves_the_cache_whole(config):
    """After kill -9 in the middle of writing, every answer reported as kept is there and the file is sound."""
    process = writer(config, "k", 100_000)
    for line in process.stdout:
        if line.strip() == "300":
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    cache = AnswerCache(config)
    assert all(cache.get(f"k-{number}", Answer) for number in range(301))
    assert cache.notices == []
    cache.close()
    db = sqlite3.connect(config.path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    """FOLKMOOT_CACHE goes before XDG_CACHE_HOME."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("FOLKMOOT_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "folkmoot"
    monkeypatch.setenv("FOLKMOOT_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_a_busy_file_holds_nobody_up(config):
    """While another process writes, answers wait at once (a put is done in the event loop) and are written later."""
    cache = AnswerCache(config)
    with busy(config):
        began = time.monotonic()
        for number in range(10):
            cache.put(str(number), ANSWER)
        took = time.monotonic() - began
        assert cache.get("3", Answer) == ANSWER
    assert took < 0.5
    cache.close()
    assert (cache.dropped, cache.notices) == (0, [])
    again = AnswerCache(config)
    assert all(again.get(str(number), Answer) == ANSWER for number in range(10))
    again.close()


def test_what_a_file_refuses_to_the_end_is_counted(config):
    """A file that is busy when the cache is closed costs the answers that wait; they are counted and told."""
    cache = AnswerCache(config)
    with busy(config):
        cache.put("a", ANSWER)
        cache.put("b", ANSWER)
        cache.close()
    assert cache.dropped == 2
    assert "another process held it" in cache.notices[0]


@contextmanager
def busy(config):
    """Another connection writes."""
    other = sqlite3.connect(config.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()
