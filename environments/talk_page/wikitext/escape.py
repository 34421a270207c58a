"""Hostile text made harmless: whatever an utterance says, the parser reads it back as that utterance."""

import re

from folkmoot.environments.talk_page.wikitext.clean import collapse
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import mask
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps
from folkmoot.environments.talk_page.wikitext.trim import decoration

STOP = "<nowiki/>"
"""Shows nothing; tells the parser that a signature doesn't reach further to the left."""

_ENTITY = re.compile(r"&(?=[a-zA-Z0-9#]+;)")
_TAG = re.compile(
    r"<(?=!--|/?(?:div|span|u|code|nowiki|tt|center|blockquote|bdi|p|br|pre|source|syntaxhighlight|math|templatedata|score)\b)",
    re.IGNORECASE,
)
_LINE_START = re.compile(r"^(?:[:*#;=]|-(?=---))", re.MULTILINE)
_CLOCK = re.compile(r"(?<=\d)[:.](?=\d)")
_BRACES = re.compile(r"[{}]")
_TAIL = 400


def entity(match: re.Match[str]) -> str:
    """The matched character as a numeric entity."""
    return f"&#{ord(match[0])};"


def escape_text(text: str, language: Language) -> str:
    """Wikitext that `clean_text` reads as `collapse(text)`, and in which the parser finds no structure.

    Links, emphasis and closed templates stay alive, except templates that the parser itself would act on.
    """
    text = collapse(text)
    text = _ENTITY.sub("&amp;", text)
    text = _TAG.sub("&lt;", text)
    text = _escape_templates(text, language)
    text = _LINE_START.sub(entity, text)
    return _stop_names(_escape_dates(text, language), language)


def _stop_names(text: str, language: Language) -> str:
    """Links to users, none of which signs: nothing leads up to them, and they end no line but the last."""
    links = find_user_links(mask(text).text, language)
    for link in reversed(links):
        text = f"{text[: link.start]}{STOP}{text[link.start :]}"
    lines = text.split("\n")
    return (
        "\n".join([*(f"{line}{STOP}" if "]]" in line else line for line in lines[:-1]), lines[-1]]) if links else text
    )


def _escape_templates(text: str, language: Language) -> str:
    """Braces that belong to no closed template, and those of templates that sign or outdent."""
    if "{" not in text and "}" not in text:
        return text
    masked = mask(text)
    acting = {*language.unsigned, *language.wrappers}
    pieces, position = [], 0
    for start, end in zip(masked.outer_starts, masked.outer_ends, strict=True):
        inside = text[start:end]
        names = (call.name for call in masked.templates if start <= call.start < end)
        harmless = not any(_acts(name, acting) for name in names)
        pieces += [_BRACES.sub(entity, text[position:start]), inside if harmless else _BRACES.sub(entity, inside)]
        position = end
    return "".join([*pieces, _BRACES.sub(entity, text[position:])])


def _acts(name: str, acting: set[str]) -> bool:
    return name in acting or any(name.endswith(f":{known}") for known in acting)


def _escape_dates(text: str, language: Language) -> str:
    """Times of day inside anything that reads as a signature's timestamp lose their colon to an entity."""
    while stamps := find_timestamps(mask(text).text, language):
        for stamp in reversed(stamps):
            inside = _CLOCK.sub(entity, text[stamp.start : stamp.end])
            text = text[: stamp.start] + inside + text[stamp.end :]
    return text


def needs_stop(text: str, language: Language) -> bool:
    """Whether the end of an escaped text would be taken for a part of the signature after it."""
    tail = text[-_TAIL:]
    phrase = language.unsigned_phrase
    return (
        decoration(tail) < len(tail)
        or bool(find_user_links(tail, language))
        or (phrase is not None and phrase.search(tail) is not None)
    )


def escape_title(title: str) -> str:
    """A heading's text; an empty one is a space that a heading can hold."""
    text = " ".join(collapse(title).split())
    text = _TAG.sub("&lt;", _ENTITY.sub("&amp;", text))
    return re.sub(r"[={}]", entity, text) or "&nbsp;"
