"""The Talk page as an environment: what becomes of each action, and by which rule one is refused."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from folkmoot.environments.check import check_environment
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.talk_page import rules as why
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.environments.talk_page.rules import DAY, TalkPageConfig
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import Abstained, ActionRefused, TextEvent
from folkmoot.sim.protocols import Abstain, Action, Alert, Record, Refuse

PAGES = {
    "Mill": Page("Mill", "The mill stands by the river."),
    "Ferry": Page("Ferry", "The ferry crosses at noon."),
    "Vault": Page("Vault", "Nobody knows.", protected=True),
}
WATCHLISTS: Mapping[str, tuple[str, ...]] = {"Cleo": ("Mill",), "Dara": ("Mill", "Ferry"), "Eve": ()}


def town(**rules: Any) -> TalkPage:
    """A small community: four agents, three pages, one of them protected."""
    return TalkPage("town", "en", PAGES, WATCHLISTS, TalkPageConfig(**rules), agents=("Ada", "Ben", "Cleo", "Dara"))


def opening(
    agent: str = "Ada", text: str = "The mill is older than that.", page: str = "Mill", based_on: int = 0
) -> OpenThread:
    """An opening on the mill."""
    return OpenThread(agent=agent, based_on=based_on, page=page, title="Age", text=text)


def reply(
    parent: int, agent: str = "Ben", text: str = "Source?", based_on: int = 99, thread: str = "t0", page: str = "Mill"
) -> Reply:
    """An answer; by default to the first thread, on the newest version."""
    return Reply(agent=agent, based_on=based_on, page=page, thread=thread, parent=parent, text=text)


def recorded(
    seq: int, thread: str = "old", parent: int | None = None, actor: str = "Ben", page: str = "Mill", text: str = "Hm."
) -> TextEvent:
    """An event of a corpus: an opening, or with a parent a comment."""
    common = {"seq": seq, "time": 5, "actor": actor, "community": "town", "origin": "recorded"}
    texts = {"thread": thread, "text": text, "language": "en", "page": page}
    if parent is None:
        return ThreadOpened(**common, **texts, title="Old")
    return CommentPosted(**common, **texts, parent=parent)


def record(event: TextEvent) -> Record:
    """The action that places a recorded event."""
    return Record(agent=event.actor, based_on=0, event=event)


def play(environment: TalkPage, *actions: Action, now: int = 0, step: int = 1000) -> list[Any]:
    """Apply actions in order; their events."""
    start = environment.state()["version"]
    return [environment.apply(action, now + i * step, start + i)[0] for i, action in enumerate(actions)]


def test_opening_and_reply_become_events() -> None:
    """An opening starts a thread t<seq>; a reply names its parent; both stand in the community's language."""
    first, second = play(town(), opening(), reply(0))
    assert isinstance(first, ThreadOpened)
    assert isinstance(second, CommentPosted)
    assert (first.thread, first.title, first.origin, first.language) == ("t0", "Age", "simulated", "en")
    assert (second.parent, second.time, second.actor, second.page) == (0, 1000, "Ben", "Mill")


def test_abstain_and_refuse_are_logged_and_change_nothing_else() -> None:
    """Abstain gives Abstained, Refuse gives ActionRefused with the text; a view sees the same threads."""
    environment = town()
    play(environment, opening())
    before = list(environment.view("Ben", 0).recent(9))
    abstained, refused = play(
        environment,
        Abstain(agent="Ben", based_on=1, reason="nothing to add", causes=(0,)),
        Refuse(agent="Ben", based_on=1, action="reply", reason="over-long", thread="t0", text="..."),
    )
    assert isinstance(abstained, Abstained)
    assert (abstained.reason, abstained.causes) == ("nothing to add", (0,))
    assert isinstance(refused, ActionRefused)
    assert (refused.action, refused.reason, refused.thread, refused.text) == ("reply", "over-long", "t0", "...")
    assert list(environment.view("Ben", 0).recent(9)) == before


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (reply(0, thread="nowhere"), why.UNKNOWN_THREAD),
        (reply(7), why.UNKNOWN_PARENT),
        (reply(1), why.UNKNOWN_PARENT),
        (reply(0, page="Moon"), why.UNKNOWN_PAGE),
        (reply(0, page="Ferry"), why.OTHER_PAGE),
        (reply(0, based_on=0), why.UNSEEN_PARENT),
        (reply(0, text=" \n"), why.EMPTY_TEXT),
        (reply(0, text="x" * 51), "text over 50 characters"),
        (opening(page="Moon"), why.UNKNOWN_PAGE),
        (opening(page="Vault"), why.PROTECTED),
        (opening(text=""), why.EMPTY_TEXT),
        (OpenThread(agent="Ada", based_on=0, page="Mill", title=" ", text="x"), why.EMPTY_TITLE),
        (OpenThread(agent="Ada", based_on=0, page="Mill", title="y" * 11, text="x"), "title over 10 characters"),
        (reply(2, thread="vaulted", page="Vault"), why.PROTECTED),
        (record(recorded(0, thread="vaulted", page="Vault")), why.TAKEN_EVENT),
        (record(recorded(9, thread="vaulted", page="Vault")), why.TAKEN_THREAD),
        (record(recorded(9, thread="lost", parent=0)), why.UNKNOWN_THREAD),
        (record(recorded(9, thread="vaulted", parent=8)), why.UNKNOWN_PARENT),
        (record(recorded(9, page="Moon")), why.UNKNOWN_PAGE),
    ],
)
def test_a_broken_rule_refuses_with_its_reason(action: Action, reason: str) -> None:
    """A refusal is one ActionRefused that keeps the text; a view of every agent reads as before."""
    environment = town(max_length=50, max_title=10)
    play(environment, opening(), opening(), record(recorded(0, thread="vaulted", page="Vault")))
    before = [list(environment.view(agent, 9000).threads()) for agent in ("Ada", "Cleo")]
    (refused,) = play(environment, action, now=9000)
    assert isinstance(refused, ActionRefused)
    assert refused.reason == reason
    assert refused.text == (action.event.text if isinstance(action, Record) else action.text)
    assert [list(environment.view(agent, 9000).threads()) for agent in ("Ada", "Cleo")] == before


