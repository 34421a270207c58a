"""An editor's view: one version for good, and the same answers as a page that is simply copied at each step."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.check import read_discussion
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.talk_page import feed
from folkmoot.environments.talk_page.mentions import Mentions
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.environments.talk_page.rules import TalkPageConfig
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import RuleError
from folkmoot.sim.protocols import Abstain

DAY = 86_400_000
PAGES = {name: Page(name, f"About {name}.", protected=name == "Z") for name in ("X", "Y", "Z")}
WATCHLISTS = {"one": ("X",), "two": ("Y", "X"), "three": ("Z",)}
AGENTS = ("all", "one", "two", "three")


class Copies:
    """The oracle: plain lists, read at once."""

    def __init__(self, days: float, most: int | None) -> None:
        self.days, self.most = days, most
        self.threads: dict[str, dict[str, Any]] = {}
        self.comments: list[Any] = []

    def archive(self, now: int) -> None:
        """Archive what is idle."""
        for thread in self.threads.values():
            thread["archived"] = thread["archived"] or thread["touched"][0] + self.days * DAY <= now

    def place(self, event: Any, now: int) -> None:
        """Add a comment; archive beyond the bound."""
        self.comments.append(event)
        new = {"page": event.page, "archived": False, "size": 0}
        thread = self.threads.setdefault(event.thread, new)
        thread |= {"touched": (now, event.seq), "size": thread["size"] + 1}
        still_open = sorted((t for t in self.threads.values() if not t["archived"]), key=lambda t: t["touched"])
        if self.most is not None:
            for thread in still_open[: -self.most]:
                thread["archived"] = True

    def read(self, agent: str, now: int) -> dict[str, Any]:
        """What a view tells, see `told`."""
        self.archive(now)
        by_seq = {event.seq: event for event in self.comments}
        mine = [
            event
            for event in self.comments
            if event.actor != agent
            and (agent in event.mentions or (event.parent is not None and by_seq[event.parent].actor == agent))
        ]
        pages = WATCHLISTS.get(agent, ("X", "Y", "Z"))
        live = [
            (t["touched"], name)
            for name, t in self.threads.items()
            if t["page"] in pages and t["page"] != "Z" and not t["archived"]
        ]
        return {
            "threads": [(name, t["size"], t["archived"]) for name, t in self.threads.items()],
            "recent": [name for _, name in sorted(live, reverse=True)],
            "mentions": mine[::-1],
        }


def told(view: Any, limit: int) -> dict[str, Any]:
    """What a view tells, as plain values."""
    return {
        "threads": [(line.id, line.size, line.archived) for line in view.threads()],
        "recent": [line.id for line in view.recent(limit)],
        "mentions": list(view.mentions()),
    }


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["open", "reply", "reply", "reply", "abstain"]),
        st.integers(0, 3),
        st.integers(0, 10**6),
        st.integers(0, 8),
    ),
    max_size=120,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([0.5, 2.0, 10.0]), st.sampled_from([None, 1, 3]))
def test_views_tell_what_copies_tell_and_never_change(steps: list[Any], days: float, most: int | None) -> None:
    """At each step a view answers as the copied page does; after all steps every view answers as it did."""
    _compare(steps, days, most)


@settings(max_examples=40, deadline=None)
@given(steps=STEPS, days=st.sampled_from([0.5, 10.0]), most=st.sampled_from([None, 1, 3]))
def test_views_tell_what_copies_tell_with_shallow_marks(steps: list[Any], days: float, most: int | None) -> None:
    """The same where marks hold two threads and come every third touch, so that reading has to go below them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed, "EVERY", 3)
        patch.setattr(feed, "DEPTH", 2)
        _compare(steps, days, most)


def _compare(steps: list[Any], days: float, most: int | None) -> None:
    environment = TalkPage("c", "en", PAGES, WATCHLISTS, TalkPageConfig(archive_after_days=days, max_open_threads=most))
    oracle, kept, now = Copies(days, most), [], 0
    for seq, (kind, who, choice, hours) in enumerate(steps):
        agent, now = AGENTS[who], now + hours * 3_600_000
        view = environment.view(agent, now)
        expected = oracle.read(agent, now)
        assert told(view, 1000) == expected
        limit = choice % 4
        assert told(view, limit)["recent"] == expected["recent"][:limit]
        kept.append((view, read_discussion(view)))
        event = environment.apply(_action(kind, agent, view, choice), now, seq)[0]
        oracle.archive(now)
        if hasattr(event, "parent"):
            oracle.place(event, now)
    for view, before in kept:
        assert read_discussion(view) == before
    copy = TalkPage("c", "en", PAGES, WATCHLISTS, environment.rules)
    copy.restore(environment.state())
    for agent in AGENTS:
        assert read_discussion(copy.view(agent, now)) == read_discussion(environment.view(agent, now))


def _action(kind: str, agent: str, view: Any, choice: int) -> Any:
    text = ["plain", "@one hm", "{{ping|two|three}}"][choice % 3]
    if kind == "open" or (kind == "reply" and not view.threads()):
        return OpenThread(agent=agent, based_on=view.version, page="XYZ"[choice % 3], title="T", text=text)
    if kind == "abstain":
        return Abstain(agent=agent, based_on=view.version, reason="-")
    line = view.threads()[choice % len(view.threads())]
    comments = view.comments(line.id)
    parent = comments[choice % len(comments)].seq
    return Reply(agent=agent, based_on=view.version, page=line.page, thread=line.id, parent=parent, text=text)


