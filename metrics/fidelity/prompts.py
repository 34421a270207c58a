"""The inverse prompts: one a dimension and label order; everything before the dimension's part is the same in all.

Context and response come first, the label texts last, so that a backend which keeps a shared prefix reads
the long part once (`sim.protocols.PrefixScorer`). Text under study is quoted line by line.
"""

from collections.abc import Sequence

from folkmoot.metrics.fidelity.spaces import LabelSpace
from folkmoot.metrics.fidelity.wording import DIMENSIONS, LABELS, wording
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import line, quote
from folkmoot.sim.rng import digest

Order = tuple[int, int, int]

ORDERS: tuple[Order, ...] = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""The six orders of display: `order[place]` is the label (0 aligned, 1 indeterminate, 2 opposite) shown there."""


def orders(item: str, dimension: str, permutations: int, seed: int = 0) -> tuple[Order, ...]:
    """Display orders for an item's prompts of one dimension: the same at every run (PRISM: one, at random).

    Rotations of one random order come first, then those of its mirror image: with 3 or 6 every label stands
    equally often at each place.

    Args:
        item: its id.
        dimension: one of `DIMENSIONS`.
        permutations: 1 to 6.
        seed: of the run.
    """
    first = ORDERS[digest(seed, "label order", item, dimension)[0] % len(ORDERS)]
    turned = [_turned(order, k) for order in (first, _mirrored(first)) for k in range(3)]
    return tuple(turned[:permutations])


def _turned(order: Order, k: int) -> Order:
    return order[k % 3], order[(k + 1) % 3], order[(k + 2) % 3]


def _mirrored(order: Order) -> Order:
    return order[2], order[1], order[0]


def shared_part(context: str, response: str, space: LabelSpace, *, show_persona: bool = False) -> str:
    """What all prompts of a response begin with."""
    words = wording(space.language)
    parts = [f"{words.context}\n{quote(context) if context.strip() else words.nothing}"]
    if show_persona:
        parts.append(f"{words.persona}\n{quote(space.persona)}")
    parts.append(f"{words.response}\n{quote(response)}\n\n{words.options}")
    return "\n\n".join(parts)


def dimension_part(space: LabelSpace, dimension: str, order: Order) -> str:
    """What differs: the dimension's question and the label texts in their order of display."""
    words = wording(space.language)
    texts = space.texts[dimension]
    shown = "\n".join(f"{letter}) {line(texts[label])}" for letter, label in zip(LABELS, order, strict=True))
    answer = words.answer.format(letters=", ".join(LABELS))
    return f"{words.dimensions[dimension].question}\n{shown}\n{answer}"


def inverse_prompts(shared: str, space: LabelSpace, plan: Sequence[tuple[str, Order]]) -> list[tuple[Message, ...]]:
    """One chat a (dimension, order) of the plan; they share everything up to the dimension's part."""
    intro = Message("system", wording(space.language).intro)
    return [(intro, Message("user", f"{shared}\n{dimension_part(space, d, order)}")) for d, order in plan]


def prompt_plan(item: str, permutations: int, seed: int) -> list[tuple[str, Order]]:
    """(dimension, order) of every prompt of an item."""
    return [(d, order) for d in DIMENSIONS for order in orders(item, d, permutations, seed)]
