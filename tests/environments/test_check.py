# ruff: noqa: D102 -- the broken environments override methods that the protocol describes
"""The conformance checks: each catches the environment that breaks its law, and only then."""

import json
from typing import Any

import pytest

from folkmoot.environments import check
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import Abstained, ActionRefused
from folkmoot.sim.protocols import Abstain, Alert, Intervene, Refuse

CHANGES = [
    ("ban", '{"user":"Ben"}'),
    ("ban", '{"user":"Nobody"}'),
    ("rule", '{"max_length":10}'),
    ("rule", '{"archive_after_days":1}'),
    ("inject", '{"user":"Guest","page":"Mill","title":"Ad","text":"Buy"}'),
    ("inject", '{"user":"Guest","page":"Nowhere","title":"Ad","text":"Buy"}'),
    ("fly", "{}"),
    ("ban", "not JSON"),
]
ACTIONS = [
    OpenThread(agent="Ada", based_on=0, page="Mill", title="Age", text="Hello @Ben"),
    Reply(agent="Ben", based_on=1, page="Mill", thread="t0", parent=0, text="Hello"),
    Reply(agent="Ada", based_on=2, page="Mill", thread="t0", parent=1, text=""),
    Reply(agent="Ada", based_on=2, page="Mill", thread="t0", parent=1, text="Bye"),
    OpenThread(agent="Ben", based_on=3, page="Mill", title="Wheel", text="New"),
]
CHANGING = [
    *ACTIONS,
    *(Intervene(agent="", based_on=0, name=name, value=value) for name, value in CHANGES),
    Reply(agent="Ben", based_on=4, page="Mill", thread="t0", parent=1, text="Refused: banned"),
    Intervene(agent="", based_on=0, name="unban", value='{"user":"Ben"}'),
    Reply(agent="Ben", based_on=4, page="Mill", thread="t0", parent=1, text="Refused: too long"),
]


class Honest(TalkPage):
    def __init__(self) -> None:
        super().__init__("town", "en", {"Mill": Page("Mill", "A mill.")}, {"Ada": ("Mill",)}, agents=("Ada", "Ben"))


