"""Names of all numbers, without torch: for configuration checks and tables."""

from collections.abc import Mapping

DIVERGENCES: Mapping[str, tuple[str, ...]] = {
    "acts": ("js_distance", "js_divergence", "total_variation"),
    "sentiment": ("wasserstein", "js_distance", "js_divergence", "total_variation"),
    "text": ("words_js_distance",),
    "threads": ("turns_wasserstein",),
    "network": ("in_degree_wasserstein",),
}
"""Family -> its divergences (>= 0, best 0, each with a noise floor); the first is its headline."""

_OTHERS: Mapping[str, tuple[str, ...]] = {
    "acts": ("density_ratio", "labels_per_sentence"),
    "sentiment": ("mean", "mean_delta"),
    "text": ("words_mean", "words_sd", "words_delta"),
    "threads": ("turns", "turns_delta", "users", "users_delta", "depth", "depth_delta", "delay_hours", "delay_delta"),
    "network": (
        *("reciprocity", "reciprocity_delta", "weighted_reciprocity", "weighted_reciprocity_delta"),
        *("gini", "gini_delta"),
    ),
}
_BY_LABEL = {"acts": ("share", "delta"), "sentiment": ("share",)}

TITLES: Mapping[str, str] = {
    "acts": "dialog acts",
    "sentiment": "sentiment",
    "text": "words per comment",
    "threads": "turns per thread",
    "network": "users answering a user",
}
"""Family -> what it is called in a sentence."""

MEASURES: Mapping[str, str] = {
    "js_distance": "JS distance",
    "js_divergence": "JS divergence",
    "total_variation": "total variation",
    "wasserstein": "Wasserstein distance",
    "words_js_distance": "JS distance",
    "turns_wasserstein": "Wasserstein distance",
    "in_degree_wasserstein": "Wasserstein distance",
}
"""Divergence -> what it is called in a sentence."""


def headline(family: str) -> str:
    """The first divergence of a family.

    >>> headline("acts")
    'js_distance'
    """
    return DIVERGENCES[family][0]


def numbers(family: str, roles: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """All numbers of a family, those of each label included."""
    labels = [f"{kind}.{label}" for kind in _BY_LABEL.get(family, ()) for label in roles.get(family, ())]
    return (*DIVERGENCES[family], *_OTHERS[family], *labels)
