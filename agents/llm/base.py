"""What every backend's configuration holds, and where caches live."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field

from folkmoot.sim.persona import Frozen


class PoolConfig(Frozen):
    """How calls are made.

    Attributes:
        concurrency: calls in flight at once.
        retries: further tries after a transient failure.
        backoff_s: first pause before a retry; doubles each time up to `backoff_max_s`; each pause is
            drawn between half of it and all of it.
        retry_after_max_s: a server that asks for a longer pause than this is given up on.
        timeout_s: seconds that one try may take.
        requests_per_minute, tokens_per_minute: rate limits; None for none.
    """

    concurrency: int = Field(default=16, ge=1)
    retries: int = Field(default=4, ge=0)
    backoff_s: float = Field(default=0.5, ge=0)
    backoff_max_s: float = Field(default=30.0, ge=0)
    retry_after_max_s: float = Field(default=120.0, ge=0)
    timeout_s: float = Field(default=120.0, gt=0)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)


class CacheConfig(Frozen):
    """Which answers are kept on disk.

    Attributes:
        mode: `greedy` keeps answers at temperature 0 and label scores; `all` keeps sampled answers
            too, each under its seed; `off` keeps none.
        path: the SQLite file; "" is answers.sqlite in the cache folder.
    """

    mode: Literal["off", "greedy", "all"] = "greedy"
    path: str = ""


class BackendConfig(Frozen):
    """Fields that every backend has."""

    pool: PoolConfig = PoolConfig()
    cache: CacheConfig = CacheConfig()


def cache_folder() -> Path:
    """Where converted weights and cached answers live: FOLKMOOT_CACHE, else XDG_CACHE_HOME/folkmoot, else ~/.cache."""
    if own := os.environ.get("FOLKMOOT_CACHE"):
        return Path(own).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "folkmoot"
