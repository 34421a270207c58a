"""The other half of the vocabulary: who acts.

Trait names and allowed values are those of the Wiki-Talkie paper (section on behavioural traits).
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from folkmoot.sim.errors import ConfigError, did_you_mean

NOT_DEDUCIBLE = "Not-deducible"

TRAITS: dict[str, tuple[str, ...]] = {
    "tone_management": (
        "Neutral and procedural",
        "Conciliatory and polite",
        "Firm and directive",
        "Confrontational",
    ),
    "consensus_orientation": (
        "Actively seeks compromise",
        "Willing to compromise with conditions",
        "Defends position until consensus shifts",
        "Prioritizes enforcement over consensus",
    ),
    "agreement_strategy": (
        "Explicit endorsement with reasoning",
        "Brief affirmation",
        "Conditional agreement",
        "Agreement with modification proposal",
        "Neutral acknowledgment",
    ),
    "disagreement_strategy": (
        "Clarification-seeking",
        "Policy-based objection",
        "Assertion of violation",
        "Compromise-oriented",
        "De-escalation-focused",
    ),
    "informing_strategy": (
        "Personal knowledge or expertise claims",
        "Citation of Wikipedia policies or guidelines",
        "External reliable sources",
        "Article text excerpts or diffs",
        "Logical or procedural reasoning",
    ),
    "policy_usage": (
        "Frequent explicit citation",
        "Occasional citation",
        "Implicit norm-based reasoning",
        "Rare or no policy reference",
    ),
    "editing_behavior": (
        "Proposes specific edits",
        "Performs edits and reports them",
        "Requests others to edit",
        "Recommends reverts or closures",
        "Avoids editing and focuses on discussion",
    ),
    "writing_style": (
        "Long, detailed comments",
        "Short, concise comments",
        "Bullet-pointed structure",
        "Question-led structure",
        "Action-oriented closings",
        "Informal conversational tone",
        "Formal procedural tone",
        "Includes emojis or informal symbols",
        "Polite or hedging language",
        "Assertive or directive language",
    ),
}
"""The eight behavioural dimensions and their allowed values; each also allows Not-deducible."""

MANY_VALUED = ("editing_behavior", "writing_style")
"""The dimensions that may hold several values."""


class Frozen(BaseModel):
    """Base of the immutable records: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Trait(Frozen):
    """One behavioural dimension of a user: its values and the reasoning behind them."""

    values: tuple[str, ...]
    reasoning: str = ""


class Attributes(Frozen):
    """What a user page states, field by field (Wiki-Talkie, user page -> profile)."""

    gender: Literal["man", "woman", "non-binary", "unknown"] = "unknown"
    age_range: Literal["under 18", "18-30", "31-40", "41-60", "over 60", "unknown"] = "unknown"
    location: str = "unknown"
    known_languages: tuple[str, ...] = ()
    education_level: Literal[
        "no formal education", "high school", "undergraduate", "graduate", "postgraduate", "unknown"
    ] = "unknown"
    study_field: str = "unknown"
    profession: str = "unknown"
    hobbies: tuple[str, ...] = ()
    stated_interests: tuple[str, ...] = ()
    registration_year: int | None = None
    contribution_topics: tuple[str, ...] = ()


class HistoryComment(Frozen):
    """One earlier comment of the user; `time` in milliseconds since the epoch, UTC."""

    time: int
    text: str


class HistoryThread(Frozen):
    """A history item: the user's own comments in one other thread, with its title."""

    thread: str
    title: str
    comments: tuple[HistoryComment, ...]


Domain = Literal[
    "sports_outdoor",
    "entertainment",
    "gaming",
    "food_drink",
    "travel_city_exploration",
    "photography_creation",
    "pets",
]

DOMAINS: tuple[Domain, ...] = (
    "sports_outdoor",
    "entertainment",
    "gaming",
    "food_drink",
    "travel_city_exploration",
    "photography_creation",
    "pets",
)
"""The seven domains of interests (SocialPersona, section on the taxonomy)."""


class Interests(Frozen):
    """Domain -> interest tags: those that last, and those of late (SocialPersona)."""

    stable: dict[Domain, tuple[str, ...]] = Field(default_factory=dict)
    recent: dict[Domain, tuple[str, ...]] = Field(default_factory=dict)


class Persona(Frozen):
    """A simulated person, taken from a real one (pseudonymised) or written for a demo.

    Attributes:
        id: the pseudonym; the same name that the person's recorded events carry as actor.
        language: ISO 639-1 code of the community.
        profile: third-person description, "" if none.
        attributes: what the user page states.
        traits: dimension of `TRAITS` -> Trait.
        interests: what the person posts about.
        history: the user's earlier comments, by thread.
        rate_per_day: activations a day; None: the population's fitted rate.
    """

    id: str = Field(min_length=1)
    language: str
    profile: str = ""
    attributes: Attributes = Attributes()
    traits: dict[str, Trait] = Field(default_factory=dict)
    interests: Interests = Interests()
    history: tuple[HistoryThread, ...] = ()
    rate_per_day: float | None = Field(default=None, ge=0)

    @field_validator("traits")
    @classmethod
    def _known_traits(cls, traits: dict[str, Trait]) -> dict[str, Trait]:
        for name, trait in traits.items():
            if name not in TRAITS:
                raise ConfigError(f"unknown trait {name!r}; {did_you_mean(name, TRAITS)}")
            for value in trait.values:
                if value != NOT_DEDUCIBLE and value not in TRAITS[name]:
                    raise ConfigError(f"trait {name}: {value!r} isn't allowed; {did_you_mean(value, TRAITS[name])}")
        return traits

    @property
    def history_size(self) -> int:
        """Number of earlier comments."""
        return sum(len(item.comments) for item in self.history)
