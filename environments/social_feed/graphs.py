"""Follow graphs for users who bring none: generated, or matched to a real one in degrees and reciprocity.

The generators are networkx's, undirected; each of their edges becomes a follow in one direction, or in both so often
that the share of follows with their opposite is `reciprocity`: with a share x of mutual edges it is 2x / (1 + x).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Frozen, Persona
from folkmoot.sim.rng import integer, stream

Edge = tuple[str, str]
"""(follower, followed)."""


class CorpusFollows(Frozen):
    """The corpus's own follows, among the personas."""

    kind: Literal["corpus"] = "corpus"


class _Generated(Frozen):
    """A generated graph.

    Attributes:
        followees: of a user, on average.
        reciprocity: share of follows whose opposite is there.
    """

    followees: float = Field(default=8.0, gt=0)
    reciprocity: float = Field(default=0.4, ge=0, le=1)

    @property
    def mutual(self) -> float:
        """Share of undirected edges that become two follows."""
        return self.reciprocity / (2 - self.reciprocity)

    @property
    def degree(self) -> float:
        """Undirected degree that gives `followees` on average."""
        return 2 * self.followees / (1 + self.mutual)


class BarabasiAlbert(_Generated):
    """Preferential attachment: few hubs; a one-way follow goes to the one who was there before."""

    kind: Literal["barabasi_albert"] = "barabasi_albert"


class WattsStrogatz(_Generated):
    """A ring of neighbours, each edge re-wired with probability `rewire`: high clustering, short ways."""

    kind: Literal["watts_strogatz"] = "watts_strogatz"
    rewire: float = Field(default=0.1, ge=0, le=1)


class Blocks(_Generated):
    """A stochastic block model: a share `within` of the follows stays among users of the same main domain."""

    kind: Literal["blocks"] = "blocks"
    within: float = Field(default=0.6, ge=0, le=1)


class Matched(Frozen):
    """The corpus's follow graph drawn anew: how many mutual, outgoing and incoming follows somebody has is real."""

    kind: Literal["matched"] = "matched"


Follows = Annotated[CorpusFollows | BarabasiAlbert | WattsStrogatz | Blocks | Matched, Field(discriminator="kind")]
"""How the follow graph comes about."""


@dataclass(frozen=True, slots=True)
class Made:
    """A follow graph.

    Attributes:
        edges: (follower, followed), each once, nobody themself.
        losses: edges that couldn't be placed, counted by reason.
    """

    edges: tuple[Edge, ...]
    losses: Counter[str]


def make_follows(config: Follows, personas: Sequence[Persona], real: Sequence[Edge], seed: int) -> Made:
    """The follow graph of these people.

    Args:
        config: how.
        personas: who, in their order.
        real: the corpus's follows; for `corpus` those of others are left out and counted, for `matched` all count.
        seed: of the run.

    Raises:
        ConfigError: more followees than there are others, or nothing real to match.
    """
    names = [persona.id for persona in personas]
    if isinstance(config, CorpusFollows):
        known = set(names)
        kept = tuple(edge for edge in dict.fromkeys(real) if known.issuperset(edge))
        return Made(kept, Counter({"follow of somebody without a persona": len(set(real)) - len(kept)}))
    if isinstance(config, Matched):
        return _matched(names, real, seed)
    if config.degree > len(names) - 1:
        raise ConfigError(
            f"follows.followees={config.followees:g}: each of {len(names)} users would need {config.degree:.1f} "
            f"neighbours; give fewer than {(len(names) - 1) * (1 + config.mutual) / 2:.1f}"
        )
    edges = _GENERATORS[config.kind](config, personas, integer(seed, "follows", config.kind))
    return Made(_directed(edges, names, config, seed), Counter())


def _directed(edges: NDArray[np.int64], names: Sequence[str], config: _Generated, seed: int) -> tuple[Edge, ...]:
    draws = stream(seed, "follows", "direction").random((len(edges), 2))
    found: list[Edge] = []
    for (one, other), (both, way) in zip(edges.tolist(), draws.tolist(), strict=True):
        older, newer = sorted((one, other))
        if both >= config.mutual and not isinstance(config, BarabasiAlbert) and way < 1 / 2:
            older, newer = newer, older
        found.append((names[newer], names[older]))
        if both < config.mutual:
            found.append((names[older], names[newer]))
    return tuple(found)


