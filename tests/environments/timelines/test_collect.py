"""The latest posts, whatever their order and number; every other one is counted by reason."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.environments.timelines.conftest import UNTIL, limits

from folkmoot.environments.corpora.timelines import collect
from folkmoot.environments.corpora.timelines.base import TimelinePost
from folkmoot.environments.corpora.timelines.collect import READ, Collector
from folkmoot.environments.corpora.timelines.limits import DAY, FIRST, YEAR

POST = TimelinePost("1", 0, "words")


@settings(deadline=None)
@given(
    st.lists(st.integers(FIRST, UNTIL), max_size=40, unique=True), st.integers(1, 20), st.randoms(use_true_random=False)
)
def test_keeps_the_latest(times, most, random):
    """What is kept are the latest posts, oldest first, in whatever order they come; the counts add up."""
    shuffled = random.sample(times, len(times))
    collector = Collector(limits(posts=most, years=2))
    for time in shuffled:
        collector.add(replace(POST, id=str(time)), time)
    timeline = collector.timeline("ada")
    latest = sorted(times)[-most:]
    assert [post.time for post in timeline.posts] == [time for time in latest if time >= latest[-1] - 2 * YEAR]
    dropped = sum(count for reason, count in timeline.losses.items() if reason != READ and "(kept" not in reason)
    assert timeline.losses[READ] == len(times) == len(timeline.posts) + dropped


@pytest.mark.parametrize(
    ("time", "reason"),
    [(None, collect.UNDATED), (UNTIL + 2 * DAY, collect.FUTURE), (0, collect.ANCIENT), (UNTIL + DAY // 2, None)],
)
def test_dates(time, reason):
    """A post without a date, from the future (with a day's grace) or from before all networks is dropped and counted."""
    collector = Collector(limits())
    collector.add(POST, time)
    timeline = collector.timeline("ada")
    assert len(timeline.posts) == (reason is None)
    assert timeline.losses[reason] == (reason is not None)


def test_ids_that_come_twice():
    """Of two posts with one id the first stays; the other is counted."""
    collector = Collector(limits())
    for text in ("first", "second"):
        collector.add(replace(POST, text=text), UNTIL)
    timeline = collector.timeline("ada")
    assert [post.text for post in timeline.posts] == ["first"]
    assert timeline.losses[collect.TWICE] == 1


def test_posts_without_anything():
    """A post without words, images, poll and links is counted; a repost needs none, nor does an image."""
    collector = Collector(limits())
    for number, changes in enumerate(({"text": ""}, {"text": "", "form": "repost"}, {"text": "", "captions": ("",)})):
        collector.add(replace(POST, id=str(number), **changes), UNTIL)
    timeline = collector.timeline("ada")
    assert [post.id for post in timeline.posts] == ["1", "2"]
    assert timeline.losses[collect.EMPTY] == 1


def test_language_of_the_words():
    """A tag that the words plainly contradict is corrected and counted; a short text keeps its tag."""
    german = "Heute war ich mit dem Fahrrad am See und habe den ganzen Nachmittag lang Enten beobachtet."
    collector = Collector(limits())
    for number, (text, language) in enumerate(((german, "en"), (german, "de"), ("Danke!", "en"), (german, ""))):
        collector.add(replace(POST, id=str(number), text=text, language=language), UNTIL + number)
    timeline = collector.timeline("ada")
    assert [post.language for post in timeline.posts] == ["de", "de", "en", "de"]
    assert (
        timeline.losses["posts whose language tag their words contradict (kept, with the language of the words)"] == 1
    )
