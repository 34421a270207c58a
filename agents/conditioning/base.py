"""The conditioning method `base`: a Wikipedia editor, nothing else. Also the shape of every method."""

from typing import ClassVar, Literal

from pydantic import Field

from folkmoot.agents.conditioning.compose import Prompt, compose
from folkmoot.agents.conditioning.fit import Fit
from folkmoot.agents.conditioning.scene import Scene
from folkmoot.agents.prompts import template
from folkmoot.sim.persona import Frozen, Persona


class FitConfig(Frozen):
    """What every conditioning method may be told.

    Attributes:
        max_prompt_tokens: bound on the prompt, in tokens, below the model's own window less the
            reserved tokens; None leaves the window alone.
        max_comments: show the opening and the newest comments only, so many in all; None, as in the paper, shows all.
        max_article_words: show the article's first words only; None, as in the paper, shows all that fits.
    """

    max_prompt_tokens: int | None = Field(default=None, ge=64)
    max_comments: int | None = Field(default=None, ge=2)
    max_article_words: int | None = Field(default=None, ge=0)


def abridged(scene: Scene, words: int | None) -> Scene:
    """The scene with the first `words` words of its article, marked as cut."""
    if words is None or len(scene.article.split()) <= words:
        return scene
    cut = " ".join(scene.article.split()[:words])
    return scene._replace(article=f"{cut}\n{template('truncated').render()}" if words else "")


class BaseConfig(FitConfig):
    """`base` has nothing more to set."""

    name: Literal["base"] = "base"


class Base:
    """The shape of a conditioning method, and the method that knows nothing of the person.

    A method that needs persona data overrides `check`, or `bare`, and `persona_block`.
    """

    name: ClassVar[str] = "base"

    def __init__(self, config: FitConfig) -> None:
        self.config = config

    def check(self, persona: Persona) -> None:
        """Whether the method can be used for this persona.

        Raises:
            ConfigError: the persona lacks what the method shows.
        """

    def bare(self, persona: Persona) -> bool:  # noqa: ARG002 -- the hook's signature
        """Whether there is nothing of this persona to show, which is no hindrance: its prompts are those of `base`."""
        return False

    def persona_block(self, persona: Persona) -> str:  # noqa: ARG002 -- the hook's signature
        """The text that says who the author is, "" for none."""
        return ""

    def messages(self, persona: Persona, scene: Scene, fit: Fit) -> Prompt:
        """The prompt for this moment.

        Raises:
            ConfigError: the persona lacks what the method shows.
        """
        self.check(persona)
        return compose(
            abridged(scene, self.config.max_article_words),
            self.persona_block(persona),
            fit,
            most=self.config.max_comments,
        )
