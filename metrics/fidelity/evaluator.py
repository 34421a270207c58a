"""Scoring responses against personas with a language model's label log-probabilities (PRISM, section 3).

All prompts of a response share context and response; a backend that is a `PrefixScorer` reads them once.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.metrics.fidelity.evidence import Evidence, gather
from folkmoot.metrics.fidelity.fitting import LABEL_ROOM, fitted
from folkmoot.metrics.fidelity.prompts import Order, inverse_prompts, prompt_plan, shared_part
from folkmoot.metrics.fidelity.spaces import LabelSpace
from folkmoot.metrics.fidelity.wording import LABELS
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.protocols import LabelScores, LanguageModel, Message, PrefixScorer
from folkmoot.sim.rng import integer
from folkmoot.sim.together import together


@dataclass(frozen=True, slots=True)
class Item:
    """A response to be held against a persona; `context` is what was said before it, "" for nothing."""

    id: str
    space: LabelSpace
    context: str
    response: str


class Evaluator:
    """Scores items; what could not be scored or not in full is counted by reason in `losses`.

    Args:
        model: gives label log-probabilities.
        permutations: label orders a prompt is asked in, 1 (the paper) to 6 (no position bias).
        seed: of the orders, and of backends that sample.
        show_persona: put the persona into the prompt too (the paper's ablation).

    Raises:
        ConfigError: permutations out of range.
    """

    def __init__(
        self, model: LanguageModel, *, permutations: int = 1, seed: int = 0, show_persona: bool = False
    ) -> None:
        if not 1 <= permutations <= 6:  # noqa: PLR2004 -- three labels have six orders
            raise ConfigError(f"permutations={permutations}: three labels have 6 orders; choose 1 to 6")
        self.model = model
        self.losses: Counter[str] = Counter()
        self._permutations = permutations
        self._seed = seed
        self._show_persona = show_persona

    async def score(self, items: Sequence[Item]) -> list[Evidence | None]:
        """Evidence of each item, in order; None for an empty response (counted).

        Raises:
            ModelError: a call failed past its retries.
        """
        return [found for (found,) in await together(self.against(item, (item.space,)) for item in items)]

    async def against(self, item: Item, spaces: Sequence[LabelSpace]) -> list[Evidence | None]:
        """Evidence of an item against each of these personas, all prompts in one call: they share context and response.

        Every persona meets the same orders of display and the same cut, so that their scores compare.

        Raises:
            ModelError: a call failed past its retries.
        """
        if not item.response.strip():
            self.losses["empty response"] += 1
            return [None] * len(spaces)
        plan = prompt_plan(item.id, self._permutations, self._seed)
        prompts, cut = self._fitting(item, spaces, plan)
        if cut:
            self.losses[f"{cut} cut to fit the window"] += 1
        scores = await score_labels(self.model, prompts, LABELS, integer(self._seed, "fidelity", item.id))
        parts = [scores[k : k + len(plan)] for k in range(0, len(scores), len(plan))]
        found: list[Evidence | None] = [gather(item.id, plan, part, cut) for part in parts]
        if any(one is not None and one.censored for one in found):
            self.losses["items with censored labels"] += 1
        return found

    def _fitting(
        self, item: Item, spaces: Sequence[LabelSpace], plan: Sequence[tuple[str, Order]]
    ) -> tuple[list[tuple[Message, ...]], str]:
        """Prompts within the window: the oldest of the context goes first, then the end of the response.

        Raises:
            ConfigError: the label texts alone are over it.
        """
        window = self.model.window

        def prompts(context: str, responses: tuple[str, ...]) -> list[tuple[Message, ...]]:
            shown = [(space, self._shared(context, responses[0], space)) for space in spaces]
            return [prompt for space, shared in shown for prompt in inverse_prompts(shared, space, plan)]

        def fits(context: str, responses: tuple[str, ...]) -> bool:
            longest = max(prompts(context, responses), key=lambda prompt: len(prompt[-1].content))
            return self.model.count_tokens(longest) + LABEL_ROOM <= window

        found = fitted(item.id, item.context, (item.response,), fits)
        return prompts(found.context, found.responses), found.cut

    def _shared(self, context: str, response: str, space: LabelSpace) -> str:
        return shared_part(context, response, space, show_persona=self._show_persona)


async def score_labels(
    model: LanguageModel, prompts: Sequence[Sequence[Message]], labels: Sequence[str], seed: int
) -> list[LabelScores]:
    """Scores of the same labels after each prompt, a shared prefix read once where the backend can."""
    if isinstance(model, PrefixScorer):
        return await model.label_logprobs_many(prompts, labels, seed)
    return await together(model.label_logprobs(prompt, labels, seed) for prompt in prompts)
