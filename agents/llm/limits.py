"""Rate limits: requests and tokens a minute, and pauses that a server asked for."""

import asyncio
from collections.abc import Sequence

from folkmoot.agents.llm.slots import Line

_SOON = 1e-6
"""Seconds that a clock may be early."""


class RateLimit:
    """Two token buckets, each filled evenly and never holding more than one second's worth beyond need.

    Calls wait in the order of `Line` and take their share when their turn has come, so one that is due early is never
    behind those that only came first; a big call at the head isn't overtaken by smaller ones that are due later.

    Args:
        requests: calls a minute; None for no limit.
        tokens: tokens a minute, prompt and longest allowed completion; None for no limit.
    """

    def __init__(self, requests: float | None, tokens: float | None) -> None:
        self._buckets = [_Bucket(requests / 60) if requests else None, _Bucket(tokens / 60) if tokens else None]
        self._held_until = 0.0
        self._line = Line()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are limited, so that they are worth counting."""
        return self._buckets[1] is not None

    @property
    def active(self) -> bool:
        """Whether a call may have to wait at all."""
        return any(self._buckets) or self._held_until > 0

    def hold(self, seconds: float) -> None:
        """Let no call start for so long: the server has asked for it."""
        if seconds > 0:
            self._held_until = max(self._held_until, asyncio.get_running_loop().time() + seconds)

    async def wait(self, tokens: int) -> None:
        """Return when one call of so many tokens may start."""
        turn = self._line.join(tokens)
        self._serve()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                for bucket, share in self._shares(tokens):
                    bucket.give_back(share)
            self._serve()
            raise

    def _serve(self) -> None:
        """Let those go whose turn has come; look again when the next one's may have."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
        while (ticket := self._line.first()) is not None:
            shares = self._shares(ticket.tokens)
            delay = self._delay(shares, loop.time())
            if delay > _SOON:
                self._timer = loop.call_later(delay, self._serve)
                return
            for bucket, share in shares:
                bucket.take(share)
            ticket.turn.set_result(None)

    def _shares(self, tokens: int) -> "list[tuple[_Bucket, int]]":
        return [(bucket, share) for bucket, share in zip(self._buckets, (1, tokens), strict=True) if bucket]

    def _delay(self, shares: "Sequence[tuple[_Bucket, int]]", now: float) -> float:
        return max([self._held_until - now, *(bucket.lack(share, now) for bucket, share in shares)])


class _Bucket:
    """`rate` units a second; holds at most one second's worth (at least one unit), or what the next call needs."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._size = max(1.0, rate)
        self._level = self._size
        self._time: float | None = None

    def lack(self, share: float, now: float) -> float:
        """Fill it up to now; seconds until it can spare the share."""
        if self._time is not None:
            full = max(self._size, share, self._level)
            self._level = min(full, self._level + (now - self._time) * self._rate)
        self._time = now
        return max(0.0, (share - self._level) / self._rate)

    def take(self, share: float) -> None:
        """Take the share."""
        self._level -= share

    def give_back(self, share: float) -> None:
        """A call that took its share didn't start."""
        self._level += share
