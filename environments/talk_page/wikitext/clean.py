"""From a piece of wikitext to the text of an utterance (Wiki-Talkie, section on normalization)."""

import html
import re

_TAGS = "div|span|u|code|tt|center|blockquote|bdi|p"
_HELD = "\x00"
"""Stands for a piece of nowiki while lines are read; control characters are out by then."""

_OPAQUE = re.compile(r"<!--|<(?i:nowiki)\s{0,4}(?P<empty>/?)>")
_PIECES = re.compile(
    rf"<(?:(?P<break>(?i:/?br)\s{{0,4}}/?\s{{0,4}}>)|/?(?i:{_TAGS})(?:\s[^<>]{{0,800}})?/?>)"
    rf"|&(?P<entity>(?:[a-zA-Z][a-zA-Z0-9]{{1,24}}|#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}});)|{_HELD}"
)
_INDENT = re.compile(r"[:*#]+[ \t]*")
_RULE = re.compile(r"[-=]{4,}\s*")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200e\u200f\ufeff]")
_UNUSUAL = re.compile(r"[^\S\n ]|[\x00-\x08\x0e-\x1b\x7f\u200e\u200f\ufeff]")
_MARKS = frozenset(":*#")
_SENTENCE = 4
"""Letters without case, in a row, that can be a sentence: scripts without case mostly don't part words by spaces."""


def clean_text(raw: str) -> str:
    r"""Plain utterance: templates, wikilinks and external links stay; layout goes.

    Comments and indentation marks vanish, `<br>` is a newline, div/span/u/nowiki/code tags leave their content,
    entities are read, horizontal rules of dashes or equals signs vanish, white space is collapsed.

    >>> clean_text(":: a&nbsp;<span style='x'>b</span><br>c <!-- d -->")
    'a b\nc'
    """
    if "<" in raw or "&" in raw:
        held: list[str] = []
        lines = [_bare_line(line) for line in _hold(_CONTROL.sub("", raw), held).split("\n")]
        return collapse(_substitute("\n".join(lines), held))
    if _UNUSUAL.search(raw):
        return collapse("\n".join([_bare_line(line) for line in _CONTROL.sub("", raw).split("\n")]))
    if "  " in raw:
        return _joined([_bare_line(line) for line in raw.split("\n")])
    if "\n" not in raw:
        return _bare_line(raw).strip(" ")
    return "\n".join(filter(None, [_bare_line(line).strip(" ") for line in raw.split("\n")]))


def clean_title(raw: str) -> str:
    """A heading's text on one line; marks that mean a list at a line's start mean nothing here."""
    held: list[str] = []
    return " ".join(collapse(_substitute(_hold(_CONTROL.sub("", raw), held), held)).split())


def _hold(raw: str, held: list[str]) -> str:
    """Takes out comments, and nowiki with its content, which is put into `held`; linear for unclosed marks too."""
    if "<!--" not in raw and "<n" not in raw and "<N" not in raw:
        return raw
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
    first = line[:1]
    if first in _MARKS:
        return _INDENT.sub("", line, count=1)
    return "" if first in {"-", "="} and _RULE.fullmatch(line) else line


def _substitute(text: str, held: list[str]) -> str:
    """One pass, so that what an entity or nowiki yields isn't read again."""
    literals = iter(held)

    def replace(match: re.Match[str]) -> str:
        if match[0] == _HELD:
            return html.unescape(next(literals))
        if match["break"]:
            return "\n"
        return html.unescape(f"&{match['entity']}") if match["entity"] else ""

    return _PIECES.sub(replace, text)


def collapse(text: str) -> str:
    r"""White space in its simplest form: single spaces, single newlines, none at either end; no control characters.

    >>> collapse("  a \t b \n\n c ")
    'a b\nc'
    """
    text = _CONTROL.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _joined(text.split("\n"))


def _joined(lines: list[str]) -> str:
    """Lines with single spaces, without empty ones."""
    if len(lines) == 1:
        return " ".join(lines[0].split())
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def words(text: str) -> int:
    """Number of words, by white space."""
    return len(text.split())


def has_talk(text: str) -> bool:
    """Whether a cleaned text says anything once templates, links to files or categories and marks are left out."""
    bare = re.sub(r"\{\{[^{}]{0,2000}\}\}|\[\[[^\[\]|:]{1,40}:[^\[\]]{0,300}\]\]|\{\|.*", " ", text)
    found = re.findall(r"[^\W\d_]{2,}", bare)
    return len(found) > 1 or any(len(word) >= _SENTENCE and word.lower() == word.upper() for word in found)
