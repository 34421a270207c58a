"""A small community in raw wikitext; a small wiki as a dump, built for real."""

from xml.sax.saxutils import escape

import pytest

from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.store import Store

SALT = b"a salt for tests only"

PAGE = """{{Talk header}}

== Bridge height ==
Is it 40 m? See [[User:Bob the 2nd/notes]]. --[[User:Ada Lovely|<span style="color:red">Adina</span>]] ([[User talk:Ada Lovely|talk]]) 12:00, 3 May 2011 (UTC)
:No, 38 m, as ada_lovely said on {{ping|Ada Lovely}}'s page. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 12:30, 3 May 2011 (UTC)
::Thanks BOB THE 2ND! [[Special:Contributions/10.1.2.3|10.1.2.3]] ([[User talk:10.1.2.3|talk]]) 13:00, 3 May 2011 (UTC)
A new point by nobody in particular.
:Who said that, Adina? [[User:Carol|Carol]] 09:00, 4 May 2011 (UTC)

== Old photographs ==
I forgot to sign this one. {{unsigned|Carol|10:00, 5 May 2011 (UTC)}}
:Good set of pictures. [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 11:00, 5 May 2011 (UTC)

== Name of the river ==
It has two names on the maps of the county, I think. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 08:00, 1 June 2011 (UTC)
:Three. [[User:Carol|Carol]] ([[User talk:Carol|talk]]) 09:00, 1 June 2011 (UTC)

== Sources ==
Which of them are in print? [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 08:00, 1 July 2011 (UTC)
:All. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 09:00, 2 July 2011 (UTC)

== Infobox ==
Shall we add one? [[User:Carol|Carol]] ([[User talk:Carol|talk]]) 08:00, 1 August 2011 (UTC)
:Please don't. [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 09:00, 2 August 2011 (UTC)
"""


@pytest.fixture
def page(tmp_path):
    """The path of a page with five threads by four users."""
    path = tmp_path / "Talk:Bridge.wikitext"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def salt():
    """The salt that tests use."""
    return SALT


PEOPLE = {
    "Ada Lovely": "I am a woman and a teacher, here since 2009. I write about [[Bread]] and [[Rye]].",
    "Bob the 2nd": "I am a man from the north. My work here: [[Bridge]], [[River Tay]].",
    "Carol": "{{Babel|en|de-2}}\n[[Category:Wikipedians]]",
    "Dora": "She/her. Gardening is what I like most in the world.",
}
LONG = "word " * 1001

TALK = {
    "Talk:Bread": [
        ("Crust", ["Ada Lovely: Is the crust rule right? See [[WP:V]].", "Bob the 2nd: Thanks, I think so.", "Ada Lovely: Good! Done."]),
        ("Crumb", ["Ada Lovely: The crumb section is long.", "Carol: Please cut it."]),
        ("Salt", ["Bob the 2nd: How much salt?", "Dora: Ask Ada Lovely, I would say 2 %."]),
        ("Length", [f"Ada Lovely: {LONG}", "Bob the 2nd: Too long."]),
    ],
    "Talk:Bridge": [
        ("Height", ["Bob the 2nd: Forty metres!", "Ada Lovely: Who says so?", "Bob the 2nd: The [https://example.org survey]."]),
        ("Name", ["Dora: Two names.", "Ada Lovely: Three.", "Dora: Why?"]),
    ],
}  # fmt: skip


def talk_page(threads, day=1):
    """Wikitext of these threads; comments by "name: text", an hour apart."""
    lines = []
    for number, (title, comments) in enumerate(threads):
        lines.append(f"== {title} ==")
        for depth, comment in enumerate(comments):
            name, _, text = comment.partition(": ")
            stamp = f"{10 + depth}:00, {day + number} May 2011 (UTC)"
            lines.append(f"{':' * depth}{text} [[User:{name}|{name}]] ([[User talk:{name}|talk]]) {stamp}")
        lines.append("")
    return "\n".join(lines)


def _page(number, title, namespace, text):
    return (
        f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id><revision><id>{number}</id>"
        f"<timestamp>2012-01-01T00:00:00Z</timestamp><text xml:space='preserve'>{escape(text)}</text></revision></page>"
    )


def dump(path, talk=TALK, people=PEOPLE):
    """Write an export of this wiki."""
    pages = [_page(n, title, 1, talk_page(threads, 1 + 5 * n)) for n, (title, threads) in enumerate(talk.items(), 1)]
    pages += [_page(100 + n, f"User:{name}", 2, text) for n, (name, text) in enumerate(people.items())]
    info = "<siteinfo><dbname>testwiki</dbname></siteinfo>"
    path.write_text(
        f"<mediawiki xmlns='http://www.mediawiki.org/xml/export-0.11/' xml:lang='en'>{info}{''.join(pages)}</mediawiki>",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="session")
def small_wiki(tmp_path_factory):
    """The folder of the corpus built from that wiki; not to be written to."""
    folder = tmp_path_factory.mktemp("wiki")
    salt = folder / "salt"
    salt.write_bytes(b"a salt for tests only")
    source = dump(folder / "dump.xml")
    build(BuildSettings(source=str(source), out=folder / "corpus", lang="en", name="testwiki", salt_file=salt))
    return folder / "corpus"


@pytest.fixture
def small_store(small_wiki, tmp_path):
    """A copy of that corpus."""
    import shutil

    shutil.copytree(small_wiki, tmp_path / "corpus")
    return Store.open(tmp_path / "corpus")
