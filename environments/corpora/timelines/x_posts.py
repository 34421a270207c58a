"""One post of an X archive in plain text."""

import html
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.values import map_of, objects_of, on_one_line, unique
from folkmoot.sim.feed import Form

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
    return [str(each) for each in found] if isinstance(found, list) else []


def post_of(tweet: Mapping[str, Any], name: str, whole: str) -> TimelinePost:
    """A post without its time; `whole` is its long form, "" where there is none."""
    entities = map_of(tweet.get("entities"))
    full = str(tweet["full_text"])
    media = objects_of(map_of(tweet.get("extended_entities")).get("media") or entities.get("media"))
    repost = _REPOST.match(full)
    if repost:
        return TimelinePost(name, 0, "", "repost", of=_shared(media), to=repost[1])
    links = {str(u.get("url")): str(u.get("expanded_url") or u.get("url")) for u in objects_of(entities.get("urls"))}
    answered = str(tweet.get("in_reply_to_status_id_str") or "")
    to = str(tweet.get("in_reply_to_screen_name") or "")
    quoted = next((found for link in links.values() if (found := STATUS.match(link))), None)
    form: Form = "reply" if answered or to else "quote" if quoted else "post"
    return TimelinePost(
        id=name,
        time=0,
        text=_text(whole or full, links, media),
        form=form,
        language=short_code(str(tweet.get("lang") or "")),
        of=answered or (quoted["id"] if quoted and form == "quote" else ""),
        to=to or (quoted["name"] if quoted and form == "quote" else ""),
        hashtags=unique(str(tag.get("text") or "") for tag in objects_of(entities.get("hashtags"))),
        links=unique(links.values()),
        captions=tuple(on_one_line(one.get("ext_alt_text") or one.get("alt_text")) for one in media),
        mentions=unique(str(one.get("screen_name") or "") for one in objects_of(entities.get("user_mentions"))),
        edited=len(_versions(tweet)) > 1,
    )


def _shared(media: Sequence[Mapping[str, Any]]) -> str:
    return next((str(one["source_status_id_str"]) for one in media if one.get("source_status_id_str")), "")


def _text(text: str, links: Mapping[str, str], media: Sequence[Mapping[str, Any]]) -> str:
    """Addresses written out, those of the post's own images taken away, entities of HTML read."""
    for one in media:
        text = text.replace(str(one.get("url") or "\0"), "")
    for short, long in links.items():
        text = text.replace(short, long)
    return html.unescape(text).strip()


def created(value: Any) -> int | None:
    """When a post was made, in ms; None where it can't be read."""
    with suppress(ValueError, TypeError):
        return int(datetime.strptime(str(value), "%a %b %d %H:%M:%S %z %Y").timestamp() * 1000)
    return instant_of(value)


def instant_of(value: Any) -> int | None:
    """An ISO instant in ms, UTC where it names no zone; None where it can't be read."""
    with suppress(ValueError, TypeError):
        moment = datetime.fromisoformat(str(value))
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return None
