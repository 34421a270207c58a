"""Timelines from a plain table of posts (CSV, TSV or JSON lines), and one of users beside it.

docs/timelines.md gives the columns. In CSV, lists are separated by ` | `; in JSON lines they are lists.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.table_rows import Row, read_rows
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.collect import LONG, UNLISTED, Collector
from folkmoot.environments.corpora.timelines.languages import short_code
from folkmoot.environments.corpora.timelines.limits import LONGEST, Limits
from folkmoot.environments.corpora.timelines.media import media_path
from folkmoot.environments.corpora.timelines.values import count_of, list_of, name_of, text_of, time_of
from folkmoot.environments.social_feed.marks import called, hashtags, links
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.feed import Form

NEEDED = ("user", "time", "text")
COLUMNS = (
    *NEEDED, "id", "form", "of", "to", "language", "warning", "hashtags", "links", "captions", "media", "mentions",
    "poll", "visibility",
)  # fmt: skip
USERS_NEEDED = ("user",)
USER_COLUMNS = ("user", "about", "followers", "followees")

FORMS: tuple[Form, ...] = get_args(Form)
UNKNOWN_FORM = f"forms that are none of {', '.join(FORMS)} (kept, as post or reply)"

PUBLIC, QUIET = frozenset({"", "public"}), "unlisted"
_LIST = re.compile(r"\s*\|\s*")


@dataclass(frozen=True, slots=True)
class About:
    """A row of the table of users."""

    about: str = ""
    followers: int | None = None
    followees: int | None = None


class Table:
    """Posts, a row each (a `TimelineSource`).

    Args:
        path: the table of posts.
        limits: what is read.
        users: the table of users; None: nothing is said of them.
        encoding: of both in CSV; None: UTF-16 with its mark, else UTF-8.
    """

    def __init__(self, path: Path, limits: Limits, users: Path | None = None, encoding: str | None = None) -> None:
        self._path, self._limits, self._users, self._encoding = path, limits, users, encoding

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        return tuple(file for file in (self._path, self._users) if file is not None)

    def timelines(self) -> Iterator[Timeline]:
        """Each user's, in the order of their first rows; rows that can't be read are counted for the first user.

        Raises:
            CorpusError: no such table.
        """
        if not self._path.is_file():
            raise CorpusError(f"{self._path}: no table there; check the path")
        faults, losses = Faults(), Counter[str]()
        about = self._about(faults)
        collectors: dict[str, Collector] = {}
        for line, row in read_rows(self._path, NEEDED, COLUMNS, faults, self._encoding):
            self._take(line, row, collectors, faults)
        faults.tell(losses)
        if not collectors:
            told = "; ".join(f"{count} {reason}" for reason, count in losses.items()) or "no rows"
            raise CorpusError(f"{self._path.name} holds no post of anybody ({told}); docs/timelines.md has the columns")
        for user, collector in collectors.items():
            collector.losses.update(losses)
            losses.clear()
            known = about.get(user, About())
            yield collector.timeline(user, about=known.about, followers=known.followers, followees=known.followees)

    def _take(self, line: int, row: Row, collectors: dict[str, Collector], faults: Faults) -> None:
        user, text = name_of(row.get("user")), name_of(row.get("text"))
        if not user:
            faults.add("rows without a user", line)
            return
        collector = collectors.setdefault(user, Collector(self._limits))
        seen = text_of(row.get("visibility")).strip().lower()
        if seen == QUIET and not self._limits.unlisted:
            collector.drop(UNLISTED)
        elif seen != QUIET and seen not in PUBLIC:
            collector.drop("posts that aren't public")
        elif len(text) > LONGEST:
            collector.drop(LONG)
        else:
            if _odd(row.get("form")):
                faults.add(UNKNOWN_FORM, line)
            collector.add(_read(row, text, line), time_of(row.get("time")))

    def _about(self, faults: Faults) -> dict[str, About]:
        found: dict[str, About] = {}
        if self._users is None:
            return found
        for line, row in read_rows(self._users, USERS_NEEDED, USER_COLUMNS, faults, self._encoding):
            user = name_of(row.get("user"))
            if user in found:
                faults.add("users who are there twice (the last row counts)", line)
            found[user] = About(
                name_of(row.get("about")), count_of(row.get("followers")), count_of(row.get("followees"))
            )
        return found


def _read(row: Mapping[str, Any], text: str, line: int) -> TimelinePost:
    of, to = name_of(row.get("of")), name_of(row.get("to"))
    captions, media = (_texts(row.get(name), empty=True) for name in ("captions", "media"))
    form = form_of(row.get("form")) or ("reply" if of or to else "post")
    return TimelinePost(
        id=name_of(row.get("id")) or f"line {line}",
        time=0,
        text="" if form == "repost" else text,
        form=form,
        language=short_code(text_of(row.get("language"))),
        of=of,
        to=to,
        warning=name_of(row.get("warning")),
        hashtags=_texts(row.get("hashtags")) or hashtags(text),
        links=_texts(row.get("links")) or links(text),
        captions=captions + ("",) * (len(media) - len(captions)),
        media=tuple(map(media_path, media)),
        mentions=tuple(name.lstrip("@") for name in _texts(row.get("mentions"))) or called(text),
        poll=_texts(row.get("poll")),
    )


def _odd(form: Any) -> bool:
    """Whether a cell says something that is no form."""
    blank = form is None or (isinstance(form, str) and not form.strip())
    return not blank and form_of(form) is None


def form_of(value: Any) -> Form | None:
    """The form that a cell names; None for none or another word."""
    name = text_of(value).strip().lower()
    return next((form for form in FORMS if form == name), None)


def _texts(value: Any, *, empty: bool = False) -> tuple[str, ...]:
    """The members of a list; `empty`: members without text count too."""
    pieces = _LIST.split(value.strip()) if isinstance(value, str) else list_of(value)
    texts = [name_of(piece) for piece in pieces]
    return tuple(texts) if empty else tuple(text for text in texts if text)
