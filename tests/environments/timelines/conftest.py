"""Small archives of people who don't exist, written to the formats."""

import json

import pytest

from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.timelines.limits import Limits

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
UNTIL = read_instant("2025-06-01T00:00:00Z")


def limits(**changes):
    """Everything up to June 2025, unless told otherwise."""
    return Limits(**{"posts": 1000, "years": 50, "until": UNTIL, **changes})


def audience(user, scope):
    """`to` and `cc` of a scope, as Mastodon writes them."""
    followers = f"{user}/followers"
    return {
        "public": ([PUBLIC], [followers]),
        "unlisted": ([followers], [PUBLIC]),
        "followers": ([followers], []),
        "direct": (["https://moot.example/users/bo"], []),
    }[scope]


def create(number, content, published="2025-05-01T10:00:00Z", *, user="ada", scope="public", **fields):
    """A post in an outbox."""
    actor = f"https://moot.example/users/{user}"
    to, cc = audience(actor, scope)
    name = f"{actor}/statuses/{number}"
    note = {
        "id": name,
        "type": "Note",
        "summary": None,
        "inReplyTo": None,
        "published": published,
        "attributedTo": actor,
        "to": to,
        "cc": cc,
        "content": content,
        "contentMap": {"en": content},
        "attachment": [],
        "tag": [],
    } | fields
    return {
        "id": f"{name}/activity",
        "type": "Create",
        "actor": actor,
        "published": published,
        "to": to,
        "cc": cc,
        "object": note,
    }


def announce(number, of, published="2025-05-01T10:00:00Z", *, user="ada", scope="public"):
    """A boost in an outbox."""
    actor = f"https://moot.example/users/{user}"
    to, cc = audience(actor, scope)
    return {
        "id": f"{actor}/statuses/{number}/activity",
        "type": "Announce",
        "actor": actor,
        "published": published,
        "to": to,
        "cc": cc,
        "object": of,
    }


@pytest.fixture
def outbox(tmp_path):
    """Writes an outbox of these activities and gives its path."""

    def write(*items, name="outbox.json"):
        path = tmp_path / name
        whole = {
            "@context": "x",
            "id": "outbox.json",
            "type": "OrderedCollection",
            "totalItems": len(items),
            "orderedItems": items,
        }
        path.write_text(json.dumps(whole), encoding="utf-8")
        return path

    return write


def tweet(number, text, created="Thu May 01 10:00:00 +0000 2025", **fields):
    """A post in an X archive."""
    return {
        "tweet": {
            "id_str": str(number),
            "id": str(number),
            "full_text": text,
            "created_at": created,
            "lang": "en",
            "entities": {"hashtags": [], "urls": [], "user_mentions": [], "symbols": []},
            "edit_info": {"initial": {"editTweetIds": [str(number)]}},
        }
        | fields
    }


@pytest.fixture
def ytd(tmp_path):
    """Writes a file of an X archive and gives its path."""

    def write(*items, name="tweets.js", part="tweets.part0"):
        path = tmp_path / name
        path.write_text(f"window.YTD.{part} = {json.dumps(items, indent=1)}", encoding="utf-8")
        return path

    return write
