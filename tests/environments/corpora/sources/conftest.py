"""A running wiki for the tests of the API importer."""

import subprocess
import sys
from html import escape
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "scripts" / "local_wiki.py"
EXPORT = "http://www.mediawiki.org/xml/export-0.11/"
TALKS = 57
"""Talk pages of mills: more than one request's 50."""


def revision(number, time, text, model="wikitext"):
    """One revision in a dump."""
    who = "<contributor><username>Ada</username><id>7</id></contributor>"
    body = f'<model>{model}</model><text xml:space="preserve">{escape(text)}</text>'
    return f"<revision><id>{number}</id><timestamp>{time}</timestamp>{who}{body}</revision>"


def page(number, title, namespace, *revisions):
    """One page in a dump."""
    return f"<page><title>{title}</title><ns>{namespace}</ns><id>{number}</id>{''.join(revisions)}</page>"


def signed(name, stamp, text):
    """A comment with its signature, German."""
    return f"{text} --[[Benutzer:{name}|{name}]] ([[Benutzer Diskussion:{name}|Diskussion]]) {stamp} (CEST)"


def talk(mill):
    """The talk page of a mill: Ada asks, one of three editors answers."""
    ask = signed("Ada Rad", f"12:{mill:02}, 1. Jun. 2020", f"Wie alt ist Mühle {mill}?")
    answer = signed(("Bodo", "Cleo", "198.51.100.7")[mill % 3], f"13:{mill:02}, 2. Jun. 2020", "Steht im Buch.")
    return f"== Alter ==\n{ask}\n:{answer}\n"


def town():
    """Pages of a small wiki: articles with a history, talk pages, user pages, redirects, a page that isn't wikitext."""
    number = iter(range(1000, 9000))
    for mill in range(TALKS):
        yield page(
            next(number), f"Diskussion:Mühle {mill:02}", 1, revision(next(number), "2020-06-03T10:00:00Z", talk(mill))
        )
    old = revision(next(number), "2020-05-01T10:00:00Z", "Mühle 00 ist alt. [[Kategorie:Mühlen]]")
    new = revision(next(number), "2021-01-01T10:00:00Z", "Mühle 00 ist sehr alt. [[Kategorie:Mühlen]]")
    yield page(next(number), "Mühle 00", 0, old, new)
    yield page(next(number), "Mühle 01", 0, revision(next(number), "2022-01-01T10:00:00Z", "Neu. [[Kategorie:Mühlen]]"))
    yield page(
        next(number), "Kategorie:Räder", 14, revision(next(number), "2020-01-01T10:00:00Z", "[[Kategorie:Mühlen]]")
    )
    moved = revision(next(number), "2020-06-03T10:00:00Z", "#WEITERLEITUNG [[Diskussion:Mühle 03]]")
    yield page(next(number), "Diskussion:Alte Mühle", 1, moved)
    yield page(
        next(number), "Alte Mühle", 0, revision(next(number), "2020-01-01T10:00:00Z", "#WEITERLEITUNG [[Mühle 00]]")
    )
    yield page(
        next(number),
        "Benutzer:Ada Rad",
        2,
        revision(next(number), "2020-01-01T10:00:00Z", "Ich mag Mühlen & <b>Räder</b>."),
    )
    away = revision(next(number), "2020-01-01T10:00:00Z", "#WEITERLEITUNG [[Mühle 00]]")
    yield page(next(number), "Benutzer:Cleo", 2, away)
    data = revision(next(number), "2020-01-01T10:00:00Z", '{"a": 1}', "json")
    yield page(next(number), "Diskussion:Daten", 1, data)


@pytest.fixture(scope="session")
def wiki(tmp_path_factory):
    """The address of a real MediaWiki that holds `town()`; skips with the reason where there is none."""
    folder = tmp_path_factory.mktemp("wiki")
    dump = folder / "dump.xml"
    dump.write_text(f'<mediawiki xmlns="{EXPORT}" version="0.11" xml:lang="de">{"".join(town())}</mediawiki>', "utf-8")
    command = [sys.executable, str(SCRIPT), str(folder / "wiki"), str(dump), "--lang", "de"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        url = process.stdout.readline().decode().strip()
        if not url:
            reason, status = process.stderr.read().decode().strip(), process.wait()
            if status == 77:
                pytest.skip(f"{reason}; scripts/install_mediawiki.sh installs it (Debian, as root)")
            pytest.fail(f"the wiki didn't start: {reason}")
        yield url
        process.stdin.close()
        process.wait(30)
