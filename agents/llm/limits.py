"""Rate limits: requests and tokens a minute, and pauses that a server asked for."""

import asyncio


class RateLimit:
    """Two token buckets, each filled evenly and never holding more than one second's worth beyond need.

    A call takes its share at once and sleeps until the bucket is out of debt, so calls pass in the
    order in which they came, and no later call can overtake a big one.

    Args:
        requests: calls a minute; None for no limit.
        tokens: tokens a minute, prompt and longest allowed completion; None for no limit.
    """

    def __init__(self, requests: float | None, tokens: float | None) -> None:
        self._buckets = [_Bucket(requests / 60) if requests else None, _Bucket(tokens / 60) if tokens else None]
        self._held_until = 0.0

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
        loop = asyncio.get_running_loop()
        now = loop.time()
        shares = [(bucket, share) for bucket, share in zip(self._buckets, (1, tokens), strict=True) if bucket]
        delay = max([self._held_until - now, *(bucket.take(share, now) for bucket, share in shares)])
        if delay <= 0:
            return
        try:
            await asyncio.sleep(delay)
        except asyncio.CancelledError:
            for bucket, share in shares:
                bucket.give_back(share)
            raise


class _Bucket:
    """`rate` units a second; holds at most one second's worth (at least one unit)."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._size = max(1.0, rate)
        self._level = self._size
        self._time: float | None = None

    def take(self, share: float, now: float) -> float:
        """Take the share; seconds until the bucket could spare it."""
        if self._time is not None:
            self._level = min(self._size, self._level + (now - self._time) * self._rate)
        self._time = now
        self._level -= share
        return max(0.0, -self._level / self._rate)

    def give_back(self, share: float) -> None:
        """A call that took its share didn't start."""
        self._level += share