def test_title_is_one_line() -> None:
    """A heading can't break out of its line: white space is folded."""
    (event,) = play(town(), OpenThread(agent="Ada", based_on=0, page="Mill", title=" a\n== b\t", text="x"))
    assert event.title == "a == b"


def test_edit_conflict_rebases_and_is_counted() -> None:
    """A reply whose thread changed after its author's view is placed and listed in `conflicts`."""
    environment = town()
    play(
        environment,
        opening(),
        reply(0, based_on=1),
        reply(0, agent="Cleo", based_on=1),
        reply(0, agent="Ben", based_on=3),
    )
    assert environment.conflicts == (2,)
    assert [c.actor for c in environment.view("Ada", 0).comments("t0")] == ["Ada", "Ben", "Cleo", "Ben"]


def test_edit_conflict_can_refuse() -> None:
    """With on_conflict=refuse the second of two replies on one version is refused, an abreast one in another thread isn't."""
    environment = town(on_conflict="refuse")
    events = play(
        environment, opening(), opening(), reply(0, based_on=2), reply(0, based_on=2), reply(1, thread="t1", based_on=2)
    )
    assert [type(event) for event in events[2:]] == [CommentPosted, ActionRefused, CommentPosted]
    assert events[3].reason == why.CONFLICT
    assert environment.conflicts == ()


def test_idle_threads_are_archived() -> None:
    """A thread idle for archive_after_days is archived at the next apply, and a reply to it refused."""
    environment = town(archive_after_days=2)
    play(environment, opening(), opening("Ben"))
    play(environment, reply(1, thread="t1"), now=DAY)
    (refused,) = play(environment, reply(0), now=2 * DAY)
    assert refused.reason == why.ARCHIVED
    view = environment.view("Ada", 2 * DAY)
    assert [line.archived for line in view.threads()] == [True, False]
    assert [line.id for line in view.recent(9)] == ["t1"]


def test_a_view_knows_of_idle_threads_before_the_next_apply() -> None:
    """A thread that is due for the archive reads as archived, though nothing has been applied since."""
    environment = town(archive_after_days=2)
    play(environment, opening())
    assert [line.id for line in environment.view("Ben", 2 * DAY - 1).recent(9)] == ["t0"]
    assert list(environment.view("Ben", 2 * DAY).recent(9)) == []
    assert environment.view("Ben", 2 * DAY).thread("t0").archived


def test_the_longest_idle_thread_makes_room() -> None:
    """With max_open_threads the thread without a comment for longest is archived, not the oldest."""
    environment = town(max_open_threads=2)
    play(environment, opening(), opening(), reply(0), opening())
    assert [(line.id, line.archived) for line in environment.view("Ada", 0).threads()] == [
        ("t0", False),
        ("t1", True),
        ("t3", False),
    ]


def test_recorded_events_are_renumbered_and_keep_their_past() -> None:
    """A recorded event gets the log's seq and parent; thread, time and origin stay its own."""
    environment = town()
    play(environment, opening())
    caused = Record(agent="Ben", based_on=0, event=recorded(41, parent=40), causes=(0,))
    first, second = play(environment, record(recorded(40)), caused, now=70_000)
    assert second.causes == (0,)
    assert (first.seq, first.parent, first.thread, first.time, first.origin) == (1, None, "old", 5, "recorded")
    assert (second.seq, second.parent, second.thread) == (2, 1, "old")
    (answer,) = play(environment, reply(2, thread="old"), now=80_000)
    assert isinstance(answer, CommentPosted)


def test_a_new_thread_takes_no_recorded_id() -> None:
    """Where a recorded thread is called t<seq> already, the new one gets another id and the old one stays."""
    environment = town()
    _, new = play(environment, record(recorded(0, thread="t1")), opening())
    assert new.thread == "t1'"
    assert [line.size for line in environment.view("Ada", 0).threads()] == [1, 1]


