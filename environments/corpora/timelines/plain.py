"""Markup of a post as plain text: nothing of it is rendered, and what isn't words goes.

lxml reads it; scripts, styles, frames and comments leave nothing, addresses stay as they are shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

BLOCKS = frozenset({"p", "div", "blockquote", "ul", "ol", "pre", "h1", "h2", "h3", "h4", "h5", "h6"})
SILENT = frozenset(
    {"script", "style", "iframe", "object", "embed", "template", "svg", "math", "noscript", "head", "title", "form"}
)
"""Elements that leave no words, whatever stands in them."""


@dataclass(slots=True)
class Plain:
    """A post in plain text, and the addresses of its links (not of users or hashtags)."""

    text: str = ""
    links: dict[str, None] = field(default_factory=dict)


def plain(html: str, users: Mapping[str, str] | None = None) -> Plain:
    r"""Plain text of a fragment of HTML.

    Args:
        html: as the archive has it; anything may stand in it.
        users: address of a user -> name; a link to one becomes `@name`.

    >>> plain('<p>Hi <b>all</b><br>a<script>alert(1)</script>b</p><p><a href="https://x.example">x</a></p>').text
    'Hi all\nab\n\nx'
    """
    from lxml import etree
    from lxml import html as reader

    found = Plain()
    if not html.strip():
        return found
    try:
        root = reader.fragment_fromstring(html.replace("\0", ""), create_parent="div")
    except (etree.ParserError, ValueError):
        return found
    pieces: list[str] = []
    _walk(root, users or {}, found, pieces)
    lines = ("".join(pieces)).replace("\xa0", " ").split("\n")
    found.text = _collapsed(" ".join(line.split()) for line in lines)
    return found


def _walk(root: Any, users: Mapping[str, str], found: Plain, pieces: list[str]) -> None:
    """Depth first, without recursion: markup may nest as deep as it likes."""
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, left = stack.pop()
        if left:
            pieces += [_break(node.tag), node.tail or ""]
        elif not isinstance(node.tag, str) or node.tag in SILENT:
            pieces.append(node.tail or "")
        elif node.tag == "a" and (name := users.get(node.get("href") or "")):
            pieces += [f"@{name}", node.tail or ""]
        else:
            pieces.append(_open(node, found))
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node)]


def _open(node: Any, found: Plain) -> str:
    tag = node.tag
    href = node.get("href") or ""
    kind = node.get("class") or ""
    if tag == "a" and href.startswith(("https://", "http://")) and "mention" not in kind and "hashtag" not in kind:
        found.links[href] = None
    text = (node.text or "").replace("\n", " ")
    start = {"li": "\n- ", "br": "\n"}.get(tag, "\n\n" if tag in BLOCKS else "")
    return start + text


def _break(tag: str) -> str:
    return "\n\n" if tag in BLOCKS else ""


def _collapsed(lines: Any) -> str:
    """Lines with at most one empty one between two."""
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
