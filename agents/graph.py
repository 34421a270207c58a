"""The LangGraph agent: observe -> recall -> plan -> write -> check.

One graph is compiled and shared by all agents; what differs between them travels in the state. A step of LangGraph's
engine costs more than all that our stages do, so a graph that is a mere walk from node to node, as ours is, runs
without it (`chain.py`); a user's own with branches, retries, a checkpointer or tracing runs in the engine.
Figures are in docs/agents.md.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from folkmoot.agents import stages
from folkmoot.agents.chain import chain_of
from folkmoot.agents.stages import State, Tools, Turn
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation

Graph = CompiledStateGraph[State, None, State, State]


Step = Command[Literal["recall", "plan", "write", "check", "__end__"]]


async def _observe(state: State) -> Step:
    return Command(update=stages.observe(state), goto="recall")


async def _recall(state: State) -> Step:
    return Command(update=stages.remember(state), goto="plan")


async def _plan(state: State) -> Step:
    return _onward(await stages.plan(state), "write")


async def _write(state: State) -> Step:
    return _onward(await stages.write(state), "check")


async def _check(state: State) -> Step:
    return _onward(stages.check(state), "write")


def _onward(update: State, after: Literal["write", "check"]) -> Step:
    """To the next node, unless the stage has set an action: that ends the turn."""
    return Command(update=update, goto="__end__" if "action" in update else after)


def compile_graph() -> Graph:
    """The graph, compiled: no checkpointer, no tracing, all nodes coroutines (a plain function would cost a thread).

    Nodes name the next one in a `Command`, which is cheaper than a conditional edge.
    """
    graph: StateGraph[State, None, State, State] = StateGraph(State)
    graph.add_node("observe", _observe, destinations=("recall",))
    graph.add_node("recall", _recall, destinations=("plan",))
    graph.add_node("plan", _plan, destinations=("write", END))
    graph.add_node("write", _write, destinations=("check", END))
    graph.add_node("check", _check, destinations=("write", END))
    graph.add_edge(START, "observe")
    return graph.compile()


class ModelAgent:
    """An agent whose turn is a run of the shared graph.

    Args:
        persona: who it is; its id names the agent.
        graph: the compiled graph, shared by all agents: `compile_graph()`, or one of your own over the same state.
        tools: how one acts in the place, checks and limits, shared too.
    """

    def __init__(self, persona: Persona, graph: Graph, tools: Tools) -> None:
        self.id = persona.id
        self._persona = persona
        chain = chain_of(graph)
        self._run: Callable[[Any], Awaitable[dict[str, Any]]] = graph.ainvoke if chain is None else chain.run
        self._tools = tools

    async def act(self, activation: Activation, view: Any) -> Action:
        """Run the graph once.

        Raises:
            ModelError: a call failed past its retries.
        """
        result = await self._run({"turn": Turn(activation, view, self._persona, self._tools)})
        action: Action = result["action"]
        return action
