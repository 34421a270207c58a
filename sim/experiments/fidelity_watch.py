"""Persona fidelity of a run's communities: the evaluator, a feed a community, and what is written of it.

`fidelity/COMMUNITY.jsonl` holds a line a scored text, as it comes; `fidelity/COMMUNITY.html` the evidence, at the end.
"""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import msgspec

from folkmoot.agents.llm.build import build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.annotations import file_name
from folkmoot.metrics.fidelity.live import FidelityFeed
from folkmoot.metrics.fidelity.live_page import live_page
from folkmoot.metrics.fidelity.live_report import section
from folkmoot.metrics.fidelity.scored import ScoredText
from folkmoot.metrics.records import Point, Record
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run

OnPoint = Callable[[int, Mapping[str, float]], object]


class FidelityWatch:
    """Watches one community; an async context in which its feed reads what is committed.

    Args:
        config: of the run; it has the monitor.
        place: the community.
        run: where the files go.
        evaluator: scores the label texts.
        counting: what counts as simulated.
        on_point: called at every publish point with the texts so far and the numbers, those of single agents left out.

    Attributes:
        records: points and alarms, in order.
    """

    def __init__(
        self, config: RunConfig, place: Place, run: Run, evaluator: Pool, counting: Counting, on_point: OnPoint
    ) -> None:
        assert config.monitor.fidelity is not None  # the caller asked for it
        self.records: list[Record] = []
        self._place, self._run, self._on_point = place, run, on_point
        self._files = AsyncExitStack()
        self._out: Any = None
        self.feed = FidelityFeed(
            config.monitor.fidelity,
            {persona.id: persona for persona in place.personas},
            evaluator,
            counting=counting,
            seed=config.seed,
            on_publish=self._published,
            on_scored=self._scored,
            reread=run.events,
        )

    async def __aenter__(self) -> Self:
        self._run.fidelity.mkdir(exist_ok=True)
        name = f"{file_name(self._place.name)}.jsonl"
        self._out = self._files.enter_context((self._run.fidelity / name).open("wb"))
        await self._files.enter_async_context(self.feed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._files.__aexit__(kind, error, trace)

    async def finish(self) -> dict[str, Any]:
        """Score what is left, write the page, and give the report's section."""
        await self.feed.finish()
        found = section(self.feed)
        title = f"Persona fidelity in {self._place.name}"
        page = live_page(title, found, self.feed.spaces, self._run.events(), self.feed.config.context)
        (self._run.fidelity / f"{file_name(self._place.name)}.html").write_text(page, encoding="utf-8")
        return found

    def _published(self, record: Record) -> None:
        self.records.append(record)
        if isinstance(record, Point):
            values = {name: value for name, value in record.values.items() if not name.startswith("fidelity.agent.")}
            self._on_point(record.n, values)

    def _scored(self, text: ScoredText) -> None:
        self._out.write(msgspec.json.encode(text) + b"\n")
        self._out.flush()


def evaluator_of(config: RunConfig, own: Pool) -> tuple[Pool, bool]:
    """The evaluator of a run, and whether it is a backend of its own, to be closed with the monitors.

    Raises:
        ModelMissing: its package or weights aren't installed.
    """
    assert config.monitor.fidelity is not None
    given = config.monitor.fidelity.evaluator
    return (own, False) if given is None else (build_pool(given, config.seed), True)
