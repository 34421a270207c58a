"""Profiles made with one model, and counted against known ones."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from folkmoot.agents.interests.construct import Builder
from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
from folkmoot.agents.profiles.asking import reading_asker
from folkmoot.metrics.profile.counting import Count, count
from folkmoot.metrics.profile.judging import MatchJudge
from folkmoot.metrics.profile.matching import EncoderLikeness, Likeness, nothing_alike
from folkmoot.metrics.profile.settings import ReadingSettings
from folkmoot.sim.asking import Asker
from folkmoot.sim.persona import Interests
from folkmoot.sim.protocols import LanguageModel


@dataclass(frozen=True, slots=True)
class Profiler:
    """Makes and counts profiles.

    Attributes:
        settings: how.
        model: makes them.
        likeness: how tags that aren't equal are matched; None: by `judge`.
        judge: says which tags are the same; None: the model.
        seed: names the calls' seeds.
        skip_failures: a call that failed for good is a reason, no error.
    """

    settings: ReadingSettings
    model: LanguageModel
    likeness: Likeness | None = nothing_alike
    judge: LanguageModel | None = None
    seed: int = 0
    skip_failures: bool = False

    def asker(self, model: LanguageModel, max_tokens: int) -> Asker:
        """Asks one of the models."""
        return reading_asker(model, max_tokens, self.seed, self.skip_failures)

    def builder(self, language: str) -> Builder:
        """Makes profiles of people who write this language."""
        how = self.settings
        asker = self.asker(self.model, how.max_tokens)
        return Builder(asker, how.prompt, how.input, how.part, how.per_domain, language)

    async def counted(self, user: str, predicted: Interests, gold: Interests) -> tuple[dict[str, Count], Counter[str]]:
        """Counts of a predicted profile against a gold one, made in a thread, and what couldn't be judged.

        Raises:
            ModelError: a judge's call failed for good, unless `skip_failures`.
        """
        if self.likeness is not None:
            return await asyncio.to_thread(count, predicted, gold, self.likeness), Counter()
        judge = MatchJudge(self.asker(self.judge or self.model, self.settings.max_tokens))
        likeness, lost = await judge.likeness(user, predicted, gold)
        return count(predicted, gold, likeness), lost

    @property
    def matching(self) -> str:
        """How tags are matched, in words."""
        if self.likeness is None:
            return f"judge {(self.judge or self.model).name}"
        return self.likeness.name if isinstance(self.likeness, EncoderLikeness) else "exact"


def likeness_of(settings: ReadingSettings, encoder: EncoderConfig) -> Likeness | None:
    """How tags are matched; None: by a judge.

    Raises:
        ModelMissing: the encoder's weights aren't there.
    """
    if settings.match == "judge":
        return None
    return nothing_alike if settings.match == "exact" else EncoderLikeness(SentenceEncoder(encoder), settings.threshold)
