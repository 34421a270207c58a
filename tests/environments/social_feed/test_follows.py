"""The follow graph: what it says of any version is what plain lists say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.social_feed.follows import FollowGraph

EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda edge: edge[0] != edge[1]), max_size=20)


@given(start=EDGES, turns=EDGES)
def test_every_version_can_be_read_later(start, turns):
    """Edges come and go, newcomers too; followees and followers of each version are in order of following."""
    start = [edge for edge in dict.fromkeys(start) if max(edge) < 4]
    graph = FollowGraph(4, np.array(start, np.int32).reshape(-1, 2))
    edges, versions = list(start), [list(start)]
    for version, edge in enumerate(turns, 1):
        if edge in edges:
            edges.remove(edge)
            graph.unfollow(*edge, version)
        else:
            edges.append(edge)
            graph.follow(*edge, version)
        versions.append(list(edges))
    for version, then in enumerate(versions):
        for user in range(6):
            assert graph.followees(user, version).tolist() == [b for a, b in then if a == user]
            assert graph.followers(user, version).tolist() == [a for a, b in then if b == user]
            assert all(graph.follows(user, whom, version) == ((user, whom) in then) for whom in range(6))
