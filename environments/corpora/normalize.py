r"""The one form in which a corpus keeps texts, comments and articles alike (Wiki-Talkie, section A.2).

| in the source | in the corpus |
|---|---|
| dashes and equals signs that decorate a beginning or an end | gone (a heading leaves its words) |
| `<br>` | a newline |
| div, span, u (and tt, center, blockquote, bdi, p) tags | gone, content kept |
| nowiki and code tags | gone, content kept as it reads |
| indentation and list marks at a line's start | gone |
| white space | single spaces, single newlines, none at either end |
| templates, wikilinks, external links | kept |
| comments `<!-- -->`, entities | gone; read |
"""

import re

from folkmoot.environments.talk_page.wikitext.clean import clean_text, collapse

_DASHES = "-=\u2010\u2011\u2012\u2013\u2014\u2015"
_MARKS = re.compile(r"^[ \t]*[:*#]+[ \t]*", re.MULTILINE)
_HEADING = re.compile(r"^(={1,6})[ \t]*([^\n=](?:[^\n]*[^\n=])?)[ \t]*\1[ \t]*$", re.MULTILINE)


def normalize(raw: str) -> str:
    r"""Wikitext of a comment or an article in the corpus's form.

    >>> normalize("-- :: see <u>this</u>&nbsp;<nowiki>[[x]]</nowiki><br/>{{tl|y}} [https://a.org b] --")
    'see this [[x]]\n{{tl|y}} [https://a.org b]'
    >>> normalize("== History ==\n* old  town")
    'History\nold town'
    """
    return tidy(clean_text(_HEADING.sub(r"\2", raw)))


def tidy(text: str) -> str:
    """What `clean_text` leaves to do in a comment's text: decoration around it, marks behind breaks and decoration."""
    while (tidied := without_decoration(collapse(_MARKS.sub("", text)))) != text:
        text = tidied
    return text


def without_decoration(text: str) -> str:
    """A clean text without the dashes and equals signs around it; a minus before a number stays.

    >>> without_decoration("--- yes, -5 = x --"), without_decoration("-5 C")
    ('yes, -5 = x', '-5 C')
    """
    start, end = 0, len(text)
    while (step := _run(text, start, end, 1)) != start:
        start = step
    while (step := _run(text, end - 1, start - 1, -1)) != end - 1:
        end = step + 1
    return text[start:end]


def _run(text: str, place: int, limit: int, way: int) -> int:
    """Past white space, or past a run of dashes and equals signs of two or more, or of one that stands alone."""
    begin = place
    while place != limit and text[place].isspace():
        place += way
    if place != begin:
        return place
    while place != limit and text[place] in _DASHES:
        place += way
    alone = place == limit or text[place].isspace()
    return place if alone or abs(place - begin) > 1 else begin
