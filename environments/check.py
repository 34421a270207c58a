"""Conformance checks for any `Environment`, for your own tests too.

    check_environment(make, actions)

plays the actions, one a second, on environments that `make` builds afresh, and raises `RuleError` with the
law that was broken. A broken law shows only where the actions reach it: give it some of every kind, refused ones too.
A social feed takes `check_environment(make, actions, read_feed)`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, get_args

from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import Abstained, ActionRefused, Event
from folkmoot.sim.feed import FeedView
from folkmoot.sim.protocols import Abstain, Action, Environment, Refuse, Trigger

Make = Callable[[], Environment]
Read = Callable[[Any], Any]

STEP = 1000
"""Milliseconds between two actions."""

SEQS = 256
"""`read_feed` asks for every post numbered below this."""


def read_discussion(view: DiscussionView) -> dict[str, Any]:
    """All that a discussion's view tells, as plain values."""
    threads = list(view.threads())
    return {
        "version": view.version,
        "pages": [(page, view.article(page)) for page in view.pages],
        "threads": threads,
        "lines": [view.thread(line.id) for line in threads],
        "recent": [list(view.recent(limit)) for limit in (1, 3, len(threads) + 1)],
        "comments": [list(view.comments(line.id)) for line in threads],
        "events": [view.event(comment.seq) for line in threads for comment in view.comments(line.id)],
        "mentions": list(view.mentions()),
        "reads": view.reads,
    }


def read_feed(view: FeedView) -> dict[str, Any]:
    """All that a feed's view tells, as plain values; the home page is asked for twice."""
    posts = [seq for seq in range(SEQS) if view.event(seq) is not None]
    return {
        "version": view.version,
        "language": view.language,
        "home": [list(view.home()), list(view.home())],
        "events": [view.event(seq) for seq in posts],
        "standings": [view.standing(seq) for seq in posts],
        "liked": [view.liked(seq) for seq in posts],
        "conversations": [list(view.conversation(seq)) for seq in posts],
        "notices": [list(view.notices(limit)) for limit in (1, 3, len(posts) + 1)],
        "own": [list(view.own(limit)) for limit in (1, 3, len(posts) + 1)],
        "graph": [list(view.followees()), list(view.followers())],
        "reads": view.reads,
    }


def check_environment(make: Make, actions: Sequence[Action], read: Read = read_discussion, start: int = 0) -> None:
    """All checks.

    Args:
        make: builds the environment, always the same.
        actions: applied in order, at `start`, `start + STEP`, ... (milliseconds), numbered from 0.
        read: everything that a view tells, as values that compare with `==`.
        start: time of the first action, milliseconds.

    Raises:
        RuleError: the environment breaks the contract of `sim.protocols.Environment`.
    """
    check_ids(make, actions, start)
    check_refusals(make, actions, start)
    check_deterministic(make, actions, start)
    check_views(make, actions, read, start)
    check_alerts(make, actions, read, start)
    check_round_trip(make, actions, read, start)


def check_ids(make: Make, actions: Sequence[Action], start: int = 0) -> None:
    """Every action gives at least one event; numbers run on from `seq`; the community is the environment's own."""
    environment, seq = make(), 0
    for action, events in _play(environment, actions, start):
        numbers = [event.seq for event in events]
        if not numbers or numbers != list(range(seq, seq + len(numbers))):
            raise RuleError(f"{action!r} gave the seqs {numbers}; give one event or more, numbered on from {seq}")
        for event in events:
            if event.community != environment.community:
                raise RuleError(f"{event!r} isn't of the community {environment.community!r}")
        seq += len(numbers)


def check_refusals(make: Make, actions: Sequence[Action], start: int = 0) -> None:
    """A refusal is one event with its reason, not an exception; Abstain and Refuse become what they say."""
    agent = actions[0].agent if actions else "someone"
    abstain = Abstain(agent=agent, based_on=0, reason="nothing to add")
    refuse = Refuse(agent=agent, based_on=0, action="reply", reason="wrong language")
    for action, events in _play(make(), [*actions, abstain, refuse], start):
        refused = [event for event in events if isinstance(event, ActionRefused)]
        if refused and (len(events) > 1 or not refused[0].reason):
            raise RuleError(f"{action!r} was refused with {list(events)!r}; a refusal is one event with a reason")
        if action is abstain and not isinstance(events[0], Abstained):
            raise RuleError(f"Abstain became {events[0]!r}; it becomes Abstained")
        if action is refuse and [event.reason for event in refused] != [refuse.reason]:
            raise RuleError(f"Refuse became {events[0]!r}; it becomes ActionRefused with the same reason")


