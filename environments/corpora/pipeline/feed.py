"""What archives of posts tell beside the posts: who follows whom, and what became of accounts and posts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.sources.timeline import Timelines
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.environments.corpora.timelines.accounts import image_density
from folkmoot.environments.corpora.timelines.base import Timeline

STAGE, FOLLOWS, LIKES, ACCOUNTS = "feed", "follows", "likes", "accounts"
BLOCKED = "likes by or of users on the blocklist"
COLUMNS = {
    FOLLOWS: {"follower": "string", "followed": "string"},
    LIKES: {"user": "string", "post": "int32", "time": "int64"},  # the post's fact `number`; ms since the epoch
    ACCOUNTS: {
        "id": "string",
        "posts": "int32",
        "reposts": "int32",
        "images": "int32",  # posts with one
        "image_share": "string",  # of the posts that are no reposts, to three digits
        "followers": "int64",  # null where unknown
        "followees": "int64",
    },
}


def add_feed(store: Store, context: StageContext) -> StageRecord:
    """Write `follows`, `likes` and `accounts` where the source holds timelines; a corpus of threads has neither."""
    source = context.source
    if not isinstance(source, Timelines):
        return StageRecord(name=STAGE)
    salt, blocked = context.page.salt, context.page.blocked
    kept = [each for each in source.timelines() if pseudonym(each.user, salt) not in blocked]
    edges, lost = source.follows()
    hidden = [(pseudonym(one, salt), pseudonym(other, salt)) for one, other in edges]
    free = [edge for edge in hidden if blocked.isdisjoint(edge)]
    lost["edges of users on the blocklist"] += len(hidden) - len(free)
    store.write(FOLLOWS, ({"follower": one, "followed": other} for one, other in free), COLUMNS[FOLLOWS])
    liked, unliked = source.likes()
    given = [(pseudonym(each.user, salt), pseudonym(each.author, salt), each) for each in liked]
    likes = [(user, each) for user, author, each in given if blocked.isdisjoint((user, author))]
    unliked[BLOCKED] += len(given) - len(likes)
    if likes:
        rows = ({"user": user, "post": each.post, "time": each.time} for user, each in likes)
        store.write(LIKES, rows, COLUMNS[LIKES])
    store.write(ACCOUNTS, _accounts(kept, salt), COLUMNS[ACCOUNTS])
    posts = sum(len(each.posts) for each in source.timelines())
    dropped = Counter({f"accounts {why}": count for why, count in source.accounts.items() if why})
    counts = {
        "accounts": tally(len(source.timelines()), dropped),
        "posts": tally(posts, source.posts),
        "follows": tally(len(free), lost),
    }
    if liked or unliked.total():
        counts["likes"] = tally(len(likes), unliked)
    return StageRecord(name=STAGE, counts=counts, notes=dict(+source.notes))


def _accounts(timelines: Sequence[Timeline], salt: bytes) -> Iterator[Row]:
    for each in timelines:
        own: list[Any] = [post for post in each.posts if post.form != "repost"]
        yield {
            "id": pseudonym(each.user, salt),
            "posts": len(each.posts),
            "reposts": len(each.posts) - len(own),
            "images": sum(bool(post.captions) for post in own),
            "image_share": f"{image_density(each):.3f}",
            "followers": each.followers,
            "followees": each.followees,
        }
