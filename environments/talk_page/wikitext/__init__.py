"""Raw Talk-page wikitext: read it into threads, write threads back.

`parse_page` and `render_page` are the two doors; the facts about a wiki's language stand in
`languages/<code>.json`, and adding a language is adding a file there.
"""

from folkmoot.environments.talk_page.wikitext.language import Language, known_languages, load_language
from folkmoot.environments.talk_page.wikitext.parse import ParsedComment, ParsedPage, ParsedThread, parse_page
from folkmoot.environments.talk_page.wikitext.render import render_page, render_thread

__all__ = [
    "Language",
    "ParsedComment",
    "ParsedPage",
    "ParsedThread",
    "known_languages",
    "load_language",
    "parse_page",
    "render_page",
    "render_thread",
]