def check_deterministic(make: Make, actions: Sequence[Action], start: int = 0) -> None:
    """The same actions give the same events and the same state."""
    first, second = make(), make()
    for (action, one), (_, other) in zip(_play(first, actions, start), _play(second, actions, start), strict=True):
        if list(one) != list(other):
            raise RuleError(f"{action!r} gave {list(one)!r}, and again {list(other)!r}; apply must be deterministic")
    if _plain(first) != _plain(second):
        raise RuleError("the same actions gave two different states; apply must be deterministic")


def check_views(make: Make, actions: Sequence[Action], read: Read = read_discussion, start: int = 0) -> None:
    """Viewing and reading change nothing; a view never shows what was applied after it."""
    environment = make()
    seen = [_look(environment, agent, read, start) for agent in dict.fromkeys(action.agent for action in actions)]
    for index, (action, _) in enumerate(_play(environment, actions, start)):
        seen.append(_look(environment, action.agent, read, start + index * STEP))
    for view, told in seen:
        if read(view) != told:
            raise RuleError(f"a view of version {view.version} shows what was applied later; it must read one version")


def _look(environment: Environment, agent: str, read: Read, now: int) -> tuple[Any, Any]:
    before = _plain(environment)
    view = environment.view(agent, now)
    if view.reads:
        raise RuleError(f"a fresh view says that it has read {view.reads}; nothing was read yet")
    if (view.agent, view.now) != (agent, now):
        raise RuleError(f"the view of {agent!r} at {now} says {view.agent!r} at {view.now}")
    told = read(view)
    if _plain(environment) != before or read(environment.view(agent, now)) != told:
        raise RuleError(f"reading a view of version {view.version} changed the state; views are pure reads")
    return view, told


def check_alerts(make: Make, actions: Sequence[Action], read: Read = read_discussion, start: int = 0) -> None:
    """Alerts change nothing, repeat, name nobody twice and never the actor."""
    environment = make()
    for action, events in _play(environment, actions, start):
        for event in events:
            _check_alerts(environment, event, partial(_reading, environment, action.agent, read, start))


def _reading(environment: Environment, agent: str, read: Read, now: int) -> tuple[str, Any]:
    return _plain(environment), read(environment.view(agent, now))


def _check_alerts(environment: Environment, event: Event, reading: Callable[[], Any]) -> None:
    before = reading()
    alerts = list(environment.alerts(event))
    names = [alert.agent for alert in alerts]
    if list(environment.alerts(event)) != alerts or reading() != before:
        raise RuleError(f"alerts of {event!r} don't repeat or change the state; they are pure reads")
    if event.actor in names or len(set(names)) < len(names):
        raise RuleError(f"alerts of {event!r} go to {names}: each agent once, and never the actor")
    for alert in alerts:
        if alert.trigger not in get_args(Trigger):
            raise RuleError(f"{alert!r} of {event!r} has an unknown trigger; known: {', '.join(get_args(Trigger))}")


def check_round_trip(make: Make, actions: Sequence[Action], read: Read = read_discussion, start: int = 0) -> None:
    """At any point the state goes through JSON into a fresh environment, which goes on just the same."""
    whole = make()
    events = [event for _, some in _play(whole, actions, start) for event in some]
    for cut in sorted({0, len(actions) // 3, len(actions) // 2, len(actions)}):
        environment, restored = make(), make()
        played = [event for _, some in _play(environment, actions[:cut], start) for event in some]
        restored.restore(json.loads(_plain(environment)))
        if _plain(restored) != _plain(environment):
            raise RuleError(f"after {cut} actions: state() of the restored environment isn't what was restored")
        rest = _play(restored, actions[cut:], start + cut * STEP, len(played))
        played += [event for _, some in rest for event in some]
        if played != events or _plain(restored) != _plain(whole):
            raise RuleError(f"restored after {cut} actions, the environment goes on in another way")
        for agent in dict.fromkeys(action.agent for action in actions):
            now = start + len(actions) * STEP
            if read(restored.view(agent, now)) != read(whole.view(agent, now)):
                raise RuleError(f"restored after {cut} actions, the view of {agent!r} tells something else")


def _play(
    environment: Environment, actions: Sequence[Action], start: int, seq: int = 0
) -> Iterator[tuple[Action, Sequence[Event]]]:
    for index, action in enumerate(actions):
        try:
            events = environment.apply(action, start + index * STEP, seq)
        except RuleError as error:
            raise RuleError(f"{action!r} was answered with an exception; a refusal is an event: {error}") from error
        yield action, events
        seq += len(events)


def _plain(environment: Environment) -> str:
    try:
        return json.dumps(environment.state(), allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise RuleError(f"state() isn't JSON: {error}; give dicts, lists, strings, finite numbers, None") from error
