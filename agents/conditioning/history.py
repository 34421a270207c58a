"""The conditioning method `history`: the author's own earlier comments in other threads."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from folkmoot.agents.conditioning.base import Base, FitConfig, abridged
from folkmoot.agents.conditioning.compose import Prompt, compose
from folkmoot.agents.conditioning.fit import Fit
from folkmoot.agents.conditioning.scene import Recalled, Scene
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Persona
from folkmoot.sim.quoting import line, quote


class EarlierConfig(FitConfig):
    """Of methods that use earlier comments.

    Attributes:
        min_history: fewest earlier comments that a persona must have.
    """

    min_history: int = Field(default=5, ge=1)

    @property
    def most(self) -> int:
        """Comments shown at most; 0 shows none."""
        return 0


class HistoryConfig(EarlierConfig):
    """How much history, and whose.

    Attributes:
        min_history: fewest earlier comments that a persona must have.
        max_history: most comments shown; a persona with more has so many drawn at each activation.
        remember: the author's own comments of this simulation join the history (not in the paper).
    """

    name: Literal["history"] = "history"
    max_history: int = Field(default=20, ge=1)
    remember: bool = False

    @property
    def most(self) -> int:
        """Comments shown at most."""
        return self.max_history

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_history < self.min_history:
            raise ConfigError(
                f"condition.max_history={self.max_history} is below condition.min_history={self.min_history}; "
                "raise the one or lower the other"
            )
        return self


class Earlier(Base):
    """A method that needs earlier comments of the author."""

    def __init__(self, config: EarlierConfig) -> None:
        super().__init__(config)
        self._least = config.min_history

    def check(self, persona: Persona) -> None:
        """Needs enough earlier comments."""
        if persona.history_size < self._least:
            raise ConfigError(
                f"condition {self.name!r}: persona {persona.id!r} has {persona.history_size} earlier comments, at "
                f"least {self._least} are needed; leave the persona out, lower condition.min_history, "
                "or use condition=base"
            )


class History(Earlier):
    """The comments that were recalled, grouped by thread, each thread under its title."""

    name: ClassVar[str] = "history"

    def messages(self, persona: Persona, scene: Scene, fit: Fit) -> Prompt:
        """The prompt, with what was recalled for this scene."""
        self.check(persona)
        items = [item_text(item) for item in scene.recalled]
        return compose(
            abridged(scene, self.config.max_article_words), "", fit, history=items, most=self.config.max_comments
        )


def item_text(item: Recalled) -> str:
    """One history item: the thread's title, then the comments, with an empty line between them."""
    return f"In the thread “{line(item.title)}”:\n" + "\n\n".join(quote(comment.text) for comment in item.comments)
