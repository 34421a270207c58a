"""A MediaWiki export of any size, made up line by line: German Talk pages with signed, indented comments."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from folkmoot.sim.rng import stream

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Probewiki</sitename>
    <dbname>probewiki</dbname>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Diskussion</namespace>
      <namespace key="2" case="first-letter">Benutzer</namespace>
      <namespace key="3" case="first-letter">Benutzer Diskussion</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"
PAGE = """  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>{id}</id>
    <revision>
      <id>{revision}</id>
      <timestamp>2020-01-01T00:00:00Z</timestamp>
      <contributor><username>Probe</username><id>1</id></contributor>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
MONTHS = ("Jan.", "Feb.", "Mär.", "Apr.", "Mai", "Jun.", "Jul.", "Aug.", "Sep.", "Okt.", "Nov.", "Dez.")
PROSE = (
    "der Abschnitt über die Brücke nennt keine Quelle und steht so seit Jahren im Artikel ich habe das Buch hier "
    "liegen dort steht ein anderes Datum bitte belegen oder streichen danke für den Hinweis das sehe ich auch so wir "
    "sollten beide Angaben nennen die Karte im zweiten Teil fehlt noch kann das jemand ergänzen [[Brücke]] "
    "{{Belege}} ''Bauzeit'' [https://beispiel.org/akte] <small>oben</small> erledigt"
)
WORDS = PROSE.split()


def pages(seed: int = 1, users: int = 20_000, article_words: int = 3_000) -> Iterator[str]:
    """Pages without end, as XML; every tenth is a user page, four of ten are articles, as in a real dump by bytes."""
    draw = stream(seed, "synthetic dump")
    articles = [_prose(draw, article_words) for _ in range(20)]
    for number in range(1, 1 << 40):
        kind = number % 10
        if kind == 0:
            yield _page(number, f"Benutzer:Probe {number % users}", 2, _prose(draw, 60))
        elif kind in {2, 4, 6, 8}:
            yield _page(number, f"Bauwerk {number}", 0, articles[number % len(articles)])
        else:
            yield _page(number, f"Diskussion:Bauwerk {number}", 1, _talk(draw, users))


def write_dump(path: Path, size: int, seed: int = 1) -> int:
    """Write an export of at least so many bytes; returns the number of pages."""
    count, written = 0, 0
    with path.open("w", encoding="utf-8") as file:
        written += file.write(HEAD)
        for page in pages(seed):
            written += file.write(page)
            count += 1
            if written >= size:
                break
        file.write(TAIL)
    return count


def _page(number: int, title: str, namespace: int, text: str) -> str:
    return PAGE.format(title=title, ns=namespace, id=number, revision=number * 7, text=escape(text, quote=False))


def _prose(draw, words: int) -> str:
    return " ".join(WORDS[place] for place in draw.integers(len(WORDS), size=words))


def _talk(draw, users: int) -> str:
    pieces = []
    for thread in range(int(draw.integers(1, 8))):
        pieces.append(f"== Frage {thread} zum {WORDS[int(draw.integers(len(WORDS)))]} ==")
        for depth in range(int(draw.geometric(0.3))):
            name = f"Probe {int(draw.integers(users))}"
            when = (
                f"{int(draw.integers(24)):02}:{int(draw.integers(60)):02}, {int(draw.integers(1, 29))}. "
                f"{MONTHS[int(draw.integers(12))]} {int(draw.integers(2005, 2020))} (CET)"
            )
            text = _prose(draw, int(draw.integers(5, 90)))
            pieces.append(
                f"{':' * min(depth, 6)}{text} -- [[Benutzer:{name}|{name}]] ([[BD:{name}|Diskussion]]) {when}"
            )
        pieces.append("")
    return "\n".join(pieces)
