"""Small exports of a small wiki, and builds of them."""

from html import escape
from types import SimpleNamespace

import pytest

from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings

SALT = "a salt for the tests of builds"
HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{language}">
  <siteinfo>
    <sitename>Testwiki</sitename>
    <dbname>testwiki</dbname>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="2" case="first-letter">User</namespace>
      <namespace key="3" case="first-letter">User talk</namespace>
    </namespaces>
  </siteinfo>
"""


def revision(number, time, text, more=""):
    """A revision as an export has it."""
    body = f'<text xml:space="preserve">{escape(text, quote=False)}</text>'
    return f"<revision><id>{number}</id><timestamp>{time}</timestamp><model>wikitext</model>{body}{more}</revision>"


def page(number, title, namespace, *revisions, more=""):
    """A page; revisions are texts, or (time, text)."""
    whole = [r if isinstance(r, tuple) else ("2020-01-01T00:00:00Z", r) for r in revisions]
    parts = "".join(revision(number * 100 + n, *r) for n, r in enumerate(whole))
    return f"  <page><title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>{more}{parts}</page>\n"


def export(*pages, language="en", head=HEAD, tail="</mediawiki>\n"):
    """A whole export."""
    return head.format(language=language) + "".join(pages) + tail


def signed(name, time, text, indent=""):
    """A signed comment, on a line."""
    return f"{indent}{text} [[User:{name}|{name}]] ([[User talk:{name}|talk]]) {time} (UTC)\n"


def talk(number, people=("Ada Lovely", "Bob the 2nd", "Čapek Čas")):
    """A talk page's text: two threads, five comments."""
    one, two, three = people
    return (
        f"== Height {number} ==\n"
        + signed(one, f"10:0{number % 10}, 3 May 2011", f"How high is bridge {number}? I asked {two}.")
        + signed(two, f"11:0{number % 10}, 3 May 2011", f"As {one} says, 38 m.", ":")
        + signed(three, f"12:0{number % 10}, 3 May 2011", f"Thanks, [[User:{two}]]!", "::")
        + f"== Name {number} by {three} ==\n"
        + signed(two, f"09:0{number % 10}, 1 June 2011", "Two names on the maps of the county.")
        + signed(one, f"09:1{number % 10}, 1 June 2011", "Three, I think.", ":")
    )


@pytest.fixture
def wiki(tmp_path):
    """An export with twelve talk pages, a user page and what a build passes over."""
    pages = [page(n, f"Talk:Bridge {n}", 1, talk(n)) for n in range(1, 13)]
    pages.insert(2, page(50, "Bridge 1", 0, "An article."))
    pages.insert(5, page(51, "User:Ada Lovely", 2, "I am Ada Lovely, a teacher. Talk to [[User:Zed Quux]]."))
    pages.insert(
        6, page(52, "Talk:Old name", 1, "#REDIRECT [[Talk:Bridge 1]]", more='<redirect title="Talk:Bridge 1" />')
    )
    pages.insert(9, page(53, "User:Ada Lovely/sandbox", 2, "Notes."))
    pages.insert(10, page(54, "Talk:Empty", 1, "No comment at all."))
    path = tmp_path / "testwiki-pages-meta-current.xml"
    path.write_text(export(*pages), encoding="utf-8")
    return path


@pytest.fixture
def make(tmp_path):
    """Builds a source into a folder of the test's own; small shards."""
    salt = tmp_path / "salt"
    salt.write_text(SALT)

    def run(source, out="corpus", listener=None, **more):
        values = {"source": str(source), "out": tmp_path / out, "salt_file": salt, "shard_pages": 4, **more}
        return build(BuildSettings(**values), listener)

    return run


def content(folder):
    """All files of a corpus, byte by byte; the lock isn't one."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


@pytest.fixture
def lab():
    """What makes exports."""
    return SimpleNamespace(export=export, page=page, revision=revision, signed=signed, talk=talk, HEAD=HEAD)


@pytest.fixture(name="content")
def content_fixture():
    """The function that reads all files of a corpus."""
    return content
