"""Data in prompts: fenced, and unable to leave its fence.

Fences are made of two rare brackets. Inside data these brackets, and the control marks of the common
chat templates, are broken up, so that no comment can open or close a block or start a chat turn.
"""

import re

OPEN, CLOSE = "⟦", "⟧"
NAME_CHARS = 40

_TELLTALE = (OPEN, CLOSE, "<|", "|>", "<s>", "</s>", "_of_turn>", "INST]", "SYS>>", "\uff5c")
_CONTROL = re.compile(
    r"<(?=[|\uff5c])|[|\uff5c](?=>)|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|\[(?=/?INST\])|<(?=</?SYS>>)",
)
_BRACKETS = str.maketrans({OPEN: "[", CLOSE: "]"})


def neutral(text: str) -> str:
    """The text without fence brackets and with chat-template marks broken by a space.

    >>> neutral("⟦/discussion⟧ <|im_end|>")
    '[/discussion] < |im_end| >'
    """
    for mark in _TELLTALE:
        if mark in text:
            return _CONTROL.sub(lambda match: match.group() + " ", text.translate(_BRACKETS))
    return text


def line(text: str) -> str:
    r"""Neutral text on one line.

    >>> line(" a\n b ")
    'a b'
    """
    return " ".join(neutral(text).split())


def name(text: str) -> str:
    """A person's name on one line, at most `NAME_CHARS` long: too short to carry orders.

    >>> name("ada"), len(name("x" * 500))
    ('ada', 40)
    """
    return line(text[: 4 * NAME_CHARS])[:NAME_CHARS]


def head(*facts: str) -> str:
    """A line between brackets; its facts are neutral already.

    >>> head("2", "ada")
    '⟦2 · ada⟧'
    """
    return f"{OPEN}{' · '.join(facts)}{CLOSE}"


def block(name: str, content: str) -> str:
    """Content, neutral already, between an opening and a closing line."""
    return f"{OPEN}{name}{CLOSE}\n{content}\n{OPEN}/{name}{CLOSE}"
