"""Questions about a person: who asks them, and answers of one JSON object."""

from folkmoot.agents.profiles.answers import json_object
from folkmoot.agents.profiles.prompts import reading_prompt
from folkmoot.sim.asking import Asker, UnusableAnswer
from folkmoot.sim.protocols import Answer, LanguageModel, Message
from folkmoot.sim.quoting import line


def reading_asker(model: LanguageModel, max_tokens: int, seed: int, skip_failures: bool = False) -> Asker:
    """Asks the model about people; its arguments are an Asker's."""
    return Asker(model, max_tokens, seed, "reading", _repair, skip_failures)


def _repair(fault: UnusableAnswer) -> Message:
    return Message("user", reading_prompt("repair").render(reason=line(str(fault))[:300]))


def read_object(answer: Answer) -> dict[str, object]:
    """The JSON object of an answer."""
    return json_object(answer.text, finished=answer.finish != "length")
