"""Who answers whom, counted as the comments come.

An edge i -> j says that user i answered user j; its weight is how often. Answers to oneself are
counted beside the graph, not in it.
"""

from array import array
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from folkmoot.metrics.threads import Turn

if TYPE_CHECKING:
    import networkx as nx


class ReplyGraph:
    """Counts answers by pair of users and thread; 8 bytes an answer.

    Args:
        window: how many of the last turns `recent` looks back on; 0: none.
    """

    def __init__(self, window: int = 0) -> None:
        self.n_items = 0
        self.self_replies = 0
        self.threads: dict[int, int] = {}
        self.turns: list[int] = []
        self.users: dict[int, int] = {}
        self.edges: dict[tuple[int, int], int] = {}
        self.edge_source, self.edge_target = array("i"), array("i")
        self.mutual: list[tuple[int, int]] = []
        self.reply_thread, self.reply_edge = array("i"), array("i")
        self._window: deque[Turn] = deque(maxlen=window)

    def add(self, turn: Turn) -> None:
        """Count a turn; one that answers nobody still counts its user and thread."""
        self.n_items += 1
        thread = self.threads.setdefault(turn.thread, len(self.threads))
        if thread == len(self.turns):
            self.turns.append(0)
        self.turns[thread] += 1
        user = self.users.setdefault(turn.user, len(self.users))
        self._window.append(turn)
        if turn.parent_user is None:
            return
        if turn.parent_user == turn.user:
            self.self_replies += 1
            return
        answered = self.users.setdefault(turn.parent_user, len(self.users))
        edge = self.edges.get((user, answered))
        self.reply_thread.append(thread)
        self.reply_edge.append(self._open(user, answered) if edge is None else edge)

    def _open(self, user: int, answered: int) -> int:
        edge = self.edges[user, answered] = len(self.edges)
        self.edge_source.append(user)
        self.edge_target.append(answered)
        opposite = self.edges.get((answered, user))
        if opposite is not None:
            self.mutual.append((opposite, edge))
        return edge

    @property
    def n_replies(self) -> int:
        """Answers to others: the total weight of the edges."""
        return len(self.reply_edge)

    @property
    def n_recent(self) -> int:
        """Turns in the window."""
        return len(self._window)

    def recent(self) -> "ReplyGraph":
        """The graph of the last `window` turns alone."""
        return graph_of(self._window)

    def to_networkx(self) -> "nx.DiGraph[int]":
        """The same as a networkx graph: users by number, edge attribute `weight`."""
        import networkx as nx  # half a second that only this border needs

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(self.users)
        numbers = list(self.users)
        ends = list(self.edges)
        weights = [0] * len(ends)
        for edge in self.reply_edge:
            weights[edge] += 1
        graph.add_weighted_edges_from(
            (numbers[i], numbers[j], weight) for (i, j), weight in zip(ends, weights, strict=True)
        )
        return graph


def graph_of(turns: Iterable[Turn]) -> ReplyGraph:
    """The reply graph of some turns."""
    graph = ReplyGraph()
    for turn in turns:
        graph.add(turn)
    return graph
