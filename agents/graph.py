"""The LangGraph agent: observe -> recall -> plan -> write -> check.

One graph is compiled and shared by all agents; what differs between them travels in the state. The first three
stages have no branch between them, so by default they share one LangGraph step (`consider`): a step costs
more than all that our stages do (figures in docs/agents.md). `fused=False` gives each stage its own step.
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from folkmoot.agents import stages
from folkmoot.agents.stages import State, Tools, Turn
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation

Graph = CompiledStateGraph[State, None, State, State]


async def _observe(state: State) -> State:
    return stages.observe(state)


async def _recall(state: State) -> State:
    return stages.remember(state)


async def _check(state: State) -> State:
    return stages.check(state)


async def _consider(state: State) -> State:
    """Observe, recall and plan in one step."""
    seen: State = {**state, **stages.observe(state), **stages.remember(state)}
    planned = await stages.plan(seen)
    return {"memory": seen["memory"], **planned}


async def _go_on(state: State) -> Literal["go", "end"]:
    """Whether the turn goes on: a stage that sets an action has ended it."""
    return "end" if "action" in state else "go"


def compile_graph(*, fused: bool = True) -> Graph:
    """The graph, compiled: no checkpointer, no tracing, all nodes coroutines (a plain function would cost a thread).

    Args:
        fused: observe, recall and plan in one step; both ways give the same actions, calls and notes.
    """
    graph: StateGraph[State, None, State, State] = StateGraph(State)
    if fused:
        graph.add_node("consider", _consider)
        graph.add_edge(START, "consider")
    else:
        graph.add_node("observe", _observe)
        graph.add_node("recall", _recall)
        graph.add_node("plan", stages.plan)
        graph.add_edge(START, "observe")
        graph.add_edge("observe", "recall")
        graph.add_edge("recall", "plan")
    graph.add_node("write", stages.write)
    graph.add_node("check", _check)
    for node, after in (("consider" if fused else "plan", "write"), ("write", "check"), ("check", "write")):
        graph.add_conditional_edges(node, _go_on, {"go": after, "end": END})
    return graph.compile()


class ModelAgent:
    """An agent whose turn is a run of the shared graph.

    Args:
        persona: who it is; its id names the agent.
        graph: the compiled graph, shared by all agents.
        tools: conditioning, policy, checks and limits, shared too.
    """

    def __init__(self, persona: Persona, graph: Graph, tools: Tools) -> None:
        self.id = persona.id
        self._persona = persona
        self._graph = graph
        self._tools = tools

    async def act(self, activation: Activation, view: DiscussionView) -> Action:
        """Run the graph once.

        Raises:
            ModelError: a call failed past its retries.
        """
        state: Any = {"turn": Turn(activation, view, self._persona, self._tools)}
        result = await self._graph.ainvoke(state)
        action: Action = result["action"]
        return action
