"""A model describes an image in a sentence; what it says is hostile text, and kept short and on one line."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from folkmoot.environments.corpora.captions.images import NotShown, grey
from folkmoot.environments.corpora.captions.media import MediaFolder
from folkmoot.environments.corpora.captions.refusals import NONE, refuses, says_none
from folkmoot.environments.corpora.modelpass import Prompts, pass_asker
from folkmoot.environments.corpora.privacy import check_profile
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.asking import Reply, UnusableAnswer
from folkmoot.sim.errors import ModelError, RequestRefused
from folkmoot.sim.protocols import Answer, Message, Sampling
from folkmoot.sim.quoting import line
from folkmoot.sim.vision import Image, VisionModel

PROMPTS = Prompts(Path(__file__).parent, "captions")
LONGEST = 300
"""Characters of a caption."""
TOKENS = 120

DESCRIBED = "described"
REFUSED = "that the server refused"
WORDLESS = "of which the model said nothing"
TOO_LONG = f"of which the model said more than {LONGEST} characters"
ITSELF = "of which the model spoke of itself, or of no image"
NOTHING = "of which the model could describe nothing"
PRIVATE = "of which the model wrote something private"

_JOINERS = "\u200c\u200d"
"""Invisible, but part of honest writing."""
_LABEL = re.compile(r"^(?:image )?(?:caption|description)\s*:\s*", re.IGNORECASE)
_QUOTES = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e"


@dataclass(frozen=True, slots=True)
class Described:
    """What became of an image: its caption and DESCRIBED, or why there is none."""

    caption: str
    reason: str
    repaired: bool = False


class Captioner:
    """Describes the images of a folder.

    Args:
        model: that sees; in a pool with a cache every answer is kept by the image's bytes.
        folder: where the images lie.
        language: ISO 639-1 code of the captions.
        seed: names the calls' seeds.

    Raises:
        ModelError: it is known that the model reads text alone.
        ConfigError: an unknown language.
    """

    def __init__(self, model: VisionModel, folder: MediaFolder, language: str = "en", seed: int = 0) -> None:
        if not model.sees:
            raise ModelError(f"{model.name} reads text alone; {_SEEING}")
        self._model, self._folder = model, folder
        self._asker = pass_asker(model, TOKENS, seed, "captions", "one short sentence about the image")
        system = PROMPTS.system.format(language=load_language(language).name, none=NONE)
        self._messages = [Message("system", system), Message("user", PROMPTS.task)]

    @property
    def name(self) -> str:
        """Of the model."""
        return self._model.name

    @property
    def notes(self) -> Mapping[str, int]:
        """Of the folder: files that could be nobody's, by reason."""
        return +self._folder.notes

    async def check(self) -> None:
        """Show the model a grey square, before anybody's image.

        Raises:
            ModelError: it refuses images, or can't be reached.
        """
        try:
            await self._model.look(self._messages, [grey()], Sampling(max_tokens=TOKENS), 0)
        except RequestRefused as error:
            raise ModelError(f"{self.name} takes no images: {error}; {_SEEING}") from error

    async def describe(self, key: str) -> Described:
        """The caption of the image with this hash.

        Raises:
            ModelError: a call failed for good, not because of the image.
        """
        try:
            image = self._folder.image(key)
            reply = await self._ask(image)
        except NotShown as reason:
            return Described("", str(reason))
        except RequestRefused:
            return Described("", REFUSED)
        if not reply.value:
            return Described("", reply.reason or NOTHING)
        return Described(reply.value, DESCRIBED, reply.repaired)

    async def _ask(self, image: Image) -> Reply[str]:
        async def look(messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
            return await self._model.look(messages, [image], sampling, seed)

        return await self._asker.ask(self._messages, read_caption, (sha256(image.data).hexdigest(),), look)


_SEEING = "take a model that sees, by llm=server or llm=litellm"


def read_caption(answer: Answer) -> str:
    r"""The sentence of an answer, on one line, without invisible characters, marks of chats and quotes around it.

    "" where the model says that nothing can be described.

    Raises:
        UnusableAnswer: it has no words, too many, or private ones, or speaks of the model or of having no image.

    >>> read_caption(Answer(text='Caption: "A cup\n of tea."'))
    'A cup of tea.'
    """
    visible = "".join(c for c in answer.text if c.isspace() or c in _JOINERS or unicodedata.category(c)[0] != "C")
    text = _LABEL.sub("", line(visible)).strip(_QUOTES + " ")
    if not any(map(str.isalpha, text)):
        raise UnusableAnswer(WORDLESS, "it holds no words")
    if len(text) > LONGEST:
        raise UnusableAnswer(TOO_LONG, f"it is longer than {LONGEST} characters")
    if says_none(text):
        return ""
    if refuses(text):
        raise UnusableAnswer(ITSELF, f"it says nothing of the image; where nothing can be described, write {NONE}")
    if found := check_profile(text, ""):
        raise UnusableAnswer(PRIVATE, f"it holds {', '.join(found)}; leave that out")
    return text
