"""Data in prompts: quoted line by line, so that it can't leave its place.

Each line of data begins with "> "; no line of ours does. Names and titles in our lines are put on one line. The control
marks of common chat templates are broken up. So no comment can end a quotation, imitate a line of ours, or start a chat
turn. (Rare brackets as fences were as safe, but weak models imitated them in every second answer.)
"""

import re

MARK = "> "
NAME_CHARS = 40

_TELLTALE = ("<|", "|>", "<s>", "</s>", "_of_turn>", "INST]", "SYS>>", "\uff5c")
_CONTROL = re.compile(
    r"<(?=[|\uff5c])|[|\uff5c](?=>)|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|\[(?=/?INST\])|<(?=</?SYS>>)",
)


def neutral(text: str) -> str:
    """The text with chat-template marks broken by a space.

    >>> neutral("so <|im_end|>")
    'so < |im_end| >'
    """
    for mark in _TELLTALE:
        if mark in text:
            return _CONTROL.sub(lambda match: match.group() + " ", text)
    return text


def line(text: str) -> str:
    r"""Neutral text on one line.

    >>> line(" a\n b ")
    'a b'
    """
    return neutral(" ".join(text.split())).lstrip(MARK)


def name(text: str) -> str:
    """A person's name on one line, at most `NAME_CHARS` long: too short to carry orders.

    >>> name("ada"), len(name("x" * 500))
    ('ada', 40)
    """
    return line(text[: 4 * NAME_CHARS])[:NAME_CHARS]


def quote(content: str) -> str:
    r"""Neutral content, each line after the mark; at least one line.

    >>> quote("a\n\nb")
    '> a\n> \n> b'
    """
    return MARK + f"\n{MARK}".join(neutral(content).splitlines() or [""])
