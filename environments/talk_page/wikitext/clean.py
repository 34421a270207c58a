"""From a piece of wikitext to the text of an utterance (Wiki-Talkie, section on normalization)."""

import html
import re

_TAGS = "div|span|u|code|tt|center|blockquote|bdi|p"
_HELD = "\x00"
"""Stands for a piece of nowiki while lines are read; control characters are out by then."""

_OPAQUE = re.compile(r"<!--|<nowiki\s{0,4}(?P<empty>/?)>", re.IGNORECASE)
_PIECES = re.compile(
    rf"{_HELD}"
    r"|(?P<break><br\s{0,4}/?\s{0,4}>|</br\s{0,4}>)"
    rf"|</?(?:{_TAGS})(?:\s[^<>]{{0,800}})?/?>"
    r"|(?P<entity>&(?:[a-zA-Z][a-zA-Z0-9]{1,24}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)",
    re.IGNORECASE,
)
_INDENT = re.compile(r"[:*#]{1,60}[ \t]*")
_RULE = re.compile(r"[-=]{4,}\s*")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200e\u200f\ufeff]")


def clean_text(raw: str) -> str:
    r"""Plain utterance: templates, wikilinks and external links stay; layout goes.

    Comments and indentation marks vanish, `<br>` is a newline, div/span/u/nowiki/code tags leave their content,
    entities are read, horizontal rules of dashes or equals signs vanish, white space is collapsed.

    >>> clean_text(":: a&nbsp;<span style='x'>b</span><br>c <!-- d -->")
    'a b\nc'
    """
    held: list[str] = []
    lines = (_bare_line(line) for line in _hold(raw, held).split("\n"))
    return collapse(_substitute("\n".join(lines), held))


def clean_title(raw: str) -> str:
    """A heading's text on one line; marks that mean a list at a line's start mean nothing here."""
    held: list[str] = []
    return " ".join(collapse(_substitute(_hold(raw, held), held)).split())


def _hold(raw: str, held: list[str]) -> str:
    """Takes out comments, and nowiki with its content, which is put into `held`; linear for unclosed marks too."""
    raw = _CONTROL.sub("", raw)
    lower = raw.lower() if len(raw.lower()) == len(raw) else raw
    pieces, position, absent = [], 0, set()
    while match := _OPAQUE.search(raw, position):
        mark = "-->" if match[0] == "<!--" else "" if match["empty"] else "</nowiki>"
        end = match.end() if mark in absent else lower.find(mark, match.end())
        if end < 0 or mark in absent:
            absent.add(mark)
            pieces.append(raw[position : match.end()])
            position = match.end()
            continue
        pieces += [raw[position : match.start()], "" if mark == "-->" else _HELD]
        if mark != "-->":
            held.append(raw[match.end() : end])
        position = end + len(mark)
    return "".join([*pieces, raw[position:]])


def _bare_line(line: str) -> str:
    line = line.lstrip(" \t")
    if _RULE.fullmatch(line):
        return ""
    return _INDENT.sub("", line, count=1) if line[:1] in {":", "*", "#"} else line


def _substitute(text: str, held: list[str]) -> str:
    """One pass, so that what an entity or nowiki yields isn't read again."""
    literals = iter(held)

    def replace(match: re.Match[str]) -> str:
        if match[0] == _HELD:
            return html.unescape(next(literals))
        if match["break"]:
            return "\n"
        return html.unescape(match["entity"] or "")

    return _PIECES.sub(replace, text)


def collapse(text: str) -> str:
    r"""White space in its simplest form: single spaces, single newlines, none at either end; no control characters.

    >>> collapse("  a \t b \n\n c ")
    'a b\nc'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _LINES.sub("\n", _SPACES.sub(" ", _CONTROL.sub("", text))).strip()


def words(text: str) -> int:
    """Number of words, by white space."""
    return len(text.split())


def has_talk(text: str) -> bool:
    """Whether a cleaned text says anything once templates, links to files or categories and marks are left out."""
    bare = re.sub(r"\{\{[^{}]{0,2000}\}\}|\[\[[^\[\]|:]{1,40}:[^\[\]]{0,300}\]\]|\{\|.*", " ", text)
    return len(re.findall(r"[^\W\d_]{2,}", bare)) > 1