@pytest.fixture
def busy() -> TalkPage:
    """A page with 400 threads, then 2,000 replies to one of them."""
    environment = TalkPage("c", "en", PAGES, rules=TalkPageConfig(archive_after_days=None))
    for seq in range(400):
        environment.apply(OpenThread(agent="a", based_on=seq, page="X", title="T", text="x"), seq, seq)
    for seq in range(400, 2400):
        environment.apply(Reply(agent="b", based_on=seq, page="X", thread="t7", parent=7, text="x"), seq, seq)
    return environment


@pytest.mark.parametrize("limit", [1, 20, 399, 500])
def test_recent_is_whole_behind_a_busy_thread(busy: TalkPage, limit: int) -> None:
    """Two thousand touches of one thread hide none of the others, however many are asked for, now and afterwards."""
    expected = ["t7", *(f"t{i}" for i in range(399, -1, -1) if i != 7)]
    view = busy.view("a", 0)
    assert [line.id for line in view.recent(limit)] == expected[:limit]
    busy.apply(Abstain(agent="a", based_on=view.version, reason="-"), 2400, 2400)
    assert [line.id for line in view.recent(limit)] == expected[:limit]


def test_recent_of_two_pages_keeps_the_order_below_the_marks() -> None:
    """An old thread of a quiet page comes after all newer ones of a busy page, however many those are."""
    environment = TalkPage("c", "en", PAGES, {"a": ("Y", "X")})
    for seq in range(60):
        environment.apply(OpenThread(agent="b", based_on=seq, page="XY"[seq == 0], title="T", text="x"), seq, seq)
    assert [line.id for line in environment.view("a", 60).recent(60)] == [f"t{i}" for i in range(59, -1, -1)]


def test_recent_reads_little_behind_a_busy_thread(busy: TalkPage) -> None:
    """A past version's walk is bounded by the limit, not by the log: 20 threads need few touches, 400 all 2,400."""
    view = busy.view("a", 0)
    busy.apply(Abstain(agent="a", based_on=view.version, reason="-"), 2400, 2400)
    column = busy._state.before = Touches(busy._state.before)
    assert len(view.recent(20)) == 20
    assert column.read < 20
    assert len(view.recent(400)) == 400
    assert column.read > 2000


class Touches(list[int]):
    """A column that counts how often it is read."""

    read = 0

    def __getitem__(self, index: Any) -> Any:
        self.read += 1
        return super().__getitem__(index)


def test_reads_names_the_threads_read(busy: TalkPage) -> None:
    """Reading comments is reading the thread; the list alone isn't."""
    view = busy.view("a", 0)
    view.recent(5)
    view.thread("t3")
    assert view.reads == ()
    view.comments("t9")
    view.comments("t3")
    view.comments("t9")
    assert view.reads == ("t9", "t3")


def test_sequences_slice_and_index(busy: TalkPage) -> None:
    """Lazy sequences behave as lists do."""
    threads, mentions = busy.view("a", 0).threads(), busy.view("a", 0).mentions()
    assert [line.id for line in threads[1:3]] == ["t1", "t2"]
    assert threads[-1].id == "t399"
    assert [event.seq for event in mentions[:2]] == [2399, 2398]
    assert len(mentions) == 2000
    with pytest.raises(IndexError):
        threads[400]


def test_what_is_not_there_is_an_error(busy: TalkPage) -> None:
    """A wrong thread or page is named, with the nearest right one; a wrong seq is None."""
    view = busy.view("a", 0)
    with pytest.raises(RuleError, match="did you mean"):
        view.comments("t9999")
    with pytest.raises(RuleError, match="no page 'W'"):
        view.article("W")
    assert view.event(2400) is None
    assert view.article("X") == "About X."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nothing here", ()),
        ("{{ping|Ben}}", ("Ben",)),
        ("{{Reply to|Ben|Anna Berg|p=.}}", ("Ben", "Anna Berg")),
        ("{{u|1=ben}} {{U|anna_Berg}}", ("Ben", "Anna Berg")),
        ("[[User:Ben|B]] [[Benutzerin:Anna Berg]] [[User talk:Ben#x|t]]", ("Ben", "Anna Berg")),
        ("[[:es:Usuario:Ben]] [[File:Ben]] [[Ben]]", ()),
        ("@Ben, @Anna Berg: hello; @Anna_Berg!", ("Ben", "Anna Berg")),
        ("@Anna Berger @Bennet ben@Ben.org", ()),
        ("{{tl|Ben}} {{ping|{{Ben}}", ()),
        ("@" * 50, ()),
    ],
)
def test_mentions(text: str, found: tuple[str, ...]) -> None:
    """Pings, links and addresses of known users, each once; no one else."""
    assert Mentions(["Ben", "Anna Berg"]).find(text) == found


@given(st.text(alphabet="@[]{}|:User ping\n_Ben", max_size=300))
def test_mentions_of_any_text(text: str) -> None:
    """No text makes a user up."""
    assert set(Mentions(["Ben"]).find(text)) <= {"Ben"}


def test_a_thread_has_the_article_of_its_own_time():
    """The article as of a thread's beginning is shown for that thread alone; others, and new ones, have the page's."""
    page = TalkPage("c", "en", PAGES, articles={"old": "Long ago."})
    view = page.view("one", 0)
    assert [view.article("X", thread) for thread in ("old", "new", "", None)] == ["Long ago.", *["About X."] * 3]
