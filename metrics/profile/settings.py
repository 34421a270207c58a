"""How profiles are read off timelines, and matched with those that are known (SocialPersona)."""

from typing import Literal

from pydantic import Field

from folkmoot.agents.interests.construct import Setting, Style
from folkmoot.agents.interests.posts import Input
from folkmoot.metrics.profile.matching import THRESHOLD
from folkmoot.sim.persona import Frozen


class ReadingSettings(Frozen):
    """What all that makes profiles has in common.

    Attributes:
        prompt: asks for few, broad tags (conservative) or for all, as specific as may be (neutral).
        input: what is shown of a post.
        part: posts of a part (hierarchical, temporal).
        per_domain: posts picked for a domain (extractive_abstractive).
        match: how tags that aren't equal are matched: by `embedding`, by a `judge` model, or not at all (`exact`).
        threshold: cosine from which on two tags are the same (match=embedding).
        max_users: so many users, drawn by `sample_seed`; None: all.
        min_domains: active domains of a gold profile, at least; others aren't asked about.
        max_posts, years: the latest posts of a timeline that count (paper: 200 of two years).
        max_tokens: of an answer.
        users_at_once: worked on together.
        sample_seed: names the sample, so that runs with other seeds meet the same users.
        draws: of the intervals.
    """

    prompt: Style = "conservative"
    input: Input = "full"
    part: int = Field(default=20, ge=1)
    per_domain: int = Field(default=12, ge=1)
    match: Literal["embedding", "judge", "exact"] = "embedding"
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    max_users: int | None = Field(default=None, ge=1)
    min_domains: int = Field(default=3, ge=1, le=7)
    max_posts: int = Field(default=200, ge=1)
    years: float = Field(default=2, gt=0)
    max_tokens: int = Field(default=1024, ge=16)
    users_at_once: int = Field(default=4, ge=1)
    sample_seed: int = Field(default=1, ge=0)
    draws: int = Field(default=1000, ge=10)

    def calls_of(self, setting: Setting, posts: int) -> int:
        """Calls that one profile takes, repairs and judging aside.

        >>> ReadingSettings(part=10).calls_of("hierarchical", 25)
        4
        """
        parts = -(-posts // self.part)
        return {"direct": 1, "hierarchical": parts + 1, "extractive_abstractive": 2, "temporal": parts + 1}[setting]
