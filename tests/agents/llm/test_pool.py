"""The pool keeps its limits, reports every try, and hands slots on before it keeps books."""

import asyncio
import time

import pytest

from folkmoot.agents.llm.base import CacheConfig, PoolConfig
from folkmoot.agents.llm.cache import AnswerCache
from folkmoot.agents.llm.counters import Counters
from folkmoot.agents.llm.limits import RateLimit
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.llm.tries import Tries
from folkmoot.sim.calls import DUE
from folkmoot.sim.errors import ModelError, TransientModelError
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling

PROMPT = [Message("system", "You edit."), Message("user", "Thread: Bridge\nWrite the next comment in English.")]
QUICK = PoolConfig(backoff_s=0.001, backoff_max_s=0.002)


class Flaky(ScriptedModel):
    """Raises the given errors first, then answers; a backend with one planned fault after another."""

    def __init__(self, *errors):
        super().__init__()
        self.errors = list(errors)
        self.calls = 0

    async def generate(self, messages, sampling, seed):
        """Fail as planned, then answer."""
        self.calls += 1
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        return await super().generate(messages, sampling, seed)


def run(pool, seeds=(1,), note=None, **sampling):
    """The answers to one prompt under several seeds, asked at once."""

    async def all_of_them():
        return await asyncio.gather(*[pool.generate(PROMPT, Sampling(**sampling), s, note) for s in seeds])

    return asyncio.run(all_of_them())


def test_is_a_language_model():
    """A pool can be given wherever a language model is asked for."""
    assert isinstance(Pool(ScriptedModel()), LanguageModel)


def test_answers_are_the_models_own_at_any_concurrency():
    """The pool changes nothing but the latency."""
    own = [asyncio.run(ScriptedModel().generate(PROMPT, Sampling(), seed)).text for seed in range(40)]
    for concurrency in (1, 7, 128):
        model = ScriptedModel(ScriptedConfig(latency_s=0.001, latency_jitter=1, transient_rate=0.2))
        pool = Pool(model, PoolConfig(concurrency=concurrency, retries=20, backoff_s=0.0))
        assert [answer.text for answer in run(pool, range(40))] == own


def test_concurrency_is_a_limit_and_is_reached():
    """No more calls than slots are in flight, and all slots are used."""
    pool = Pool(ScriptedModel(ScriptedConfig(latency_s=0.01)), PoolConfig(concurrency=5))
    run(pool, range(20))
    assert pool.counters.most_in_flight == 5
    assert (pool.counters.in_flight, pool.counters.waiting, pool.counters.calls) == (0, 0, 20)


@pytest.mark.parametrize(
    ("rate", "monitors", "agents", "ahead"),
    [(60_000, 6, 6, 2), (600, 14, 3, 10)],
    ids=["slots bind", "the rate binds"],
)
def test_a_pool_apart_shares_the_limits_and_counts_for_itself(rate, monitors, agents, ahead):
    """Law: a run and its monitors on one backend keep one limit together; the run's calls go first, its books are its own.

    `ahead` monitor calls have a slot (2 at once), or a share of the rate (10 a second), before the run asks.
    """
    order = []

    class Watched(ScriptedModel):
        in_flight = most = 0

        async def generate(self, messages, sampling, seed):
            order.append(seed)
            self.in_flight += 1
            self.most = max(self.most, self.in_flight)
            await asyncio.sleep(0.002)
            self.in_flight -= 1
            return await super().generate(messages, sampling, seed)

    model = Watched()
    own = Pool(model, PoolConfig(concurrency=2, requests_per_minute=rate))
    apart = own.apart()

    async def both():
        before = DUE.set(10)
        watching = [asyncio.ensure_future(apart.generate(PROMPT, Sampling(), 100 + k)) for k in range(monitors)]
        await asyncio.sleep(0)
        DUE.set(1)
        acting = [asyncio.ensure_future(own.generate(PROMPT, Sampling(), k)) for k in range(agents)]
        DUE.reset(before)
        await asyncio.gather(*watching, *acting)

    asyncio.run(both())
    assert model.most == 2
    assert sorted(order[ahead : ahead + agents]) == list(range(agents))
    assert sorted(order[ahead + agents :]) == [100 + k for k in range(ahead, monitors)]
    assert (own.counters.calls, apart.counters.calls) == (agents, monitors)


