"""Cascades, graphs and distances against networkx, SciPy and small cases known by hand."""

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.metrics.network import gini
from folkmoot.metrics.structure.comparing import compare_structures
from folkmoot.metrics.structure.points import PointSide, distances, gini_of, support_of
from folkmoot.metrics.structure.reading import grouped, structure
from folkmoot.metrics.structure.report import tables
from folkmoot.metrics.structure.trees import tree
from folkmoot.metrics.structure.wiring import WiringSide, wiring
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.errors import MetricError
from folkmoot.sim.feed import Followed, PostCreated, Reacted, Unfollowed

PARENTS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(-1), *(st.integers(0, node - 1) for node in range(1, n)))
)
GROUPS = st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=4), min_size=1, max_size=8)


@settings(deadline=None)
@given(PARENTS)
def test_a_tree_is_what_networkx_says(parents):
    """Law: size, depth, widest level and mean distance agree with networkx on any tree."""
    graph = nx.Graph([(node, parent) for node, parent in enumerate(parents) if parent >= 0])
    graph.add_node(0)
    levels = nx.single_source_shortest_path_length(graph, 0)
    found, n = tree(parents), len(parents)
    assert (found.size, found.depth) == (n, max(levels.values()))
    assert found.breadth == max(np.bincount(list(levels.values())))
    assert found.virality == pytest.approx(nx.wiener_index(graph) / (n * (n - 1) / 2) if n > 1 else 0)
    assert sum(found.children) == n - 1


@pytest.mark.parametrize("parents", [[], [0], [-1, 1], [-1, -1], [-1, 2, 0]])
def test_what_is_no_tree_is_refused(parents):
    """Law: a missing root, a second one, or a child before its parent is an error that says so."""
    with pytest.raises(MetricError, match="root|before"):
        tree(parents)


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] != edge[1]), max_size=30))
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_a_graph_is_what_networkx_says(edges):
    """Law: reciprocity, transitivity and degree assortativity agree with networkx; undefined is NaN."""
    found = wiring(np.array(sorted(edges), dtype=np.int64).reshape(-1, 2), 8)
    if not edges:
        assert np.isnan(found).all()
        return
    graph = nx.DiGraph(edges)
    assert found[0] == pytest.approx(nx.overall_reciprocity(graph))
    both = nx.Graph(graph)
    if max(dict(both.degree).values()) > 1:
        assert found[1] == pytest.approx(nx.transitivity(both))
    else:
        assert np.isnan(found[1])
    if len(set(dict(both.degree).values())) > 1:
        assert found[2] == pytest.approx(nx.degree_assortativity_coefficient(both), abs=1e-9)
    else:
        assert np.isnan(found[2])


@pytest.mark.filterwarnings("ignore:ks_2samp. Exact calculation unsuccessful")  # of a p that isn't looked at
@settings(deadline=None)
@given(GROUPS, GROUPS)
def test_distances_are_what_scipy_says(real, simulated):
    """Law: W1, KS and means of the values as they are agree with SciPy; Gini with our own on plain amounts."""
    support = support_of(real, simulated)
    sums = [
        PointSide(side, support).weighted(torch.ones(1, len(side), dtype=torch.float64)) for side in (real, simulated)
    ]
    found = distances(support, *sums)
    flat = [[v for group in side for v in group] for side in (real, simulated)]
    assert found["wasserstein"].item() == pytest.approx(stats.wasserstein_distance(*flat), abs=1e-9)
    assert found["ks"].item() == pytest.approx(stats.ks_2samp(*flat).statistic, abs=1e-9)
    assert found["mean"].item() == pytest.approx(np.mean(flat[1]))
    if sum(flat[1]):
        assert gini_of(support, sums[1]).item() == pytest.approx(gini(flat[1]).item(), abs=1e-9)


@settings(deadline=None)
@given(GROUPS, st.lists(st.integers(0, 3), min_size=8, max_size=8).filter(any))
def test_weights_stand_for_repeated_units(groups, weights):
    """Law: a unit of weight k counts as k copies of its values."""
    weights = weights[: len(groups)]
    if not any(weights):
        return
    support = support_of(groups)
    weighted = PointSide(groups, support).weighted(torch.tensor([weights], dtype=torch.float64))
    copies = [group for group, k in zip(groups, weights, strict=True) for _ in range(k)]
    whole = PointSide(copies, support).weighted(torch.ones(1, len(copies), dtype=torch.float64))
    assert torch.equal(weighted, whole)


