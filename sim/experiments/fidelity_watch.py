"""Persona fidelity of a run's communities: the evaluator, a feed a community, and what is written of it.

`fidelity/COMMUNITY.jsonl` holds a line a scored text, as it comes; `fidelity/COMMUNITY.html` the evidence, at the end.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.fidelity.ledger import BESIDE, NAME, published
from folkmoot.metrics.fidelity.live import FidelityFeed, spaces_of
from folkmoot.metrics.fidelity.live_page import live_page
from folkmoot.metrics.fidelity.live_report import joined, section
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.experiments.watch import OnPoint, Watch
from folkmoot.sim.runs import Run


class FidelityWatch(Watch[FidelityFeed]):
    """Watches one community.

    Args:
        config: of the run; it has the monitor.
        place: the community.
        run: where the files go.
        evaluator: scores the label texts.
        counting: what counts as simulated.
        on_point: told of publish points; numbers of single agents are left out.
    """

    def __init__(
        self, config: RunConfig, place: Place, run: Run, evaluator: Pool, counting: Counting, on_point: OnPoint
    ) -> None:
        assert config.monitor.fidelity is not None  # the caller asked for it
        super().__init__(place.name, run.fidelity, on_point, ("fidelity.agent.",))
        self._run = run
        self.feed = FidelityFeed(
            config.monitor.fidelity,
            {persona.id: persona for persona in place.personas},
            evaluator,
            counting=counting,
            seed=config.seed,
            on_publish=self._published,
            on_scored=self._made,
            reread=run.events,
        )

    async def finish(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Score what is left, write the page; the summary with the section."""
        await self.feed.finish()
        found = section(self.feed)
        title = f"Persona fidelity in {self.community}"
        page = live_page(title, found, self.feed.spaces, self._run.events(), self.feed.config.context)
        self._path("html").write_text(page, encoding="utf-8")
        return joined(summary, found)


def check_alarms(config: RunConfig, places: Sequence[Place]) -> None:
    """Refuse thresholds on numbers that no community has, before a run starts; a group may stand in one of them alone.

    Raises:
        ConfigError: there is such a threshold, or a persona's language has no evaluation prompts.
    """
    settings = config.monitor.fidelity
    if settings is None:
        return
    known: set[str] = set()
    for place in places:
        personas = {persona.id: persona for persona in place.personas}
        known |= published(settings, {agent: settings.group_of(personas[agent]) for agent in spaces_of(personas)})
    for alarm in settings.alarms:
        alarm.check(NAME, known, BESIDE)
