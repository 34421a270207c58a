"""The garbage collector during a run."""

import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def settled_heap() -> AsyncGenerator[None, None]:
    """Keep the collector from looking again and again through what was there before the run.

    Libraries and corpora are some 300,000 objects: a full collection walks them for 0.1 s and longer, in which no
    finished call hands on its slot. What the run itself makes is collected as ever.
    """
    settled = not gc.get_freeze_count()  # a caller's own freezing is left alone
    if settled:
        gc.freeze()
    try:
        yield
    finally:
        if settled:
            gc.unfreeze()