class Skips(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        return super().apply(action, now, seq + 1)


class Silent(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        return () if isinstance(action, Reply) else super().apply(action, now, seq)


class Stranger(Honest):
    def __init__(self) -> None:
        super().__init__()
        self.community = "village"


class Throws(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        events = super().apply(action, now, seq)
        if isinstance(events[0], ActionRefused):
            raise RuleError(events[0].reason)
        return events


class Swallows(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        if isinstance(action, Refuse):
            action = Abstain(agent=action.agent, based_on=0, reason=action.reason)
        return super().apply(action, now, seq)


class Rewords(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        if isinstance(action, Abstain):
            action = Refuse(agent=action.agent, based_on=0, action="abstain", reason=action.reason)
        return super().apply(action, now, seq)


class TwoFold(Honest):
    def apply(self, action: Any, now: int, seq: int) -> Any:
        (event,) = super().apply(action, now, seq)
        if isinstance(event, ActionRefused):
            more = Abstained(seq=seq + 1, time=now, actor="Ada", community="town", origin="simulated", reason="-")
            return (event, more)
        return (event,)


class Moody(Honest):
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Moody.made += 1
        self.mood = Moody.made

    def apply(self, action: Any, now: int, seq: int) -> Any:
        return super().apply(action, now + self.mood, seq)


class Drifts(Honest):
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Drifts.made += 1
        self.drift = Drifts.made

    def state(self) -> Any:
        return {**super().state(), "drift": self.drift}


class Newest:
    """A view that looks up the newest state at each read."""

    def __init__(self, environment: Any, agent: str, now: int) -> None:
        self._fresh = lambda: super(Leaks, environment).view(agent, now)
        self.version = self._fresh().version

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fresh(), name)


class Leaks(Honest):
    """Its views read the newest state."""

    def view(self, agent: str, now: int) -> Any:
        return Newest(self, agent, now)


class Counts(Honest):
    """Viewing changes the state."""

    def view(self, agent: str, now: int) -> Any:
        self._state.clock += 1
        return super().view(agent, now)


class PreRead(Honest):
    def view(self, agent: str, now: int) -> Any:
        view = super().view(agent, now)
        view._reads["t0"] = None
        return view


class Late(Honest):
    def view(self, agent: str, now: int) -> Any:
        return super().view(agent, now + 1)


class Loud(Honest):
    def alerts(self, event: Any) -> Any:
        return [*super().alerts(event), Alert(event.actor, "mention")]


class Twice(Honest):
    def alerts(self, event: Any) -> Any:
        return [*super().alerts(event), *super().alerts(event)]


class Odd(Honest):
    def alerts(self, event: Any) -> Any:
        return [Alert(alert.agent, "hunch") for alert in super().alerts(event)]  # type: ignore[arg-type]


class Remembers(Honest):
    def alerts(self, event: Any) -> Any:
        self._state.clock += 1
        return super().alerts(event)


class Binary(Honest):
    def state(self) -> Any:
        return {**super().state(), "raw": b"x"}


class Forgets(Honest):
    """It restores all but the threads."""

    def restore(self, state: Any) -> None:
        super().restore({**state, "comments": []})


class HidesState(Honest):
    """What it does depends on something that state() doesn't tell."""

    def __init__(self) -> None:
        super().__init__()
        self.applied = 0

    def apply(self, action: Any, now: int, seq: int) -> Any:
        self.applied += 1
        return super().apply(action, now + self.applied, seq)


class HidesView(Honest):
    """What it shows depends on something that state() doesn't tell."""

    def __init__(self) -> None:
        super().__init__()
        self.applied = 0

    def apply(self, action: Any, now: int, seq: int) -> Any:
        self.applied += 1
        return super().apply(action, now, seq)

    def view(self, agent: str, now: int) -> Any:
        view = super().view(agent, now)
        view.version = self.applied
        return view


def test_an_honest_environment_passes() -> None:
    """No check objects to an environment that keeps the contract."""
    check.check_environment(Honest, ACTIONS)


def test_interventions_keep_the_laws() -> None:
    """Bans, rules and injected threads, refused ones too, are repeated, restored and read by version as acts are."""
    check.check_environment(Honest, CHANGING)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Skips, "numbered on from 0"),
        (Silent, "one event or more"),
        (Stranger, "isn't of the community"),
        (Throws, "a refusal is an event"),
        (Swallows, "Refuse became"),
        (Rewords, "Abstain became"),
        (TwoFold, "a refusal is one event"),
        (Moody, "apply must be deterministic"),
        (Drifts, "two different states"),
        (Leaks, "it must read one version"),
        (Counts, "views are pure reads"),
        (PreRead, "nothing was read yet"),
        (Late, "the view of 'Ada' at 0 says"),
        (Loud, "never the actor"),
        (Twice, "each agent once"),
        (Odd, "unknown trigger"),
        (Remembers, "alerts .* pure reads"),
        (Binary, "isn't JSON"),
        (Forgets, "isn't what was restored"),
        (HidesState, "goes on in another way"),
        (HidesView, "tells something else"),
    ],
)
def test_a_broken_environment_is_caught(broken: type[Honest], law: str) -> None:
    """Each broken law is named."""
    with pytest.raises(RuleError, match=law):
        check.check_environment(broken, ACTIONS)


def test_a_discussion_is_read_whole() -> None:
    """The default reading covers every comment, so that no leak passes unseen."""
    environment = Honest()
    for seq, action in enumerate(ACTIONS):
        environment.apply(action, seq, seq)
    told = check.read_discussion(environment.view("Ada", 9))
    assert [len(comments) for comments in told["comments"]] == [3, 1]
    assert json.dumps(told["reads"]) == '["t0", "t4"]'
