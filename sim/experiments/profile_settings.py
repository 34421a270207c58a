"""Settings of the experiments `profile` and `dialogue` (SocialPersona)."""

from typing import Literal

from pydantic import Field

from folkmoot.agents.interests.construct import Setting, Style
from folkmoot.agents.interests.posts import Input
from folkmoot.agents.interests.respond import Intent
from folkmoot.agents.llm.build import LLMConfig
from folkmoot.metrics.profile.matching import THRESHOLD
from folkmoot.sim.persona import Frozen


class InterestTask(Frozen):
    """What both experiments have in common.

    Attributes:
        prompt: asks for few, broad tags (conservative) or for all, as specific as may be (neutral).
        input: what is shown of a post.
        part: posts of a part (hierarchical, temporal).
        per_domain: posts picked for a domain (extractive_abstractive).
        match: how tags that aren't equal are matched: by `embedding`, by a `judge` model, or not at all (`exact`).
        threshold: cosine from which on two tags are the same (match=embedding).
        judges: name -> model; none: the run's own model judges.
        gold: file of gold profiles (`folkmoot profile verified`); "": the interests of the corpus's personas.
        max_users: so many users, drawn by `sample_seed`; None: all.
        min_domains: active domains of a gold profile, at least; others aren't asked about.
        max_posts, years: the latest posts of a timeline that count (paper: 200 of two years).
        max_tokens: of an answer.
        users_at_once: worked on together; a stopped run goes on behind the last whole batch.
        sample_seed: names the sample, so that runs with other seeds meet the same users.
        draws: of the intervals.
    """

    prompt: Style = "conservative"
    input: Input = "full"
    part: int = Field(default=20, ge=1)
    per_domain: int = Field(default=12, ge=1)
    match: Literal["embedding", "judge", "exact"] = "embedding"
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    judges: dict[str, LLMConfig] = Field(default_factory=dict)
    gold: str = ""
    max_users: int | None = Field(default=None, ge=1)
    min_domains: int = Field(default=3, ge=1, le=7)
    max_posts: int = Field(default=200, ge=1)
    years: float = Field(default=2, gt=0)
    max_tokens: int = Field(default=1024, ge=16)
    users_at_once: int = Field(default=4, ge=1)
    sample_seed: int = Field(default=1, ge=0)
    draws: int = Field(default=1000, ge=10)


class ProfileConfig(InterestTask):
    """The `profile` experiment: a profile of stable and recent interests from each timeline.

    Attributes:
        setting: how the timeline is worked through.
    """

    name: Literal["profile"] = "profile"
    setting: Setting = "direct"


class DialogueConfig(InterestTask):
    """The `dialogue` experiment: one answer to one request a user, judged against the gold profile.

    Attributes:
        context: the timeline itself, or the profile that a setting makes of it.
        intent: what the request is after: lasting interests, or new ones.
        response_tokens, judge_tokens: of an answer.
    """

    name: Literal["dialogue"] = "dialogue"
    context: Literal["timeline", "direct", "hierarchical", "extractive_abstractive"] = "timeline"
    intent: Intent = "stable"
    response_tokens: int = Field(default=300, ge=16)
    judge_tokens: int = Field(default=100, ge=16)