def test_a_recorded_comment_restores_its_thread() -> None:
    """What did happen is placed even in an archived thread, which is open from then on; older views keep the archive."""
    environment = town(archive_after_days=1)
    play(environment, record(recorded(0)))
    play(environment, Abstain(agent="Ada", based_on=1, reason="-"), now=DAY)
    before = environment.view("Ada", DAY)
    play(environment, record(recorded(1, parent=0)), now=DAY)
    assert before.thread("old").archived
    assert not environment.view("Ada", DAY).thread("old").archived


def test_alerts_go_to_author_mentioned_and_watchers() -> None:
    """Reply, mention and watch, in this order, each agent once, the actor never."""
    environment = town()
    first, second, third = play(
        environment,
        opening(text="@Ben and {{ping|Cleo}}, please"),
        reply(0, text="[[User:Ada|you]] and @Ben and [[User:Dara]]"),
        opening("Cleo", page="Ferry"),
    )
    assert environment.alerts(first) == [Alert("Ben", "mention"), Alert("Cleo", "mention"), Alert("Dara", "watch")]
    assert environment.alerts(second) == [Alert("Ada", "reply"), Alert("Dara", "mention")]
    assert environment.alerts(third) == [Alert("Dara", "watch")]
    assert (
        list(
            environment.alerts(Abstained(seq=9, time=0, actor="Ada", community="town", origin="simulated", reason="-"))
        )
        == []
    )


def test_whoever_has_written_can_be_mentioned() -> None:
    """A user who isn't an agent is known from the first comment on, after a restore too."""
    environment, copy = town(), town()
    early, _, late = play(environment, opening(text="@Zoe?"), reply(0, agent="Zoe"), opening(text="@Zoe!"))
    assert (early.mentions, late.mentions) == ((), ("Zoe",))
    copy.restore(environment.state())
    assert play(copy, opening(text="@Zoe!"))[0].mentions == ("Zoe",)


def test_teacher_forced_texts_are_never_applied() -> None:
    """In teacher-forced mode only what was recorded is placed, and a candidate calls on nobody."""
    environment = town(teacher_forced=True)
    play(environment, record(recorded(0, actor="Ada")), Abstain(agent="Ben", based_on=1, reason="-"))
    with pytest.raises(RuleError, match="log it as a candidate"):
        environment.apply(reply(0, thread="old"), 0, 2)
    candidate = CommentPosted(
        seq=2, time=0, actor="Ben", community="town", origin="candidate", thread="old", parent=0, text="@Dara",
        language="en", page="Mill", mentions=("Dara",), target=3,
    )  # fmt: skip
    assert list(environment.alerts(candidate)) == []
    assert len(environment.view("Ada", 0).comments("old")) == 1


def test_unknown_actions_are_errors() -> None:
    """An action of another environment is a mistake in the program, not a refusal; nothing is applied."""
    environment = town()
    with pytest.raises(RuleError, match="takes Reply, OpenThread"):
        environment.apply(Action(agent="Ada", based_on=0), 0, 0)
    alien = TextEvent(
        seq=0, time=0, actor="Ada", community="town", origin="recorded", thread="x", text="x", language="en"
    )
    with pytest.raises(RuleError, match="can't record"):
        environment.apply(record(alien), 0, 0)
    assert environment.state()["version"] == 0


def test_a_taken_seq_is_an_error() -> None:
    """Two comments can't carry one id."""
    environment = town()
    play(environment, opening())
    with pytest.raises(RuleError, match="number on from 1"):
        environment.apply(opening(), 0, 0)


def test_watching_an_unknown_page_is_an_error() -> None:
    """A watchlist's wrong title is named with the nearest right one."""
    with pytest.raises(RuleError, match="did you mean 'Mill'"):
        TalkPage("town", "en", PAGES, {"Ada": ("Mil",)})


def test_the_talk_page_conforms() -> None:
    """All conformance checks, under every rule that changes the way."""
    actions = [
        opening(text="@Ben, look"), reply(0), opening("Cleo", page="Ferry"), reply(0, agent="Dara", based_on=1),
        reply(0, based_on=0), Abstain(agent="Ada", based_on=5, reason="-"), record(recorded(40)),
        record(recorded(41, parent=40)), record(recorded(42, parent=7)), opening("Ben", page="Vault"), opening("Dara"),
    ]  # fmt: skip
    for rules in (
        {},
        {"on_conflict": "refuse"},
        {"max_open_threads": 1},
        {"archive_after_days": 3000 / DAY},
    ):
        check_environment(lambda rules=rules: town(**rules), actions)


def test_the_yaml_has_the_models_fields() -> None:
    """conf/environment/talk_page.yaml names every field of the model with its default."""
    from importlib.resources import files

    text = (files("folkmoot") / "conf" / "environment" / "talk_page.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == TalkPageConfig().model_dump()
