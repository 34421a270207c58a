"""The conditioning method `base`: a Wikipedia editor, nothing else. Also the shape of every method."""

from typing import ClassVar, Literal

from pydantic import Field

from folkmoot.agents.conditioning.compose import Prompt, compose
from folkmoot.agents.conditioning.fit import Fit
from folkmoot.agents.conditioning.scene import Scene
from folkmoot.sim.persona import Frozen, Persona


class FitConfig(Frozen):
    """What every conditioning method may be told.

    Attributes:
        max_prompt_tokens: bound on the prompt, in tokens, below the model's own window less the
            reserved tokens; None leaves the window alone.
        max_comments: show the opening and the newest comments only, so many in all; None, as in the paper, shows all.
    """

    max_prompt_tokens: int | None = Field(default=None, ge=64)
    max_comments: int | None = Field(default=None, ge=2)


class BaseConfig(FitConfig):
    """`base` has nothing more to set."""

    name: Literal["base"] = "base"


class Base:
    """The shape of a conditioning method, and the method that knows nothing of the person.

    A method that needs persona data overrides `check` and `persona_block`.
    """

    name: ClassVar[str] = "base"

    def __init__(self, config: FitConfig) -> None:
        self.config = config

    def check(self, persona: Persona) -> None:
        """Whether the method can be used for this persona.

        Raises:
            ConfigError: the persona lacks what the method shows.
        """

    def persona_block(self, persona: Persona) -> str:  # noqa: ARG002 -- the hook's signature
        """The text that says who the author is, "" for none."""
        return ""

    def messages(self, persona: Persona, scene: Scene, fit: Fit) -> Prompt:
        """The prompt for this moment.

        Raises:
            ConfigError: the persona lacks what the method shows.
        """
        self.check(persona)
        return compose(scene, self.persona_block(persona), fit, most=self.config.max_comments)