def test_a_call_due_early_waits_for_no_share_but_its_own():
    """Law: behind any number of waiting monitor calls the run's call starts with the next share, here after 0.1 s."""

    async def main():
        limit = RateLimit(600, None)
        before = DUE.set(10)
        waiting = [asyncio.ensure_future(limit.wait(0)) for _ in range(48)]
        await asyncio.sleep(0)
        DUE.reset(before)
        start = time.perf_counter()
        await limit.wait(0)
        passed = time.perf_counter() - start
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return passed

    assert 0.05 < asyncio.run(main()) < 0.3


def test_a_call_that_leaves_the_line_holds_up_nobody():
    """Law: a waiting call that is cancelled takes no share, and those behind it needn't wait as long as it would have."""

    async def main():
        limit = RateLimit(None, 60_000)
        start = time.perf_counter()
        big, small = (asyncio.ensure_future(limit.wait(tokens)) for tokens in (20_000, 1_000))
        await asyncio.sleep(0.01)
        assert [big.done(), small.done()] == [False, False]
        big.cancel()
        await small
        return time.perf_counter() - start

    assert asyncio.run(main()) < 0.2


def test_a_call_of_more_than_a_seconds_tokens_passes_once_they_have_come():
    """1,300 tokens at 1,000 a second start after 0.3 s, and a smaller call of equal rank doesn't overtake them."""

    async def main():
        limit, order = RateLimit(None, 60_000), []

        async def one(tokens):
            await limit.wait(tokens)
            order.append(tokens)

        start = time.perf_counter()
        await asyncio.gather(one(1_300), one(100))
        return time.perf_counter() - start, order

    passed, order = asyncio.run(main())
    assert order == [1_300, 100]
    assert 0.39 < passed < 0.7


def test_a_pool_apart_shares_the_rate():
    """Requests of both are spread as one pool's: 10 a second, the first at once."""
    own = Pool(ScriptedModel(), PoolConfig(requests_per_minute=600))
    apart = own.apart()

    async def both():
        start = time.perf_counter()
        await asyncio.gather(*[pool.generate(PROMPT, Sampling(), k) for k in range(7) for pool in (own, apart)])
        return time.perf_counter() - start

    assert asyncio.run(both()) > 0.39


def test_a_pool_apart_keeps_answers_under_the_same_settings(tmp_path):
    """Law: what one asked the other needn't, and a backend of other settings gets neither's answers."""
    cache = AnswerCache(CacheConfig(path=str(tmp_path / "c.db")))
    own = Pool(ScriptedModel(), cache=cache, scope="url=a")
    other = Pool(ScriptedModel(), cache=cache, scope="url=b")

    async def ask():
        for pool in (own, apart := own.apart(), other.apart()):
            await pool.label_logprobs(PROMPT, ("A", "B"), 1)
            last = pool
        return apart.counters.cached, last.counters.cached

    assert asyncio.run(ask()) == (1, 0)


def test_next_call_starts_before_the_books_are_kept():
    """When a try is reported, the call that waited for its slot has already started."""
    started, order = [], []

    class Watched(ScriptedModel):
        async def generate(self, messages, sampling, seed):
            started.append(seed)
            await asyncio.sleep(0.005)
            return await super().generate(messages, sampling, seed)

    pool = Pool(Watched(), PoolConfig(concurrency=1))

    async def main():
        await asyncio.gather(
            *[pool.generate(PROMPT, Sampling(), s, lambda _, s=s: order.append((s, len(started)))) for s in range(4)]
        )

    asyncio.run(main())
    assert order == [(0, 2), (1, 3), (2, 4), (3, 4)]


def test_every_try_is_reported_with_its_number():
    """Failed tries carry their reason, the last one the answer; counters agree."""
    notes = []
    pool = Pool(Flaky(TransientModelError("busy"), ConnectionResetError("gone")), QUICK)
    answer = run(pool, note=notes.append)[0]
    assert [(n.number, n.error) for n in notes] == [(0, "busy"), (1, "scripted: ConnectionResetError: gone"), (2, None)]
    assert notes[2].answer == answer
    counters = pool.counters
    assert (counters.attempts, counters.failed_attempts, counters.retries, counters.calls) == (3, 2, 2, 1)
    assert counters.tokens == answer.prompt_tokens + answer.completion_tokens == pool.tokens


