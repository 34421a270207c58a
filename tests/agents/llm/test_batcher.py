"""The batcher gives each asker its own result, or its batch's error."""

import asyncio
import threading

import pytest

from folkmoot.agents.llm.batcher import Batcher
from folkmoot.sim.errors import ModelError


def test_results_reach_their_askers_in_batches():
    """Requests that wait together are handled together, at most `most` and only like ones, in one thread."""
    sizes, threads, gate = [], set(), threading.Event()

    def run(items):
        gate.wait(5)
        sizes.append(len(items))
        threads.add(threading.get_ident())
        assert len({item % 2 for item in items}) == 1
        return [item * 10 for item in items]

    async def main():
        batcher = Batcher("test", run, 4, lambda item: item % 2)
        tasks = [asyncio.create_task(batcher(k)) for k in range(12)]
        await asyncio.sleep(0.05)
        gate.set()
        results = await asyncio.gather(*tasks)
        batcher.close()
        return results

    assert asyncio.run(main()) == [k * 10 for k in range(12)]
    assert max(sizes) == 4
    assert sum(sizes) == 12
    assert len(threads) == 1


def test_any_error_reaches_the_askers():
    """Whatever the work raises reaches those of its batch, and the next batch is served."""

    def run(items):
        assert "bad" not in items, "bad item"
        return items

    async def main():
        batcher = Batcher("test", run, 1)
        with pytest.raises(AssertionError, match="bad item"):
            await asyncio.wait_for(batcher("bad"), 5)
        assert await asyncio.wait_for(batcher("good"), 5) == "good"
        batcher.close()
        with pytest.raises(ModelError, match="closed"):
            await batcher("late")

    asyncio.run(main())


def test_cancelled_requests_are_left_out():
    """A request that was cancelled while waiting costs no work."""
    seen, gate = [], threading.Event()

    def run(items):
        gate.wait(5)
        seen.extend(items)
        return items

    async def main():
        batcher = Batcher("test", run, 1)
        first, second, third = (asyncio.create_task(batcher(k)) for k in range(3))
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, third)
        batcher.close()

    asyncio.run(main())
    assert seen == [0, 2]