def test_an_empty_side_is_named():
    """Law: a side without values says which."""
    with pytest.raises(MetricError, match="the simulated side has 0 values"):
        support_of([[1.0]], [])


def test_a_draw_holds_the_edges_of_its_units():
    """Law: an edge is there if any of its units was drawn; nothing drawn, nothing defined."""
    side = WiringSide([[("a", "b")], [("b", "a"), ("b", "c")]])
    found = side.weighted(torch.tensor([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]]))["reciprocity"].tolist()
    assert found[:2] == [pytest.approx(2 / 3), 0.0]
    assert np.isnan(found[2])


def simulated(event):
    """What counts on the simulated side."""
    return event.origin == "simulated"


def _post(seq, actor, origin="simulated", **more):
    common = {"seq": seq, "time": seq * 3_600_000, "actor": actor, "community": "c", "origin": origin}
    return PostCreated(**common, thread="t", text="words", language="en", **more)


def _act(kind, seq, actor, **more):
    return kind(seq=seq, time=seq * 3_600_000, actor=actor, community="c", origin="simulated", **more)


def test_a_feed_is_read_as_cascades_and_graphs():
    """Law: answers, reposts and quotes hang in the cascade of what they are of; likes are acts; follows end as they do."""
    events = [
        _act(Followed, 0, "ben", user="ada"),
        _act(Followed, 1, "cy", user="ada"),
        _post(2, "ada", origin="recorded"),
        _post(3, "ben", parent=2, form="reply"),
        _post(4, "cy", of=3, form="repost"),
        _post(5, "ada", parent=3, form="reply"),
        _post(6, "ada", origin="recorded"),
        _post(7, "cy", of=99, form="quote"),
        _act(Reacted, 8, "ben", post=2),
        _act(Unfollowed, 9, "cy", user="ada"),
    ]
    found = structure(events, simulated)
    assert [(t.size, t.depth, t.breadth) for t in found.trees] == [(4, 2, 2), (1, 0, 1)]
    assert found.answers == [[("ben", "ada"), ("cy", "ben"), ("ada", "ben")], []]
    assert found.strays == 1
    assert list(found.follows) == [("ben", "ada")]
    assert grouped(found)["gap_hours"] == [[5.0], [3.0]]
    assert grouped(found)["acts_per_user"] == [[2], [2], [1]]


def test_a_talk_page_is_read_by_the_same_code():
    """Law: a thread is a cascade; who answers whom is told by the parents."""
    common = {"community": "c", "thread": "t", "text": "x", "language": "en", "page": "P"}
    events = [
        ThreadOpened(seq=0, time=0, actor="ada", origin="recorded", title="T", **common),
        CommentPosted(seq=1, time=1, actor="ben", origin="simulated", parent=0, **common),
        CommentPosted(seq=2, time=2, actor="ben", origin="simulated", parent=1, **common),
    ]
    found = structure(events, simulated)
    assert [t.size for t in found.trees] == [3]
    assert found.answers == [[("ben", "ada")]]
    assert not structure(events[:1], simulated).trees


def test_one_community_against_itself_is_no_distance_apart():
    """Law: the same events on both sides give distance 0 and equal numbers; tables hold a row a distribution."""
    rng = np.random.default_rng(3)
    events = [
        _post(seq, f"u{rng.integers(6)}", parent=None if seq % 5 == 0 else int(rng.integers(seq))) for seq in range(60)
    ]
    same = structure(events, simulated)
    found = compare_structures(same, same, Resampler(1, 50))
    assert all(one.numbers["wasserstein"].value == 0 for one in found if "wasserstein" in one.numbers)
    assert all(
        estimate.value == one.numbers[f"real_{name}"].value or np.isnan(estimate.value)
        for one in found
        for name, estimate in one.numbers.items()
        if f"real_{name}" in one.numbers
    )
    shapes, graphs = tables({"run": found}, Resampler(1, 50))
    assert len(shapes.rows) == 9
    assert {row[1] for row in graphs.rows} == {"acts of a user", "users answering a user", "answers"}
    nothing = compare_structures(structure([], simulated), same, Resampler(1, 20))
    assert {one.missing for one in nothing} == {"nothing on the real side"}
    assert "nothing on the real side" in tables({"run": nothing}, Resampler(1, 20))[0].markdown()
