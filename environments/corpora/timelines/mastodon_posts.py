"""One note of ActivityStreams as a post in plain text, and the names and addresses in it."""

from collections.abc import Iterator, Mapping
from typing import Any

from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.media import media_path
from folkmoot.environments.corpora.timelines.plain import plain
from folkmoot.environments.corpora.timelines.values import (
    list_of,
    map_of,
    objects_of,
    on_one_line,
    place_of,
    text_of,
    unique,
)
from folkmoot.sim.feed import Form

SEEN = ("image/", "video/")
"""Media that count as images: a video by its cover."""

LONGEST_NAME = 512
"""Characters; a longer one isn't put in place of the links to it, of which a post may have thousands."""

QUOTES = ("quote", "quoteUrl", "quoteUri", "_misskey_quote")
"""What different servers call the post that is quoted."""


def post_of(note: Mapping[str, Any]) -> TimelinePost:
    """A note without its time."""
    tags = objects_of(note.get("tag"))
    users = dict(_mentioned(tag) for tag in tags if tag.get("type") == "Mention")
    users |= {profile_page(href): name for href, name in users.items()}
    content, language = content_of(note)
    body = plain(content, {href: name for href, name in users.items() if href and 0 < len(name) <= LONGEST_NAME})
    answered, quoted = address_of(note.get("inReplyTo")), _quoted(note)
    form: Form = "reply" if answered else "quote" if quoted else "post"
    return TimelinePost(
        id=address_of(note.get("id")),
        time=0,
        text=body.text,
        form=form,
        language=short_code(language),
        of=answered or quoted,
        to=author_of(answered or quoted),
        warning=plain(text_of(note.get("summary"))).text,
        hashtags=unique(text_of(t.get("name")).lstrip("#") for t in tags if t.get("type") == "Hashtag"),
        links=tuple(body.links),
        captions=tuple(on_one_line(one.get("name")) for one in _seen(note)),
        media=tuple(media_path(_file(one)) for one in _seen(note)),
        mentions=unique(name for name in users.values()),
        poll=unique(_choices(note)),
        edited=bool(note.get("updated")) and note.get("updated") != note.get("published"),
    )


def content_of(note: Mapping[str, Any]) -> tuple[str, str]:
    """The markup and the language that it claims; of several languages the one that `content` is in."""
    content, versions = note.get("content"), map_of(note.get("contentMap"))
    if not isinstance(content, str):
        language, content = next(iter(versions.items()), ("", ""))
        return text_of(content), language
    return content, next((code for code, text in versions.items() if text == content), next(iter(versions), ""))


def _seen(note: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in objects_of(note.get("attachment")) if text_of(one.get("mediaType")).startswith(SEEN)]


def _file(one: Mapping[str, Any]) -> str:
    """The address of a medium; some servers give a list of links."""
    return next((found for each in list_of(one.get("url")) if (found := address_of(each))), "")


def _choices(note: Mapping[str, Any]) -> Iterator[str]:
    for one in (*objects_of(note.get("oneOf")), *objects_of(note.get("anyOf"))):
        yield plain(text_of(one.get("name"))).text


def _quoted(note: Mapping[str, Any]) -> str:
    return next((found for key in QUOTES if (found := address_of(note.get(key)))), "")


# --- names ----------------------------------------------------------------------------------------


def user_of(address: str) -> str:
    """`name@host` of an actor's address; the address itself where it is of another form.

    >>> user_of("https://moot.example/users/ada"), user_of("https://[moot")
    ('ada@moot.example', 'https://[moot')
    """
    place = place_of(address)
    name = _last(place.path)
    return f"{name}@{place.host}" if name and place.host else address


def profile_page(address: str) -> str:
    """The page that a browser shows for an actor's address."""
    place = place_of(address)
    return f"{place.scheme}://{place.site}/@{_last(place.path)}"


def author_of(post: str) -> str:
    """Whose post this address is, where it tells.

    >>> author_of("https://moot.example/@ada/1"), author_of("https://moot.example/users/ada/statuses/1")
    ('ada@moot.example', 'ada@moot.example')
    >>> author_of("@ada/1"), author_of("https://moot.example/notes/1"), author_of("https://[moot/@ada/1")
    ('', '', '')
    """
    place = place_of(post)
    pieces = place.path.strip("/").split("/")
    name = pieces[1] if pieces[0] == "users" and pieces[1:] else pieces[0] if pieces[0].startswith("@") else ""
    return f"{handle_of(name)}@{place.host}" if handle_of(name) and place.host else ""


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].lstrip("@")


def _mentioned(tag: Mapping[str, Any]) -> tuple[str, str]:
    """Address and name; users of the same server are named without it."""
    address, name = text_of(tag.get("href")), handle_of(text_of(tag.get("name")))
    host = place_of(address).host
    return address, f"{name}@{host}" if name and host and "@" not in name else name


def handle_of(name: str) -> str:
    """A name without its sign."""
    return name.strip().lstrip("@")


# --- values of any kind ---------------------------------------------------------------------------


def address_of(value: Any) -> str:
    """A link as a text, or the id of an object in its place."""
    if isinstance(value, dict):
        value = value.get("id") or value.get("href")
    return value if isinstance(value, str) else ""


def strings_of(value: Any) -> Iterator[str]:
    """The texts in a list, or the one in its place."""
    return (each for each in list_of(value) if isinstance(each, str))