def test_gives_up_after_its_retries():
    """The final error names the number of tries and the last reason."""
    pool = Pool(Flaky(*[TransientModelError("busy")] * 9), QUICK.model_copy(update={"retries": 2}))
    with pytest.raises(ModelError, match=r"gave up after 3 tries.*busy") as caught:
        run(pool)
    assert not isinstance(caught.value, TransientModelError)
    assert (pool.counters.failed_calls, pool.model.calls) == (1, 3)


def test_permanent_and_unknown_errors_are_not_retried():
    """A final ModelError passes as it is; any other exception becomes one with the backend's name."""
    for error, text in (
        (ModelError("bad key"), "bad key"),
        (ZeroDivisionError("oops"), "scripted: ZeroDivisionError: oops"),
    ):
        model = Flaky(error)
        with pytest.raises(ModelError, match=text):
            run(Pool(model, QUICK))
        assert model.calls == 1


def test_slow_call_times_out_and_is_retried():
    """A try over the time limit is given up and counts as transient."""
    notes = []
    pool = Pool(ScriptedModel(ScriptedConfig(latency_s=5)), PoolConfig(timeout_s=0.01, retries=1, backoff_s=0))
    with pytest.raises(ModelError, match=r"gave up after 2 tries.*timeout_s=0.01"):
        run(pool, note=notes.append)
    assert [n.number for n in notes] == [0, 1]
    assert all(0.009 < n.latency < 1 for n in notes)


def test_retry_after_is_honoured_and_bounded():
    """A pause that the server asks for is kept; one beyond the bound ends the call."""
    pool = Pool(Flaky(TransientModelError("429", retry_after_s=0.05)), QUICK)
    start = time.perf_counter()
    run(pool)
    assert time.perf_counter() - start >= 0.05
    far = Pool(Flaky(TransientModelError("429", retry_after_s=500)), QUICK)
    with pytest.raises(ModelError, match="asked to wait 500 s"):
        run(far)


def test_retry_pauses_repeat_by_seed():
    """Jitter is drawn from a named stream: same seed, same pauses; between half and all of the bound."""
    error = TransientModelError("x")

    def pauses(seed):
        tries = Tries("scripted", PoolConfig(backoff_s=1, backoff_max_s=4), seed, Counters())
        return [tries.pause(error, number, 7) for number in range(4)]

    assert pauses(1) == pauses(1) != pauses(2)
    for pause, limit in zip(pauses(3), (1, 2, 4, 4), strict=True):
        assert limit / 2 <= pause <= limit


def test_cancelled_calls_free_their_slots():
    """Cancelling running and waiting calls leaves the pool as good as new."""

    async def main():
        pool = Pool(ScriptedModel(ScriptedConfig(latency_s=30)), PoolConfig(concurrency=2))
        tasks = [asyncio.create_task(pool.generate(PROMPT, Sampling(), s)) for s in range(6)]
        await asyncio.sleep(0.01)
        assert (pool.counters.in_flight, pool.counters.waiting) == (2, 4)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (pool.counters.in_flight, pool.counters.waiting, pool.counters.cancelled) == (0, 0, 2)
        pool.model = ScriptedModel()
        assert len(await asyncio.gather(*[pool.generate(PROMPT, Sampling(), s) for s in range(6)])) == 6

    asyncio.run(main())


def test_finished_try_is_reported_even_if_cancelled_then():
    """An answer that has come in is recorded, though its caller is cancelled before it gets it."""
    notes = []

    async def main():
        pool = Pool(ScriptedModel(), PoolConfig())
        task = asyncio.create_task(pool.generate(PROMPT, Sampling(), 1, notes.append))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(notes) == 1
    assert isinstance(notes[0].answer, Answer)


def test_request_rate_spreads_calls():
    """At 6,000 calls a minute, 100 calls beyond the first second's worth take about a second."""

    async def main():
        limit = RateLimit(6000, None)
        start = time.perf_counter()
        await asyncio.gather(*[limit.wait(0) for _ in range(130)])
        return time.perf_counter() - start

    assert 0.28 < asyncio.run(main()) < 0.6


