"""Laws of builds on Ray; run with the optional package ray."""

from contextlib import ExitStack

import pytest

from folkmoot.environments.corpora.demo import FOLDER
from folkmoot.environments.corpora.pipeline.build import Silent, build
from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pipeline.shards import Shard
from folkmoot.environments.corpora.sources.base import SourcePage
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.errors import ConfigError, CorpusError

TABLES = ("pages", "threads", "comments", "people")


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """A folder of pages, and a salt."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for tests")
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(8):
        for file in (FOLDER / "de").glob("*.wikitext"):
            (folder / f"{number} {file.name}").write_bytes(file.read_bytes())
    return folder


def built(pages, out, listener=None, **more):
    """A store."""
    settings = BuildSettings(source=str(pages), out=out, lang="de", name="mills", shard_pages=5, **more)
    return build(settings, listener)


@pytest.fixture(scope="module")
def on_ray():
    """A local Ray with two workers for all tests, as the engine starts it; a busy machine gets three tries."""
    ray = pytest.importorskip("ray", reason="the optional package ray isn't installed")
    from folkmoot.environments.corpora.pipeline.ray_engine import _started

    for _ in range(3):
        with ExitStack() as stack:
            try:
                stack.enter_context(_started(2))
            except Exception as error:
                if "timed out during startup" not in str(error):
                    raise
                ray.shutdown()
                continue
            yield
            return
    pytest.fail("Ray didn't start within 30 s, three times")


class Stop(Silent):
    """Ends a build after three shards."""

    def shard(self, record, *, new):
        """Enough."""
        if record.number == 2:
            raise KeyboardInterrupt


@pytest.mark.optional
@pytest.mark.filterwarnings("default")
def test_ray_builds_the_identical_corpus(on_ray, pages, tmp_path):
    """Law: two workers of a local Ray give the corpus that one process gives, row for row, and go on with its build."""
    here = built(pages, tmp_path / "here")
    with pytest.raises(KeyboardInterrupt):
        built(pages, tmp_path / "there", Stop())
    there = built(pages, tmp_path / "there", engine="ray", workers=2)
    assert there.manifest.digest == here.manifest.digest
    assert there.manifest.stage("pages") == here.manifest.stage("pages")
    for table in TABLES:
        assert list(there.rows(table)) == list(here.rows(table))


@pytest.mark.optional
@pytest.mark.filterwarnings("default")
def test_an_error_in_a_worker_is_told_as_it_is(on_ray, tmp_path):
    """Law: what fails in a worker comes out as our own error with its words."""
    from folkmoot.environments.corpora.pipeline.ray_engine import run_on_ray

    (tmp_path / "pages" / "00000.parquet").mkdir(parents=True)
    shard = Shard(0, (SourcePage("1", "Talk:A", 1, "== A ==\nText"),), last=True)
    context = PageContext(load_language("en"), b"a salt for tests")
    with pytest.raises(CorpusError, match=r"00000.parquet: can't be written") as caught:
        list(run_on_ray(iter([shard]), tmp_path, context, 2))
    assert "ray" not in str(caught.value).lower()


def test_without_ray_the_engine_names_the_extra(pages, tmp_path):
    """Law: where Ray isn't installed, the error names what to install."""
    try:
        import ray  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match=r"needs Ray, which isn't installed: pip install 'folkmoot\[ray\]'"):
            built(pages, tmp_path / "out", engine="ray", workers=2)
    else:
        pytest.skip("ray is installed here")
