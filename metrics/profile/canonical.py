"""From signals of posts to canonical interests: duplicates weigh less, equal tags are one, scores say the bucket."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from folkmoot.agents.interests.answers import Signal
from folkmoot.agents.interests.posts import Post
from folkmoot.metrics.profile.duplicates import THRESHOLD as SIMILAR
from folkmoot.metrics.profile.duplicates import clusters
from folkmoot.metrics.profile.matching import THRESHOLD, normalize
from folkmoot.metrics.profile.scores import Bucket, Evidence, Scores, Span, Thresholds, bucket, score
from folkmoot.sim.persona import DOMAINS, Domain, Frozen, Interests
from folkmoot.sim.protocols import Encoder


class GoldSettings(Frozen):
    """How a gold profile is made from signals.

    Attributes:
        posts_per_call: posts of a call of the extraction (paper: 1).
        similar: Jaccard similarity of near-duplicate posts.
        merge: cosine from which on two tags are one interest, if all tags of the interest are as near.
        thresholds: of the buckets.
    """

    posts_per_call: int = Field(default=1, ge=1)
    similar: float = Field(default=SIMILAR, gt=0, le=1)
    merge: float = Field(default=THRESHOLD, gt=0, le=1)
    thresholds: Thresholds = Thresholds()


@dataclass(frozen=True, slots=True)
class Interest:
    """A canonical interest of one user.

    Attributes:
        tag: the name with most support.
        names: all names that were merged, that one first.
        posts: numbers of the supporting posts.
        modalities: where it shows -> posts.
        scores: of its evidence.
        bucket: None: too little evidence for either.
        change: what the calibration did, in words; "" where nothing.
    """

    domain: Domain
    tag: str
    names: tuple[str, ...]
    posts: tuple[int, ...]
    modalities: Counter[str]
    scores: Scores
    bucket: Bucket | None
    change: str = ""

    def changed(self, change: str, *, tag: str | None = None, bucket: Bucket | None) -> "Interest":
        """The interest with another tag or bucket."""
        return replace(self, change=change, tag=tag or self.tag, bucket=bucket)


def canonical(
    signals: Sequence[Signal], posts: Sequence[Post], encoder: Encoder | None, settings: GoldSettings
) -> list[Interest]:
    """The interests of one user, by domain, those with most support first.

    Args:
        signals: of the posts.
        posts: the whole timeline.
        encoder: of the tags; None merges only tags that are equal when normalized.
        settings: bounds.
    """
    if not posts:
        return []
    groups = clusters([" ".join((post.text, *post.captions)) for post in posts], settings.similar)
    sizes = Counter(groups)
    begin: dict[int, int] = {}
    for post, group in zip(posts, groups, strict=True):
        begin[group] = min(post.time, begin.get(group, post.time))
    weights = {
        post.number: (post.time, 1 / sizes[group], begin[group]) for post, group in zip(posts, groups, strict=True)
    }
    span = Span(min(post.time for post in posts), max(post.time for post in posts))
    found = [
        _interest(domain, own, weights, span, settings.thresholds)
        for domain in DOMAINS
        for own in _merged([one for one in signals if one.domain == domain], encoder, settings.merge)
    ]
    return sorted(found, key=lambda one: (DOMAINS.index(one.domain), -one.scores.support, one.tag))


def _merged(signals: Sequence[Signal], encoder: Encoder | None, threshold: float) -> list[list[Signal]]:
    """Signals put together by what their tags mean."""
    names = sorted({normalize(one.tag) for one in signals} - {""})
    if not names:
        return []
    labels = dict(zip(names, _labels(names, encoder, threshold), strict=True))
    found: dict[int, list[Signal]] = {}
    for one in signals:
        if (name := normalize(one.tag)) in labels:
            found.setdefault(labels[name], []).append(one)
    return list(found.values())


def _labels(names: Sequence[str], encoder: Encoder | None, threshold: float) -> list[int]:
    """Complete linkage: all names of a group are as near to one another as the threshold."""
    if encoder is None or len(names) == 1:
        return list(range(len(names)))
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    vectors = encoder.encode(names).astype(np.float64)
    distances = np.clip(1 - vectors @ vectors.T, 0, None)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "complete")
    return [int(label) for label in fcluster(tree, 1 - threshold, "distance")]


def _interest(
    domain: Domain,
    signals: Sequence[Signal],
    weights: dict[int, tuple[int, float, int]],
    span: Span,
    thresholds: Thresholds,
) -> Interest:
    sure: dict[int, Signal] = {}
    for one in signals:
        if one.post not in sure or one.confidence > sure[one.post].confidence:
            sure[one.post] = one
    evidence = [
        Evidence(time, one.confidence, weight, counted)
        for number, one in sorted(sure.items())
        for time, weight, counted in [weights[number]]
    ]
    support: Counter[str] = Counter()
    for one in signals:
        support[one.tag] += weights[one.post][1]  # type: ignore[assignment]  # weights are shares of posts
    names = sorted(support, key=lambda name: (-support[name], name))
    found = score(evidence, span, thresholds)
    return Interest(
        domain=domain,
        tag=names[0],
        names=tuple(names),
        posts=tuple(sorted(sure)),
        modalities=Counter(one.modality for one in sure.values()),
        scores=found,
        bucket=bucket(found, thresholds),
    )


def as_profile(interests: Sequence[Interest]) -> Interests:
    """The profile of the interests that have a bucket."""
    buckets: dict[str, dict[Domain, tuple[str, ...]]] = {"stable": {}, "recent": {}}
    for one in interests:
        if one.bucket is not None:
            own = buckets[one.bucket]
            own[one.domain] = (*own.get(one.domain, ()), one.tag)
    return Interests(stable=buckets["stable"], recent=buckets["recent"])
