"""The reply graph against networkx, and concentration against its definition."""

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.metrics.network import GraphSide, gini, graph_numbers, graph_of_pairs
from folkmoot.metrics.reply_graph import ReplyGraph, graph_of
from folkmoot.metrics.threads import Turn
from folkmoot.sim.errors import MetricError

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40).filter(
    lambda some: any(a != b for a, b in some)
)


def weighted(answers) -> nx.DiGraph:
    """The oracle's graph, counted here."""
    graph = nx.DiGraph()
    for a, b in answers:
        if a != b:
            graph.add_edge(a, b, weight=graph.get_edge_data(a, b, {"weight": 0})["weight"] + 1)
    return graph


@given(pairs)
@settings(deadline=None)
def test_numbers_are_networkxs(answers):
    """Edges, degrees and reciprocity equal networkx's on the graph counted independently."""
    oracle = weighted(answers)
    numbers = graph_numbers(graph_of_pairs(answers))
    assert numbers.edges.item() == oracle.number_of_edges()
    assert numbers.answers.item() == oracle.size(weight="weight")
    assert numbers.reciprocity.item() == pytest.approx(nx.overall_reciprocity(oracle))
    degrees = np.bincount([degree for _, degree in oracle.in_degree()], minlength=21)
    assert numbers.in_degrees[0, 1:].tolist() == degrees[1:].tolist()
    both = sum(min(w, oracle.get_edge_data(b, a, {"weight": 0})["weight"]) for a, b, w in oracle.edges(data="weight"))
    assert numbers.weighted_reciprocity.item() == pytest.approx(both / oracle.size(weight="weight"))


@given(pairs)
@settings(deadline=None)
def test_border_to_networkx_keeps_all(answers):
    """The exported graph has the same edges with the same weights."""
    names: dict[int, int] = {}
    for pair in answers:
        for user in pair:
            names.setdefault(user, len(names))
    exported = graph_of_pairs(answers).to_networkx()
    oracle = nx.relabel_nodes(weighted(answers), names)
    assert dict(exported.edges) == dict(oracle.edges)


@given(pairs, st.integers(0, 2**31))
@settings(deadline=None)
def test_a_draw_is_the_graph_of_the_drawn_threads(answers, seed):
    """Weights on threads give the numbers of a graph that really holds the drawn threads, each as often."""
    turns = [Turn(i % 4, a, 1, b, None) for i, (a, b) in enumerate(answers)]
    graph = graph_of(turns)
    side = GraphSide(graph)
    weights = np.random.default_rng(seed).integers(0, 3, len(side))
    order = list(graph.threads)
    drawn = [
        turn
        for thread, w in zip(order, weights, strict=True)
        for _ in range(w)
        for turn in turns
        if turn.thread == thread
    ]
    numbers = side.weighted(torch.tensor(weights[None], dtype=torch.float64))
    oracle = weighted([(turn.user, turn.parent_user) for turn in drawn])
    assert numbers.edges.item() == oracle.number_of_edges()
    if oracle.number_of_edges():
        assert numbers.reciprocity.item() == pytest.approx(nx.overall_reciprocity(oracle))
    else:
        assert numbers.reciprocity.isnan().item()


def test_blocks_of_threads_weigh_alike():
    """With every block drawn once, blocks give the same numbers as threads."""
    graph = graph_of([Turn(i % 9, i % 4, 1, (i + 1) % 4, None) for i in range(50)])
    whole, blocked = GraphSide(graph), GraphSide(graph, blocks=4)
    assert (len(whole), len(blocked), blocked.n_units) == (9, 4, 9)
    ones = [torch.ones(1, len(side), dtype=torch.float64) for side in (whole, blocked)]
    assert torch.equal(whole.weighted(ones[0]).in_degrees, blocked.weighted(ones[1]).in_degrees)


def test_self_answers_stay_beside_the_graph():
    """An answer to oneself is counted, and is no edge; a turn that answers nobody still counts its user."""
    graph = graph_of([Turn(0, 1, 0, None, None), Turn(0, 1, 1, 1, 0.5), Turn(0, 2, 1, 1, 0.5)])
    assert (graph.self_replies, graph.n_replies, len(graph.users)) == (1, 1, 2)


def test_window_of_a_graph_is_its_last_turns():
    """The recent graph is the graph of the last `window` turns alone."""
    graph = ReplyGraph(window=2)
    for user in (1, 2, 3):
        graph.add(Turn(0, user, 1, 0, None))
    assert (graph.recent().n_replies, graph.n_replies, graph.n_recent) == (2, 3, 2)


def test_an_empty_graph():
    """No threads: an error. Threads without answers: numbers that aren't defined, not zeros."""
    with pytest.raises(MetricError, match="0 threads"):
        graph_numbers(ReplyGraph())
    alone = graph_numbers(graph_of([Turn(0, 1, 0, None, None)]))
    assert alone.reciprocity.isnan().item()
    assert alone.gini.isnan().item()


@given(st.lists(st.integers(0, 100), min_size=1, max_size=30).filter(any))
def test_gini_is_the_mean_difference(amounts):
    """G = mean absolute difference of all pairs / (2 mean), in [0, 1 - 1/n]."""
    x = np.array(amounts, dtype=float)
    expected = np.abs(x[:, None] - x).mean() / (2 * x.mean())
    assert gini(amounts).item() == pytest.approx(expected, abs=1e-12)
    assert -1e-12 <= gini(amounts).item() <= 1 - 1 / len(amounts) + 1e-12


def test_gini_edges():
    """No amounts and negative amounts are errors; all zeros aren't defined."""
    with pytest.raises(MetricError, match="amount"):
        gini([])
    with pytest.raises(MetricError, match="amount"):
        gini([-1, 2])
    assert gini([0, 0]).isnan().item()
