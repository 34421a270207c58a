"""Recovery of interests in a run's communities: who is asked about, a feed a community, and what is written of it.

`recovery/COMMUNITY.jsonl` holds a line a profile, as it is made; `recovery/COMMUNITY.html` shows them person by person.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from folkmoot.agents.llm.pool import Pool
from folkmoot.metrics.profile.matching import Likeness
from folkmoot.metrics.profile.profiler import Profiler
from folkmoot.metrics.profile.timelines import User, known_users, sampled, timelines
from folkmoot.metrics.recovery.config import RecoveryMonitorConfig
from folkmoot.metrics.recovery.live import RecoveryFeed
from folkmoot.metrics.recovery.page import recovery_page
from folkmoot.metrics.recovery.report import joined, section
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.experiments.watch import OnPoint, Watch
from folkmoot.sim.runs import Run


class RecoveryWatch(Watch[RecoveryFeed]):
    """Watches one community.

    Args:
        config: of the run; it has the monitor.
        place: the community.
        run: where the files go.
        evaluator: makes the profiles.
        counting: what counts as simulated.
        on_point: told of publish points.
        likeness: how tags are matched, of all communities; None: by the evaluator.
    """

    def __init__(
        self,
        config: RunConfig,
        place: Place,
        run: Run,
        evaluator: Pool,
        counting: Counting,
        on_point: OnPoint,
        *,
        likeness: Likeness | None,
    ) -> None:
        settings = config.monitor.recovery
        assert settings is not None  # the caller asked for it
        super().__init__(place.name, run.recovery, on_point)
        self._evaluator = evaluator
        people, self._losses = people_of(settings, place)
        self.feed = RecoveryFeed(
            settings,
            people,
            Profiler(settings, evaluator, likeness, seed=config.seed, skip_failures=True),
            counting=counting,
            seed=config.seed,
            on_publish=self._published,
            on_made=self._made,
            reread=run.events,
        )

    async def finish(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Read what is left, write the page; the summary with the section."""
        await self.feed.finish()
        found = section(self.feed, self._losses)
        ledger = self.feed.ledger
        page = recovery_page(f"Recovered interests in {self.community}", found, ledger.made, ledger.scored())
        self._path("html").write_text(page, encoding="utf-8")
        return joined(summary, found | {"calls": asdict(self._evaluator.counters)})


def people_of(settings: RecoveryMonitorConfig, place: Place) -> tuple[list[User], Counter[str]]:
    """The personas that are asked about, with their real timelines, and why others aren't."""
    losses: Counter[str] = Counter()
    known = timelines(place.corpus, settings, Counter())
    personas = {persona.id: persona for persona in place.personas}
    posts = {name: known[name] for name in personas if name in known}
    losses["people without real posts of their own words"] = len(personas) - len(posts)
    golds = {name: persona.interests for name, persona in personas.items()}
    users = known_users(place.corpus, posts, golds, settings.min_domains, losses)
    asked = sampled(users, settings)
    losses["people who aren't in the sample of max_users"] = len(users) - len(asked)
    return asked, +losses


def check_people(config: RunConfig, places: Sequence[Place]) -> None:
    """Tell before a run starts that it has nobody whose interests could be recovered.

    Raises:
        ConfigError: of a community.
    """
    settings = config.monitor.recovery
    if settings is None:
        return
    for place in places:
        people, losses = people_of(settings, place)
        if not people:
            why = "; ".join(f"{count} {reason}" for reason, count in losses.items()) or "nobody has posts"
            raise ConfigError(
                f"monitor=recovery: {place.name} has 0 people to ask about, at least 1 is needed ({why}); give a "
                "corpus whose people have interests (corpus.interests=FILE), or lower monitor.recovery.min_domains"
            )
