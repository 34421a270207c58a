"""Evaluators whose answers are known: one that knows the truth, one that guesses, one that loves a place."""

import math

from folkmoot.sim.protocols import LabelScores
from folkmoot.sim.rng import uniform


class Scores:
    """A language model that only scores labels; `choose(prompt text)` -> weights of the three displayed places."""

    name = "oracle"
    repeatable = True
    window = 4096

    def __init__(self, choose):
        self.choose = choose
        self.prompts = []

    def count_tokens(self, messages):
        """Words."""
        return sum(len(message.content.split()) for message in messages)

    async def label_logprobs(self, messages, labels, seed):
        """Logs of the chosen weights."""
        self.prompts.append(messages)
        weights = self.choose(messages[-1].content)
        return LabelScores(logprobs=tuple(math.log(weight) for weight in weights))

    async def close(self):
        """Nothing to free."""


def shown(prompt):
    """The displayed label texts of a prompt, in order."""
    lines = prompt.splitlines()
    return [next(line[3:] for line in lines if line.startswith(f"{letter}) ")) for letter in "ABC"]


def knows(truth):
    """Prefers the label text that `truth(prompt)` names."""
    return Scores(lambda prompt: [0.9 if text == truth(prompt) else 0.05 for text in shown(prompt)])


def guesses(seed=0):
    """Weights drawn from the prompt alone."""
    return Scores(lambda prompt: [uniform(seed, prompt, place) for place in range(3)])


def likes_first():
    """Always the first place, whatever stands there."""
    return Scores(lambda _: [0.8, 0.1, 0.1])
