"""Who asks about the items of a pass."""

from folkmoot.sim.asking import Asker, UnusableAnswer
from folkmoot.sim.protocols import LanguageModel, Message
from folkmoot.sim.quoting import line

OBJECT = "the whole JSON object"
LONGEST_FAULT = 300


def pass_asker(model: LanguageModel, max_tokens: int, seed: int, stage: str, wanted: str = OBJECT) -> Asker:
    """Asks the model; `wanted` is what it is to give again where its answer can't be used."""

    def again(fault: UnusableAnswer) -> Message:
        told = line(str(fault))[:LONGEST_FAULT].replace(">", " ")
        return Message("user", f"That cannot be used: {told}. Give {wanted} again, corrected, nothing else.")

    return Asker(model, max_tokens, seed, stage, again)
