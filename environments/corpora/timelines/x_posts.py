"""One post of an X archive in plain text."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.limits import LONGEST
from folkmoot.environments.corpora.timelines.media import media_path
from folkmoot.environments.corpora.timelines.values import (
    map_of,
    name_of,
    objects_of,
    on_one_line,
    place_of,
    text_of,
    unique,
)
from folkmoot.sim.feed import Form

LONGEST_ADDRESS = 4_096
"""Characters; a longer one isn't written out."""

_REPOST = re.compile(r"RT @(\w{1,20}): ")
STATUS = re.compile(r"https?://(?:www\.|mobile\.)?(?:twitter|x)\.com/(?P<name>\w{1,20})/status(?:es)?/(?P<id>\d+)")
"""The address of a post."""


def superseded(tweet: Mapping[str, Any], name: str) -> bool:
    """Whether a later version of the post is in the archive too: the list of versions names it."""
    versions = _versions(tweet)
    return len(versions) > 1 and versions[-1] != name


def _versions(tweet: Mapping[str, Any]) -> Sequence[str]:
    info = map_of(tweet.get("edit_info"))
    initial = map_of(info.get("initial")) or map_of(map_of(info.get("edit")).get("editControlInitial"))
    found = initial.get("editTweetIds")
    return [name_of(each) for each in found] if isinstance(found, list) else []


def post_of(tweet: Mapping[str, Any], name: str, whole: str) -> TimelinePost:
    """A post without its time; `whole` is its long form in plain text, "" where there is none."""
    entities = map_of(tweet.get("entities"))
    full = text_of(tweet.get("full_text"))
    media = objects_of(map_of(tweet.get("extended_entities")).get("media") or entities.get("media"))
    repost = _REPOST.match(full)
    if repost:
        return TimelinePost(name, 0, "", "repost", of=_shared(media), to=repost[1])
    links = written_out(objects_of(entities.get("urls")), "url", "expanded_url")
    answered = name_of(tweet.get("in_reply_to_status_id_str"))
    to = text_of(tweet.get("in_reply_to_screen_name"))
    quoted = next((found for link in links.values() if (found := STATUS.match(link))), None)
    form: Form = "reply" if answered or to else "quote" if quoted else "post"
    return TimelinePost(
        id=name,
        time=0,
        text=_text(whole or html.unescape(full), links, media),
        form=form,
        language=short_code(text_of(tweet.get("lang"))),
        of=answered or (quoted["id"] if quoted and form == "quote" else ""),
        to=to or (quoted["name"] if quoted and form == "quote" else ""),
        hashtags=unique(text_of(tag.get("text")) for tag in objects_of(entities.get("hashtags"))),
        links=unique(links.values()),
        captions=tuple(on_one_line(one.get("ext_alt_text") or one.get("alt_text")) for one in media),
        media=tuple(_file(name, one) for one in media),
        mentions=unique(text_of(one.get("screen_name")) for one in objects_of(entities.get("user_mentions"))),
        edited=len(_versions(tweet)) > 1,
    )


def _file(post: str, medium: Mapping[str, Any]) -> str:
    """Where an archive keeps an image; of a video this is its cover."""
    address = media_path(medium.get("media_url_https") or medium.get("media_url"))
    return f"tweets_media/{post}-{address.rpartition('/')[2]}" if address else ""


def _shared(media: Sequence[Mapping[str, Any]]) -> str:
    return next((found for one in media if (found := name_of(one.get("source_status_id_str")))), "")


def _text(text: str, links: Mapping[str, str], media: Sequence[Mapping[str, Any]]) -> str:
    """Addresses written out, those of the post's own images taken away; what is too long then is left so."""
    own = {address: "" for one in media if (address := text_of(one.get("url")))}
    whole = put_in(text, {**links, **own})
    return whole if len(whole) > LONGEST else whole.strip()


def written_out(links: Sequence[Mapping[str, Any]], short: str, long: str) -> dict[str, str]:
    """Short address -> the one that it stands for, of links with these two fields."""
    found = {text_of(link.get(short)): text_of(link.get(long)) or text_of(link.get(short)) for link in links}
    return {key: value for key, value in found.items() if key and len(value) <= LONGEST_ADDRESS}


def put_in(text: str, places: Mapping[str, str]) -> str:
    """The text with each address in it replaced; what is put in is not looked at again.

    A short address can stand in a text thousands of times: once the text is over `LONGEST`, and so no post, it ends.
    """
    given = sorted(filter(_leads, places), key=len, reverse=True)
    if not given or len(text) > LONGEST:
        return text
    pieces: list[str] = []
    size = end = 0
    for found in re.finditer("|".join(map(re.escape, given)), text):
        new = text[end : found.start()], places[found[0]]
        pieces += new
        size, end = size + sum(map(len, new)), found.end()
        if size > LONGEST:
            return "".join(pieces)
    return "".join((*pieces, text[end:]))


def _leads(address: str) -> bool:
    place = place_of(address)
    return place.scheme in {"http", "https"} and bool(place.host)
