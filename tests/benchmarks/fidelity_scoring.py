"""What scoring one response costs: the shared prefix against nine separate calls, six label orders against one.

Run as a program it prints one JSON object:
    python fidelity_scoring.py transformers|embedded RESPONSES ROUNDS
All ways take turns in one run on the same responses. Times are CPU seconds of the process on one thread, which other
work on the machine disturbs least.
"""

import asyncio
import json
import sys
import time
from statistics import median

from folkmoot.agents.llm.embedded import EmbeddedConfig, EmbeddedModel
from folkmoot.agents.llm.scoring import shared_prefix
from folkmoot.agents.llm.transformers_ import TransformersConfig, TransformersModel
from folkmoot.metrics.fidelity.evaluator import Evaluator, Item
from folkmoot.metrics.fidelity.evidence import gather
from folkmoot.metrics.fidelity.prompts import inverse_prompts, prompt_plan, shared_part
from folkmoot.metrics.fidelity.spaces import trait_space
from folkmoot.metrics.fidelity.wording import LABELS
from folkmoot.sim.protocols import LabelScores

PREFIX = 600
"""Tokens that all prompts of a response share, at least."""

BLOCK = 100
"""Tokens of a dimension's own part, at most."""

_SAID = (
    "We could take the old road along the river and see where it leads, number {}, though the map says little of it."
)


def responses(count, model):
    """Items whose prompts share `PREFIX` tokens or a little more, each of its own text."""
    made = []
    for k in range(count):
        lines = [_SAID.format(f"{k}-{n}") for n in range(3)]
        item = Item(f"item{k}", trait_space("openness", "high"), "", "Yes, let us try it and write down what we find.")
        while True:
            item = Item(item.id, item.space, "\n".join(lines), item.response)
            shared, block = sizes(item, model)
            if shared >= PREFIX:
                assert block <= BLOCK, f"a label block of {block} tokens"
                break
            lines.append(_SAID.format(f"{k}-{len(lines)}"))
        made.append(item)
    return made


def prompts_of(item, permutations=1):
    """Plan and chats of an item, as the evaluator makes them."""
    plan = prompt_plan(item.id, permutations, 0)
    return plan, inverse_prompts(shared_part(item.context, item.response, item.space), item.space, plan)


def sizes(item, model):
    """Tokens of the shared prefix, and of the longest rest."""
    ids = [model._chat.prompt(prompt) for prompt in prompts_of(item, 6)[1]]
    shared = shared_prefix(ids)
    return shared, max(map(len, ids)) - shared


async def separate(model, item):
    """One call a dimension and label, one after the other."""
    plan, prompts = prompts_of(item)
    scores = []
    for prompt in prompts:
        values = [(await model.label_logprobs(prompt, (label,), 0)).logprobs[0] for label in LABELS]
        scores.append(LabelScores(logprobs=tuple(values)))
    return gather(item.id, plan, scores)


async def together(model, item, permutations=1):
    """As the evaluator does it."""
    return (await Evaluator(model, permutations=permutations).score([item]))[0]


async def timed(call):
    """Result and CPU seconds."""
    start = time.process_time()
    return await call, time.process_time() - start


async def measure(model, count, rounds):
    """Ratios of each response and round, and the largest difference of probabilities."""
    items = responses(count, model)
    await timed(together(model, items[0]))  # loads the weights
    nine, six, off, seconds = [], [], 0.0, []
    for _ in range(rounds):
        for item in items:
            one, fast = await timed(together(model, item))
            slow_one, slow = await timed(separate(model, item))
            _, all_orders = await timed(together(model, item, 6))
            nine.append(slow / fast)
            six.append(all_orders / fast)
            seconds.append(fast)
            off = max(off, *(abs(a - b) for d in one.q for a, b in zip(one.q[d], slow_one.q[d], strict=True)))
    return {
        "shared_tokens": min(sizes(item, model)[0] for item in items),
        "block_tokens": max(sizes(item, model)[1] for item in items),
        "nine_calls_over_one": nine,
        "six_orders_over_one": six,
        "difference": off,
        "responses_per_cpu_s": 1 / median(seconds),
    }


async def main(backend, count, rounds):
    """Measure and print."""
    if backend == "embedded":
        model = EmbeddedModel(EmbeddedConfig(window=2048, threads=1))
    else:
        import torch

        torch.set_num_threads(1)
        model = TransformersModel(TransformersConfig(device="cpu", dtype="float32"))
    try:
        sys.stdout.write(json.dumps(await measure(model, count, rounds)) + "\n")
    finally:
        await model.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
