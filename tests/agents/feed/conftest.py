"""A real feed of four people, for tests of who acts there."""

import pytest

from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.sim.feed import Like, PostCreated, Publish
from folkmoot.sim.persona import Interests, Persona
from folkmoot.sim.protocols import Record

NOON = 1_714_910_400_000
HOUR = 3_600_000


def person(name="ada", **interests) -> Persona:
    """Somebody with interests."""
    known = interests or {"stable": {"sports_outdoor": ("trail running",)}, "recent": {"pets": ("a foster cat",)}}
    return Persona(id=name, language="en", interests=Interests(**known))


def posted(seq, actor, text, **more) -> PostCreated:
    """A recorded post, an hour after the one before."""
    fields = {"thread": f"c{seq}", "language": "en", **more}
    return PostCreated(
        seq=seq, time=NOON + (seq - 50) * HOUR, actor=actor, community="en", origin="recorded", text=text, **fields
    )


TALK = (
    posted(0, "ben", "Mud up to the knees, and still the best trail of the year."),
    posted(1, "cleo", "Bread again: the crust is finally right.", hashtags=("sourdough",)),
    posted(2, "dan", "Which crust, and which flour?", form="reply", thread="c1", parent=1),
    posted(3, "ben", "A night train to the sea.", captions=("a sleeping car",), warning="early hours"),
)


@pytest.fixture
def feed():
    """A feed that holds `posts`; ada follows ben and cleo."""

    def make(posts=TALK, follows=(("ada", "ben"), ("ada", "cleo")), **options):
        world = SocialFeed("en", "en", ["ada", "ben", "cleo", "dan"], follows, **options)
        for seq, event in enumerate(posts):
            world.apply(Record(agent=event.actor, based_on=0, event=event), NOON, seq)
        return world

    return make


@pytest.fixture
def does(feed):
    """Applies an act of a person to a feed at noon; gives the events."""

    def do(world, action, agent="ada", seq=100, **fields):
        return world.apply(action(agent=agent, based_on=world.view(agent, NOON).version, **fields), NOON, seq)

    return do


@pytest.fixture
def someone():
    """Makes people."""
    return person


@pytest.fixture
def post():
    """Makes recorded posts."""
    return posted


@pytest.fixture
def acts():
    """The actions that tests do by name."""
    return {"publish": Publish, "like": Like}
