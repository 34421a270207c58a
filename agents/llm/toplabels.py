"""Label scores from a server's top tokens."""

from collections.abc import Sequence

from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import LabelScores


def read_labels(
    top: Sequence[tuple[str, float]], labels: Sequence[str], backend: str
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Log-probability of each label by its first token, and the positions of the censored ones.

    A label's token is the longest of the top tokens with which it begins. A label with none is
    censored: it gets the smallest of the top values, an upper bound.

    Raises:
        ModelError: two labels begin with the same token, so it can't tell them apart.

    >>> read_labels([("A", -0.1), ("Yes", -3.0), ("B", -4.5)], ("A", "B", "C"), "server/x")
    ((-0.1, -4.5, -4.5), (2,))
    """
    values = dict(reversed(list(top)))  # of a token that stands twice, the more probable
    bound = min(values.values())
    found = [
        max((token for token in values if token and label.startswith(token)), key=len, default="") for label in labels
    ]
    named = [token for token in found if token]
    if len(set(named)) < len(named):
        raise ModelError(
            f"{backend}: labels {list(labels)!r} begin with the same token, so a first token can't tell them apart; "
            "ask with single letters or digits"
        )
    scores = tuple(values[token] if token else bound for token in found)
    return scores, tuple(place for place, token in enumerate(found) if not token)


def top_scores(
    top: Sequence[tuple[str, float]], labels: Sequence[str], backend: str, prompt_tokens: int, cost: float = 0.0
) -> LabelScores:
    """The scores of a call that gave these top tokens; raises as `read_labels` does."""
    values, censored = read_labels(top, labels, backend)
    return LabelScores(logprobs=values, censored=censored, prompt_tokens=prompt_tokens, cost=cost)