def _barabasi_albert(config: Any, personas: Sequence[Persona], seed: int) -> NDArray[np.int64]:
    import networkx as nx

    return _edges(nx.barabasi_albert_graph(len(personas), max(1, round(config.degree / 2)), seed=seed))


def _watts_strogatz(config: Any, personas: Sequence[Persona], seed: int) -> NDArray[np.int64]:
    import networkx as nx

    return _edges(
        nx.watts_strogatz_graph(len(personas), 2 * max(1, round(config.degree / 2)), config.rewire, seed=seed)
    )


def _blocks(config: Any, personas: Sequence[Persona], seed: int) -> NDArray[np.int64]:
    import networkx as nx

    mine = [main_domain(persona) for persona in personas]
    sizes = Counter(mine)
    blocks, n = sorted(sizes), len(personas)
    inside = [config.degree * (config.within if sizes[b] < n else 1) / max(1, sizes[b] - 1) for b in blocks]
    across = [config.degree * (1 - config.within) / max(1, n - sizes[b]) for b in blocks]
    chances = [
        [min(1.0, inside[i] if i == j else (across[i] + across[j]) / 2) for j in range(len(blocks))]
        for i in range(len(blocks))
    ]
    order = sorted(range(n), key=lambda index: (mine[index], index))
    made = nx.stochastic_block_model([sizes[b] for b in blocks], chances, nodelist=order, seed=seed, sparse=True)
    return _edges(made)


def main_domain(persona: Persona) -> str:
    """The domain of most interests, the first by name of several; "" for who has none."""
    counts: Counter[str] = Counter()
    for part in (persona.interests.stable, persona.interests.recent):
        for domain, tags in part.items():
            counts[domain] += len(tags)
    return min(counts, key=lambda domain: (-counts[domain], domain), default="")


def _edges(graph: Any) -> NDArray[np.int64]:
    return np.array(sorted(tuple(sorted(edge)) for edge in graph.edges), dtype=np.int64).reshape(-1, 2)


_GENERATORS: Mapping[str, Callable[[Any, Sequence[Persona], int], NDArray[np.int64]]] = {
    "barabasi_albert": _barabasi_albert,
    "watts_strogatz": _watts_strogatz,
    "blocks": _blocks,
}


def _matched(names: Sequence[str], real: Sequence[Edge], seed: int) -> Made:
    """A configuration model: stubs of mutual and of one-way follows are paired by lot."""
    triples = _triples(real)
    if not len(triples):
        raise ConfigError("follows=matched: the corpus has 0 follows to match; take another kind of follows")
    rng = stream(seed, "follows", "matched")
    same = len(triples) == len(names)
    drawn = triples[rng.permutation(len(triples)) if same else rng.integers(0, len(triples), len(names))]
    mutual = rng.permutation(np.repeat(np.arange(len(names)), drawn[:, 0]))
    sources = rng.permutation(np.repeat(np.arange(len(names)), drawn[:, 1]))
    targets = rng.permutation(np.repeat(np.arange(len(names)), drawn[:, 2]))
    half, most = len(mutual) // 2, min(len(sources), len(targets))
    pairs = [(a, b) for a, b in zip(mutual[:half].tolist(), mutual[half : 2 * half].tolist(), strict=True)]
    wanted = [edge for a, b in pairs for edge in ((a, b), (b, a))]
    wanted += zip(sources[:most].tolist(), targets[:most].tolist(), strict=True)
    losses = Counter({"stub without a partner": len(mutual) + len(sources) + len(targets) - 2 * half - 2 * most})
    losses["a user paired with themself"] = sum(a == b for a, b in wanted)
    kept = dict.fromkeys((a, b) for a, b in wanted if a != b)
    losses["a pair drawn twice"] = len(wanted) - losses["a user paired with themself"] - len(kept)
    return Made(tuple((names[a], names[b]) for a, b in kept), +losses)


def _triples(real: Sequence[Edge]) -> NDArray[np.int64]:
    """(mutual, one-way out, one-way in) of each real user, by name."""
    edges = set(real)
    counts: dict[str, list[int]] = {name: [0, 0, 0] for name in sorted({name for edge in edges for name in edge})}
    for one, other in edges:
        if (other, one) in edges:
            counts[one][0] += 1
        else:
            counts[one][1] += 1
            counts[other][2] += 1
    return np.array(list(counts.values()), dtype=np.int64).reshape(-1, 3)
