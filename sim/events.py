"""The vocabulary of a run: frozen events, tagged by kind.

A corpus is an environment that has already run, so recorded and simulated communities yield the
same kinds. An event's id is its sequence number. Environments register kinds of their own with
`register`; `encode` and `decode` read and write one line of a log. docs/events.md is the schema's page.
"""

from typing import Literal, Union

import msgspec

from folkmoot.sim.errors import LogError

SCHEMA = "folkmoot.events/1"
"""Name and version of the schema; a log's first line carries it."""

Origin = Literal["recorded", "simulated", "candidate", "injected"]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=True, omit_defaults=True):
    """What happened once, for good.

    Attributes:
        seq: sequence number in the log, from 0; the event's id.
        time: milliseconds since the Unix epoch, UTC.
        actor: pseudonym or agent id; "" for the run itself.
        community: name of the community, e.g. "en".
        origin: `recorded` in the real community, `simulated` here, a `candidate` that was never applied, or `injected`
            by the experimenter.
        causes: sequence numbers of the events that led to this one.
    """

    seq: int
    time: int
    actor: str
    community: str
    origin: Origin
    causes: tuple[int, ...] = ()


class TextEvent(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An utterance. Metrics read this class and never ask which environment wrote it.

    Attributes:
        thread: id of the thread.
        parent: seq of the comment answered; None where the text opens its thread.
        text: the utterance, without signature and timestamp.
        language: ISO 639-1 code.
        target: for a candidate, the seq of the recorded event that it stands beside.
        source_id: id in the source, where recorded.
        source_offset: first character in the source, where recorded.
    """

    thread: str
    parent: int | None = None
    text: str
    language: str
    target: int | None = None
    source_id: str | None = None
    source_offset: int | None = None

    @property
    def wordless(self) -> bool:
        """Whether it has no words of its own by its kind, as a repost: metrics of utterances pass it over."""
        return False


class Abstained(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An agent looked and chose to say nothing."""

    reason: str


class ActionRefused(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An action that a check or a rule refused; nothing was applied."""

    action: str
    reason: str
    thread: str | None = None
    text: str | None = None


class ActivationFailed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An activation whose model call failed past its retries (`on_failure=abstain`)."""

    reason: str


class Intervention(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The experimenter changed something at a set time."""

    name: str
    value: str = ""


_kinds: dict[str, type[Event]] = {}
_decoder: msgspec.json.Decoder[Event] | None = None
_encoder = msgspec.json.Encoder()


def register(kind: type[Event]) -> type[Event]:
    """Make an event class known to `decode`; a class decorator.

    Raises:
        LogError: another class of the same name is registered.
    """
    global _decoder  # noqa: PLW0603 -- the decoder is a pure function of the registered kinds
    name = kind.__name__
    if _kinds.get(name, kind) is not kind:
        raise LogError(f"event kind {name!r} is registered twice; give the new class another name")
    _kinds[name] = kind
    _decoder = None
    return kind


for _kind in (Abstained, ActionRefused, ActivationFailed, Intervention):
    register(_kind)


def kinds() -> dict[str, type[Event]]:
    """All registered kinds by name."""
    return dict(_kinds)


def encode(event: Event) -> bytes:
    """One line of a log, without the newline: compact JSON in field order.

    >>> encode(Abstained(seq=1, time=5, actor="a", community="en", origin="simulated", reason="nothing to add"))
    b'{"kind":"Abstained","seq":1,"time":5,"actor":"a","community":"en","origin":"simulated","reason":"nothing to add"}'
    """
    return _encoder.encode(event)


def decode(line: bytes) -> Event:
    """The event of one line.

    Raises:
        LogError: the line isn't an event of a registered kind.
    """
    global _decoder  # noqa: PLW0603
    if _decoder is None:
        _decoder = msgspec.json.Decoder(Union[tuple(_kinds.values())])  # noqa: UP007 -- built at run time
    try:
        return _decoder.decode(line)
    except msgspec.MsgspecError as error:
        raise LogError(f"not an event: {line[:120]!r} ({error}); known kinds: {', '.join(sorted(_kinds))}") from error
