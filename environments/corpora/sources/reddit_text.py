"""Reddit's texts: entities, and what stands for a text that is gone."""

import re

REMOVED = {"[deleted]": "by its author", "[removed]": "by a moderator", "[ Removed by Reddit ]": "by the site"}
"""Marks in place of a text or an author -> who took it away."""

_ESCAPED = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ESCAPED))
_RAW = re.compile(r"[<>]|&(?!lt;|gt;|amp;)")


def plain(text: str) -> str:
    """The text as it was written: the API escapes <, > and & unless asked not to (`raw_json`), and so do archives.

    A text that holds one of the three unescaped wasn't escaped and stays as it is.

    >>> plain("&gt; 1 &amp;lt; 2"), plain("a > b &gt; c")
    ('> 1 &lt; 2', 'a > b &gt; c')
    """
    if "&" not in text or _RAW.search(text):
        return text
    return _ENTITY.sub(lambda match: _ESCAPED[match[0]], text)
