"""Damaged pages: thousands of real-looking ones, cut, doubled, mixed up and poisoned."""

import re
import time
from pathlib import Path

import pytest

from folkmoot.environments.talk_page.wikitext import known_languages, parse_page
from folkmoot.environments.talk_page.wikitext.clean import collapse
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.environments.talk_page.wikitext.stamping import format_timestamp
from folkmoot.sim.rng import stream

DEMO = Path(__file__).resolve().parents[3] / "environments" / "corpora" / "demo"
POISON = [
    "{{", "}}", "[[", "]]", "|", "<nowiki>", "</nowiki>", "<!--", "-->", "<pre>", "</pre>", "\x00", "\x01", "\u200e", "\ufeff",
    "\r\n", "\r", "== ", " ==\n", "=\n", ":" * 40, "*#:", "----\n", "{|\n|-\n", "|}\n", "&nbsp;", "&#0;", "<br>", "'" * 7,
    "[[User:", "[[User:A|A]] 12:00, 3 May 2011 (UTC)", "{{unsigned|", "{{od}}", "{{box|1=", "<small>", "</span>", "PS: ",
    "0 janvier 0000 à 12:00 (CET)", "99:99, 99 May 9999 (UTC)", "12:00, 3 May 2011 (", "~~~~", "\U0001f642", "İ", "ß",
    "— Preceding unsigned comment added by [[User:A|A]]", "--[[User:A]]\n", "\n\n", "{{{{{{", "}}}}}}", "(UTC)",
]  # fmt: skip


def pages():
    """The demo corpus, with the language of each page."""
    return [(path.read_text(encoding="utf-8"), path.parent.name) for path in sorted(DEMO.glob("*/*.wikitext"))]


def damaged(text, rng):
    """The page with up to eight things done to it."""
    for _ in range(int(rng.integers(1, 9))):
        place, length = int(rng.integers(0, len(text) + 1)), int(rng.integers(0, 80))
        piece, kind = text[place : place + length], int(rng.integers(0, 6))
        elsewhere = int(rng.integers(0, len(text) + 1))
        poison = POISON[int(rng.integers(0, len(POISON)))]
        if kind == 0:
            text = text[:place] + text[place + length :]
        elif kind == 1:
            text = text[:elsewhere] + piece + text[elsewhere:]
        elif kind == 2:
            text = text[:place] + poison + text[place:]
        elif kind == 3:
            text = text[:place] + poison * int(rng.integers(1, 30)) + text[place:]
        elif kind == 4:
            text = text[: max(place, 200)]
        else:
            text = text[:place] + piece[::-1] + text[place + length :]
    return text


def check(text, page):
    """Nothing is lost: the spans are a partition; what a comment says stands in its own span; parents stand before."""
    assert "".join(text[span.start : span.end] for span in page.spans) == text
    owned = {(span.start, span.end) for span in page.spans if span.kind == "comment"}
    for thread in page.threads:
        for index, comment in enumerate(thread.comments):
            assert (comment.start, comment.end) in owned
            assert comment.parent is None or comment.parent < index
            assert comment.text == collapse(comment.text)
            source = text[comment.start : comment.end]
            assert all(word in source for word in re.findall(r"\w+", comment.body))


def run(count, seed):
    """So many damaged pages, each read in its own language, or in another one."""
    rng, sources = stream(seed, "damaged pages"), [(text[:6000], code) for text, code in pages()]
    languages = known_languages()
    started, read = time.process_time(), 0
    for number in range(count):
        source, code = sources[number % len(sources)]
        text = damaged(source, rng)
        check(text, parse_page(text, code if number % 3 else languages[number % len(languages)]))
        read += len(text)
    return read, time.process_time() - started


def test_damaged_pages():
    """Three hundred damaged pages: no crash, no text lost."""
    assert run(300, 1)[0] > 300 * 200


@pytest.mark.benchmark
def test_ten_thousand_damaged_pages():
    """Ten thousand damaged pages: no crash, no text lost."""
    read, took = run(10_000, 2)
    print(f"\n10,000 damaged pages, {read / 1e6:.0f} million characters, {took:.0f} s with all checks")  # noqa: T201


def seconds(text, code="en"):
    """CPU time to read a page, the best of two; the law of partition holds for it."""
    took = []
    for _ in range(2):
        start = time.process_time()
        page = parse_page(text, code)
        took.append(time.process_time() - start)
    assert sum(span.end - span.start for span in page.spans) == len(text)
    return min(took)


NESTS = {
    "templates": ("{{a|", "}}"),
    "links": ("[[a|", "]]"),
    "signed templates": ("{{a|[[User:A|A]] 12:00, 3 May 2011 (UTC)|", "}}"),
    "tags": ("<div>", "</div>"),
    "tables": ("{|\n|", "\n|}"),
    "indentation": (":", ""),
    "emphasis": ("''", "''"),
}


@pytest.mark.parametrize("kind", NESTS)
def test_ten_thousand_levels(kind):
    """Ten thousand levels of anything are read, in a time that grows as the text does."""
    opening, closing = NESTS[kind]
    end = "text [[User:A|A]] 12:00, 3 May 2011 (UTC)"
    small = seconds(f"{opening * 2_500}{end}{closing * 2_500}\n{end}")
    large = seconds(f"{opening * 10_000}{end}{closing * 10_000}\n{end}")
    assert large < 16 * small + 0.5


@pytest.mark.parametrize("code", ["en", "fr", "ja", "pt", "ar"])
def test_repeated_signatures(code):
    """Nothing but signatures, whole, cut short or behind long runs of the same sign: read in linear time."""
    language = load_language(code)
    stamp = format_timestamp(1_300_000_000_000, language)
    link = f"[[{language.user[0]}:Ada|Ada]]"
    quotes = "'" * 199
    for piece in (
        f"{link} {stamp} ",
        f"{link} {stamp[:-4]}",
        f"{stamp} {link}",
        f"{language.months_long[2]} 12:0",
        f"{link} 12:00",
        f"{quotes} {stamp}\n",
        f"-{quotes}x {link}\n",
        f"- {'( ' * 99}x {link}\n",
    ):
        text = piece * (8_000 // len(piece))
        assert seconds(text * 4, code) < 10 * seconds(text, code) + 0.5


@pytest.mark.benchmark
def test_a_page_of_fifty_megabytes():
    """50 MB are read, in one go, without a quadratic step."""
    source = "\n".join(text for text, code in pages() if code == "en")
    small = seconds(source * (5_000_000 // len(source)))
    large = seconds(source * (50_000_000 // len(source)))
    print(f"\n5 MB: {small:.1f} s, 50 MB: {large:.1f} s")  # noqa: T201
    assert large < 20 * small