def test_token_rate_counts_prompt_and_longest_answer():
    """The token bucket takes prompt tokens plus max_tokens of each call."""
    pool = Pool(ScriptedModel(), PoolConfig(tokens_per_minute=60 * 1000))
    start = time.perf_counter()
    run(pool, range(3), max_tokens=500)
    assert 0.5 < time.perf_counter() - start < 1.2


def test_equal_greedy_prompts_share_one_call(tmp_path):
    """In flight at temperature 0 equal prompts make one call; above it each makes its own."""
    for temperature, made in ((0, 1), (0.7, 5)):
        model = Flaky()
        config = CacheConfig(path=str(tmp_path / f"{temperature}.sqlite"), mode="all")
        pool = Pool(model, QUICK, cache=AnswerCache(config))
        notes = []
        answers = run(pool, range(5), note=notes.append, temperature=temperature)
        assert (model.calls, len(notes), pool.counters.calls) == (made, 5, 5)
        assert len({answer.text for answer in answers}) == made
        asyncio.run(pool.close())


def test_shared_call_outlives_its_first_asker(tmp_path):
    """Cancelling who asked first doesn't take the answer from those who share it; cancelling all ends the call."""

    async def main():
        model = ScriptedModel(ScriptedConfig(latency_s=0.03))
        pool = Pool(model, QUICK, cache=AnswerCache(CacheConfig(path=str(tmp_path / "a.sqlite"))))
        tasks = [asyncio.create_task(pool.generate(PROMPT, Sampling(), s)) for s in range(3)]
        await asyncio.sleep(0.005)
        tasks[0].cancel()
        texts = await asyncio.gather(*tasks[1:])
        assert texts[0].text == texts[1].text
        task = asyncio.create_task(pool.generate([*PROMPT, Message("user", "more")], Sampling(), 1))
        await asyncio.sleep(0.005)
        task.cancel()
        await asyncio.sleep(0.005)
        assert pool.counters.in_flight == 0
        assert pool.counters.cancelled == 1

    asyncio.run(main())


def test_cached_calls_cost_nothing(tmp_path):
    """The second time, answer and scores come from the cache: no try at the backend, no cost, one report."""
    cache = AnswerCache(CacheConfig(path=str(tmp_path / "a.sqlite")))
    model = Flaky()
    pool, notes = Pool(model, QUICK, cache=cache), []
    first = run(pool)[0]
    again = run(pool, note=notes.append)[0]
    assert (again.text, again.latency, model.calls, len(notes)) == (first.text, 0.0, 1, 1)
    one = asyncio.run(pool.label_logprobs(PROMPT, ("A", "B"), 1))
    two = asyncio.run(pool.label_logprobs(PROMPT, ("A", "B"), 2))
    assert one.logprobs == two.logprobs
    assert pool.counters.cached == 2
    tokens = pool.tokens
    run(pool)
    assert pool.tokens == tokens


@pytest.mark.benchmark
def test_waves_of_a_slow_model():
    """1,000 calls of 200 ms through 128 slots take at most 1.64 s (8 waves are 1.6 s)."""
    pool = Pool(ScriptedModel(ScriptedConfig(language="en", latency_s=0.2)), PoolConfig(concurrency=128))
    start = time.perf_counter()
    run(pool, range(1000))
    assert time.perf_counter() - start <= 1.64


@pytest.mark.benchmark
def test_own_cost_of_a_call():
    """The pool's own CPU time is under 0.1 ms a call."""

    async def bare():
        model = ScriptedModel(ScriptedConfig(language="en"))
        for seed in range(1000):
            await model.generate(PROMPT, Sampling(), seed)

    def cpu(work):
        start = time.process_time()
        work()
        return time.process_time() - start

    pool = Pool(ScriptedModel(ScriptedConfig(language="en")), PoolConfig(concurrency=128))
    own = min(cpu(lambda: run(pool, range(1000), lambda _: None)) - cpu(lambda: asyncio.run(bare())) for _ in range(3))
    assert own / 1000 < 0.0001
