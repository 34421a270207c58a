"""Any number of workers and any interruption give the same corpus; counts add up; no raw name is on disk."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.sim.errors import CorpusError


class Stopped(Exception):
    """Stands for whatever ends a process."""


class Stop:
    """A listener that ends the build at a shard, or at the beginning of a stage."""

    def __init__(self, shard=None, stage=None):
        self.shard_number, self.stage = shard, stage

    def started(self, stage):
        """A stage begins."""
        if stage == self.stage:
            raise Stopped

    def shard(self, record, *, new):
        """A shard is whole."""
        if new and record.number == self.shard_number:
            raise Stopped

    def told(self, done, total):
        """A stage is so far."""


def test_two_workers_give_the_same_bytes_as_none(wiki, make, content):
    """Worker processes change nothing, neither rows nor files."""
    alone, two = make(wiki, "alone"), make(wiki, "two", workers=2)
    assert two.manifest.digest == alone.manifest.digest
    assert content(two.path) == content(alone.path)


def test_any_interruption_point_gives_the_same_bytes(wiki, make, content):
    """Stopped after any shard or before any later stage, the same call goes on and ends with the same corpus."""
    whole = content(make(wiki, "whole").path)
    shards = sum(name.startswith("shards/") for name in whole)
    assert shards == 4
    stops = [Stop(shard=n) for n in range(shards)] + [
        Stop(stage=s) for s in ("articles", "people", "given", "personas")
    ]
    for number, stop in enumerate(stops):
        with pytest.raises(Stopped):
            make(wiki, f"stopped {number}", stop)
        assert content(make(wiki, f"stopped {number}").path) == whole


def test_many_interruptions_one_after_the_other(wiki, make, content):
    """Stopped at every shard in turn, the build ends with the same corpus all the same."""
    whole = content(make(wiki, "whole").path)
    for number in range(4):
        with pytest.raises(Stopped):
            make(wiki, "often", Stop(shard=number))
    assert content(make(wiki, "often").path) == whole


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_kill_9_in_the_middle_of_a_shard(wiki, make, tmp_path, content):
    """A process killed between a shard's parts leaves nothing that changes the corpus."""
    whole = content(make(wiki, "whole").path)
    script = f"""
import os, signal
from pathlib import Path
from folkmoot.environments.corpora.pipeline import shards
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
write, count = shards.write_part, 0
def dying(path, columns, rows):
    global count
    count += 1
    if count == 8:
        path.with_name(".torn.1.tmp").write_bytes(b"half")
        path.write_bytes(b"PAR1 torn")
        os.kill(os.getpid(), signal.SIGKILL)
    return write(path, columns, rows)
shards.write_part = dying
build(BuildSettings(source={str(wiki)!r}, out=Path({str(tmp_path / "killed")!r}), salt_file=Path({str(tmp_path / "salt")!r}), shard_pages=4))
"""
    done = subprocess.run([sys.executable, "-c", script], env=os.environ, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert content(make(wiki, "killed").path) == whole


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds worker processes through /proc")
def test_workers_end_with_a_killed_build(wiki, make, tmp_path, content):
    """A build that is killed leaves no worker behind: their output closes, and the same command goes on."""
    script = f"""
import os, signal
from pathlib import Path
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pipeline import build as module
class Killer:
    def __getattr__(self, name):
        return self.heard
    def heard(self, *_, **__):
        os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    build(BuildSettings(source={str(wiki)!r}, out=Path({str(tmp_path / "killed")!r}), salt_file=Path({str(tmp_path / "salt")!r}), shard_pages=2, workers=2), Killer())
"""
    path = tmp_path / "killed.py"
    path.write_text(script, encoding="utf-8")
    # Workers hold the pipe of the output: it ends only when all of them have ended.
    done = subprocess.run([sys.executable, str(path)], env=os.environ, capture_output=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert content(make(wiki, "killed", shard_pages=2).path) == content(make(wiki, "whole", shard_pages=2).path)


def test_the_size_of_shards_changes_files_and_no_row(wiki, make):
    """A page's digest doesn't depend on the shard that it is in."""
    small, large = make(wiki, "small", shard_pages=1), make(wiki, "large", shard_pages=500)
    assert small.manifest.digest == large.manifest.digest
    assert len(small.parts("pages")) == 16
    assert len(large.parts("pages")) == 1


def test_a_shard_ends_at_its_characters_too(wiki, make):
    """A shard holds no more than the page that reaches the bound."""
    store = make(wiki, shard_pages=100, shard_chars=1_000)
    assert max(sum(len(row["text"]) for row in store_rows(part)) for part in store.parts("pages")) < 3_000
    assert len(store.parts("pages")) > 4


def store_rows(part):
    """The rows of a part."""
    from folkmoot.environments.corpora.store.tables import read_rows

    return read_rows(part)


def test_counts_add_up_for_every_thing_at_every_stage(wiki, make):
    """What came in was kept or dropped for a reason, and tables hold what was kept."""
    manifest = make(wiki).manifest
    counted = [(stage.name, thing, tally) for stage in manifest.stages for thing, tally in stage.counts.items()]
    assert all(tally.adds_up for _, _, tally in counted)
    pages = manifest.stage("pages").counts
    assert pages["pages"].given == 17
    assert pages["pages"].dropped == {
        "in namespace 0, not asked for": 1,
        "redirects": 1,
        "subpages of user pages": 1,
        "talk pages without a dated comment": 1,
    }
    assert {thing: tally.kept for thing, tally in pages.items()} == {"pages": 13, "threads": 24, "comments": 60}
    assert {name: manifest.tables[name].rows for name in pages} == {"pages": 13, "threads": 24, "comments": 60}


def test_no_raw_name_is_on_disk_at_any_time(wiki, make, tmp_path):
    """Names of users, the salt and titles with names in them are in no file, an interrupted build's included."""
    import pyarrow.parquet as pq

    with pytest.raises(Stopped):
        make(wiki, "corpus", Stop(shard=3))
    make(wiki, "corpus")
    texts = []
    for path in (tmp_path / "corpus").rglob("*"):
        if path.suffix == ".parquet":
            texts.append(str(pq.read_table(path).to_pylist()))
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
        texts.append(path.name)
    whole = "\n".join(texts)
    for name in ("Ada", "Lovely", "Bob the", "Čapek", "Zed", "Quux", "salt for the tests"):
        assert name not in whole, name


def test_the_digest_is_of_content_not_of_settings(wiki, make, tmp_path):
    """Another salt makes another corpus; the same content from another folder doesn't."""
    other = tmp_path / "other salt"
    other.write_text("quite another salt")
    moved = tmp_path / "moved"
    moved.mkdir()
    copy = moved / wiki.name
    copy.write_bytes(wiki.read_bytes())
    one = make(wiki, "one").manifest
    assert make(copy, "two").manifest.digest == one.digest
    assert make(wiki, "three", salt_file=other).manifest.digest != one.digest


def test_a_worker_that_dies_is_told_and_the_build_goes_on(wiki, make, content):
    """Killed workers end the build in words; whole shards stay, and the same call ends with the same corpus."""
    import multiprocessing

    class Killer(Stop):
        """Kills all workers once a shard is whole."""

        def shard(self, record, *, new):
            """A shard is whole."""
            for child in multiprocessing.active_children():
                child.kill()

    with pytest.raises(CorpusError, match=r"a worker process died.*fewer --workers, then build again"):
        make(wiki, "killed", Killer(), workers=2, shard_pages=1)
    whole = make(wiki, "whole", shard_pages=1)
    assert content(make(wiki, "killed", shard_pages=1).path) == content(whole.path)


def test_titles_of_users_pages_are_replaced_in_a_folder_too(make, tmp_path, lab):
    """Without a namespace, the prefix tells whose page it is, whatever the name looks like."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "User_talk:Ada von Lovely.wikitext").write_text(
        "== Hi ==\n" + lab.signed("Bob", "10:00, 3 May 2011", "Hi, Ada!")
    )
    store = make(folder, lang="en")
    assert [page.title for page in store.pages()] == [f"User talk:{next(store.pages()).owner}"]


def test_a_complete_corpus_is_given_back_as_it_is(wiki, make, content):
    """The same call on a complete corpus changes no byte."""
    before = content(make(wiki).path)
    assert content(make(wiki).path) == before


def test_two_builds_into_one_folder_at_once(wiki, make, tmp_path):
    """The second one is told who holds the folder."""
    from folkmoot.sim.claim import claimed
    from folkmoot.sim.errors import LogError

    with pytest.raises(Stopped):
        make(wiki, "corpus", Stop(shard=1))
    script = f"""
import sys
from pathlib import Path
from folkmoot.sim.claim import claimed
with claimed(Path({str(tmp_path / "corpus")!r})):
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LogError, match="another process"):
            make(wiki, "corpus")
        holder.stdin.close()
    with claimed(tmp_path / "corpus"):
        pass
    assert make(wiki, "corpus").manifest.state == "complete"


def test_limit_stops_at_so_many_pages_across_interruptions(wiki, make, content):
    """--limit counts the pages of all sessions together."""
    whole = make(wiki, "whole", limit=5)
    assert whole.manifest.stage("pages").counts["pages"].kept <= 5
    with pytest.raises(Stopped):
        make(wiki, "parts", Stop(shard=1), limit=5)
    assert content(make(wiki, "parts", limit=5).path) == content(whole.path)


def test_nothing_to_talk_about_is_an_error_with_the_reasons(tmp_path, make, lab):
    """A dump without a comment says what was seen instead."""
    path = tmp_path / "quiet.xml"
    pages = [lab.page(1, "Talk:A", 1, "Nothing signed."), lab.page(2, "A", 0, "Article.")]
    path.write_text(lab.export(*pages), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"no comment in 2 pages .*in namespace 0.*--lang"):
        make(path)
