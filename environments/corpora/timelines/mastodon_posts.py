"""One note of ActivityStreams as a post in plain text, and the names and addresses in it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.plain import plain
from folkmoot.environments.corpora.timelines.values import list_of, map_of, objects_of, on_one_line, unique
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.feed import Form

SEEN = ("image/", "video/")
"""Media that count as images: a video by its cover."""

QUOTES = ("quote", "quoteUrl", "quoteUri", "_misskey_quote")
"""What different servers call the post that is quoted."""


def post_of(note: Mapping[str, Any]) -> TimelinePost:
    """A note without its time."""
    tags = objects_of(note.get("tag"))
    users = dict(_mentioned(tag) for tag in tags if tag.get("type") == "Mention")
    users |= {profile_page(href): name for href, name in users.items()}
    content, language = _content(note)
    body = plain(content, {href: name for href, name in users.items() if href and name})
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
        warning=plain(str(note.get("summary") or "")).text,
        hashtags=unique(str(t.get("name") or "").lstrip("#") for t in tags if t.get("type") == "Hashtag"),
        links=tuple(body.links),
        captions=tuple(_captions(note)),
        mentions=unique(name for name in users.values()),
        poll=unique(_choices(note)),
        edited=bool(note.get("updated")) and note.get("updated") != note.get("published"),
    )


def _content(note: Mapping[str, Any]) -> tuple[str, str]:
    """The markup and the language that it claims; of several languages the one that `content` is in."""
    content, versions = note.get("content"), map_of(note.get("contentMap"))
    if not isinstance(content, str):
        language, content = next(iter(versions.items()), ("", ""))
        return str(content), language
    return content, next((code for code, text in versions.items() if text == content), next(iter(versions), ""))


def _captions(note: Mapping[str, Any]) -> Iterator[str]:
    for one in objects_of(note.get("attachment")):
        if str(one.get("mediaType") or "").startswith(SEEN):
            yield on_one_line(one.get("name"))


def _choices(note: Mapping[str, Any]) -> Iterator[str]:
    for one in (*objects_of(note.get("oneOf")), *objects_of(note.get("anyOf"))):
        yield plain(str(one.get("name") or "")).text


def _quoted(note: Mapping[str, Any]) -> str:
    return next((found for key in QUOTES if (found := address_of(note.get(key)))), "")


def time_of(value: Any) -> int | None:
    """An instant in ms; None where it can't be read."""
    with suppress(CorpusError):
        return read_instant(value) if isinstance(value, str) else None
    return None


# --- names ----------------------------------------------------------------------------------------


def user_of(address: str) -> str:
    """`name@host` of an actor's address.

    >>> user_of("https://moot.example/users/ada")
    'ada@moot.example'
    """
    parts = urlsplit(address)
    name = parts.path.rstrip("/").rpartition("/")[2].lstrip("@")
    return f"{name}@{parts.hostname}" if name and parts.hostname else address


def profile_page(address: str) -> str:
    """The page that a browser shows for an actor's address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/@{parts.path.rstrip('/').rpartition('/')[2].lstrip('@')}"


def author_of(post: str) -> str:
    """Whose post this address is, where it tells."""
    pieces = urlsplit(post).path.strip("/").split("/")
    if pieces[0] == "users" and pieces[1:]:
        return user_of(post.split("/statuses/", maxsplit=1)[0])
    return user_of(f"{post[: post.index('/@')]}/{pieces[0]}") if pieces[0].startswith("@") else ""


def _mentioned(tag: Mapping[str, Any]) -> tuple[str, str]:
    """Address and name; users of the same server are named without it."""
    address, name = str(tag.get("href") or ""), handle_of(str(tag.get("name") or ""))
    host = urlsplit(address).hostname
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
