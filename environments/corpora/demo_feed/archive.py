"""The demo feed as timelines, so that real archives can join its people in one corpus (`--from ...,demo_feed:en`)."""

from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.demo_feed.records import FOLDER, Files, PostLine, UserRecord, instant, read_files
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.collect import Collector
from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.environments.social_feed.marks import hashtags, links, mentions
from folkmoot.sim.persona import Interests


class DemoArchive:
    """The people of the demo feed with their interests, follows and likes (a `TimelineSource`).

    Args:
        lang: ISO 639-1 code.
        limits: what is read.
        folder: where the languages' folders are.
    """

    def __init__(self, lang: str, limits: Limits, folder: Path = FOLDER) -> None:
        self._lang, self._limits, self._folder = lang, limits, folder

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        return tuple(self._folder / self._lang / name for name in ("users.json", "posts.jsonl", "likes.jsonl"))

    def timelines(self) -> Iterator[Timeline]:
        """Each person's.

        Raises:
            CorpusError: the language has no demo feed, or a file is damaged.
        """
        files = read_files(self._lang, self._folder)
        authors = {post.id: post.user for post in files.posts}
        known = {user.name for user in files.users}
        for user in files.users:
            collector = Collector(self._limits)
            for post in files.posts:
                if post.user == user.name:
                    collector.add(self._post(post, authors, known), instant(post.time))
            for like in files.likes:
                if like.user == user.name:
                    collector.like(like.post, authors.get(like.post, ""), instant(like.time))
            yield collector.timeline(user.name, **_about(user, files))

    def _post(self, post: PostLine, authors: dict[str, str], known: set[str]) -> TimelinePost:
        return TimelinePost(
            id=post.id,
            time=0,
            text=post.text,
            form=post.form,
            language=self._lang,
            of=post.of,
            to=authors.get(post.of, ""),
            warning=post.warning,
            hashtags=hashtags(post.text),
            links=links(post.text),
            captions=post.captions,
            mentions=mentions(post.text, known),
        )


def _about(user: UserRecord, files: Files) -> dict[str, object]:
    return {
        "about": user.about,
        "follows": tuple(user.follows),
        "followees": len(user.follows),
        "followers": sum(user.name in other.follows for other in files.users),
        "interests": Interests(stable=user.stable, recent=user.recent),
    }
