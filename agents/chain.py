"""A compiled LangGraph graph, walked without LangGraph's engine where nothing but its nodes and edges is asked for.

The engine costs some 0.4 ms a step, for what a turn of ours doesn't use: parallel branches, reducers, checkpoints,
streams, callbacks. A graph that has none of them is a walk from node to node; the walk is read off the compiled graph,
and gives the same updates in the same order (`tests/agents/test_chain.py`). Any other graph has none.
"""

from collections.abc import Awaitable, Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, NamedTuple

from langchain_core.callbacks import AsyncCallbackManager
from langgraph.channels import LastValue
from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from folkmoot.sim.errors import ConfigError

Node = Callable[[dict[str, Any]], Awaitable[Any]]
MOST_STEPS = 10_000
"""Steps of a walk; LangGraph's own bound is about that."""

_ENGINE = ("checkpointer", "store", "cache", "config", "debug", "step_timeout", "retry_policy", "cache_policy")
_ENGINE_TOO = ("interrupt_before_nodes", "interrupt_after_nodes", "stream_transformers", "node_error_handler_map")
_NODE = ("retry_policy", "cache_policy", "is_error_handler", "error_handler_node", "defer", "timeout", "trace_policy")


class Chain(NamedTuple):
    """Nodes by name, and where each leads unless its `Command` says otherwise.

    Attributes:
        keys: of the state; as in LangGraph, a node's other keys are dropped.
    """

    first: str
    nodes: Mapping[str, Node]
    edges: Mapping[str, str]
    keys: frozenset[str]

    async def run(self, start: Mapping[str, Any]) -> dict[str, Any]:
        """The state at the end of the walk; what a node raises passes through.

        Raises:
            ConfigError: a node names no single node to go on with, or the walk doesn't end.
        """
        state, at = dict(start), self.first
        for _ in range(MOST_STEPS):
            if at == END:
                return state
            given = await self.nodes[at](state.copy())
            command = given if isinstance(given, Command) else Command(update=given)
            state.update((key, value) for key, value in dict(command.update or ()).items() if key in self.keys)
            at = self._onward(at, command.goto)
        raise ConfigError(f"the graph's walk hasn't ended after {MOST_STEPS} steps, the last at {at!r}; mend its loop")

    def _onward(self, at: str, goto: Any) -> str:
        """Where a command leads; an edge and a command, or a fan-out, would be two ways at once."""
        if not goto:
            return self.edges.get(at, END)
        if at in self.edges or not (isinstance(goto, str) and (goto == END or goto in self.nodes)):
            raise ConfigError(
                f"node {at!r} goes on to {goto!r}; in a graph that is walked, one of {', '.join(self.nodes)} or {END}, "
                "and no edge besides: give the graph a checkpointer to have it run by LangGraph's engine"
            )
        return str(goto)


def chain_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Chain | None:
    """The walk that a graph is; None where it needs LangGraph's engine.

    It does if it has reducers, branches, joins, conditional edges, several edges out of a node, sync nodes or nodes
    that take more than the state; retries, time-outs, caches, interrupts, a store or a checkpointer; or if callbacks
    are set for the process, such as LangSmith's tracing.
    """
    builder = graph.builder
    edges = dict(builder.edges)
    plain = (
        type(graph) is CompiledStateGraph
        and not any(getattr(graph, name, None) for name in (*_ENGINE, *_ENGINE_TOO))
        and not any((builder.branches, builder.waiting_edges, builder.managed))
        and all(type(channel) is LastValue for channel in builder.channels.values())
        and len(edges) == len(builder.edges)
        and not AsyncCallbackManager.configure().handlers
    )
    nodes = {name: _node(spec, builder.state_schema) for name, spec in builder.nodes.items()}
    known = {name: node for name, node in nodes.items() if node is not None}
    if not plain or len(known) < len(nodes) or any(builder.nodes[name].ends for name in edges if name != START):
        return None
    return Chain(edges.pop(START), known, edges, frozenset(builder.channels))


def _node(spec: Any, schema: type) -> Node | None:
    """The coroutine function of a node that takes the whole state and nothing else."""
    function: Node | None = getattr(spec.runnable, "afunc", None)
    sync, more = getattr(spec.runnable, "func", None), getattr(spec.runnable, "func_accepts", True)
    if sync or more or any(getattr(spec, name, None) for name in _NODE) or spec.input_schema is not schema:
        return None
    return function if iscoroutinefunction(function) else None
