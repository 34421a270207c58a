"""One post record of Bluesky in plain text."""

from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.media import media_path
from folkmoot.environments.corpora.timelines.values import list_of, map_of, objects_of, on_one_line, text_of, unique
from folkmoot.sim.feed import Form


def post_of(address: str, record: Mapping[str, Any]) -> TimelinePost:
    """A post without its time."""
    embed = map_of(record.get("embed"))
    reply = map_of(record.get("reply"))
    answered, quoted = uri_of(reply.get("parent")), _quoted(embed)
    form: Form = "reply" if answered else "quote" if quoted else "post"
    found = _Facets(text_of(record.get("text")), record.get("facets"))
    tags = [*found.tags, *(tag for tag in list_of(record.get("tags")) if isinstance(tag, str))]
    languages = record.get("langs")
    return TimelinePost(
        id=address,
        time=0,
        text=found.text.strip(),
        form=form,
        language=short_code(text_of(languages[0])) if isinstance(languages, list) and languages else "",
        of=answered or quoted,
        to=owner_of(answered or quoted),
        warning=", ".join(_labels(record)),
        hashtags=unique(tags),
        links=unique((*found.links, *_external(embed))),
        captions=tuple(alt for alt, _ in _seen(embed)),
        media=tuple(blob for _, blob in _seen(embed)),
        mentions=unique(found.mentions),
    )


class _Facets:
    """What stretches of a text mean: they are counted in bytes of UTF-8; a mention becomes `@` and the account's id."""

    def __init__(self, text: str, facets: Any) -> None:
        self.links: list[str] = []
        self.tags: list[str] = []
        self.mentions: list[str] = []
        raw = text.encode()
        places: list[tuple[int, int, bytes]] = []
        for facet in objects_of(facets):
            places += self._read(facet, len(raw))
        self.text = _put_in(raw, sorted(places)).decode("utf-8", "replace")

    def _read(self, facet: Mapping[str, Any], size: int) -> Iterator[tuple[int, int, bytes]]:
        where = map_of(facet.get("index"))
        start, end = where.get("byteStart"), where.get("byteEnd")
        for feature in objects_of(facet.get("features")):
            kind = text_of(feature.get("$type"))
            if kind.endswith("#link") and isinstance(feature.get("uri"), str):
                self.links.append(feature["uri"])
            elif kind.endswith("#tag") and isinstance(feature.get("tag"), str):
                self.tags.append(feature["tag"])
            elif kind.endswith("#mention") and isinstance(feature.get("did"), str):
                self.mentions.append(feature["did"])
                if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= size:
                    yield start, end, f"@{feature['did']}".encode()


def _put_in(raw: bytes, places: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Bytes with stretches (from, to) replaced, in their order; one that begins within another one is passed over."""
    pieces: list[bytes] = []
    at = 0
    for start, end, new in places:
        if start >= at:
            pieces += raw[at:start], new
            at = end
    return b"".join((*pieces, raw[at:]))


def _media(embed: Mapping[str, Any]) -> Mapping[str, Any]:
    return map_of(embed.get("media")) or embed


def _seen(embed: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Caption and content id of each image."""
    media = _media(embed)
    for image in objects_of(media.get("images")):
        yield on_one_line(image.get("alt")), _blob(image.get("image"))
    if text_of(media.get("$type")).endswith("embed.video"):
        yield on_one_line(media.get("alt")), _blob(media.get("video"))


def _blob(value: Any) -> str:
    """The content id of a blob, as exports call its file; repositories give it as bytes."""
    ref = map_of(value).get("ref")
    if isinstance(ref, bytes):
        return "b" + b32encode(ref).decode().lower().rstrip("=")
    return media_path(map_of(ref).get("$link") or map_of(value).get("cid"))


def _external(embed: Mapping[str, Any]) -> Iterator[str]:
    address = map_of(_media(embed).get("external")).get("uri")
    if isinstance(address, str):
        yield address


def _quoted(embed: Mapping[str, Any]) -> str:
    record = map_of(embed.get("record"))
    address = uri_of(map_of(record.get("record")) or record)
    return address if "app.bsky.feed.post" in address else ""


def _labels(record: Mapping[str, Any]) -> Iterator[str]:
    for one in objects_of(map_of(record.get("labels")).get("values")):
        if isinstance(one.get("val"), str):
            yield one["val"]


def uri_of(value: Any) -> str:
    """The address in a reference to a record, "" where there is none."""
    return text_of(map_of(value).get("uri"))


def owner_of(address: str) -> str:
    """Whose record an `at://` address is."""
    return address.removeprefix("at://").partition("/")[0]
