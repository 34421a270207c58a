"""The LangGraph agent: observe -> recall -> plan -> write -> check.

One graph is compiled and shared by all agents; what differs between them travels in the state. A LangGraph step costs
more than all that our stages do, so by default stages without a branch between them share one: `consider` (observe,
recall, plan) and `speak` (write, check; once more for a repair). `fused=False` gives each stage its own step.
Figures are in docs/agents.md.
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from folkmoot.agents import stages
from folkmoot.agents.stages import State, Tools, Turn
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation

Graph = CompiledStateGraph[State, None, State, State]


Step = Command[Literal["recall", "plan", "write", "check", "speak", "__end__"]]


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


async def _consider(state: State) -> Step:
    """Observe, recall and plan in one step."""
    memory = stages.remember(state)
    planned = await stages.plan({**state, **stages.observe(state), **memory})
    return _onward({**memory, **planned}, "speak")


async def _speak(state: State) -> Step:
    """Write and check in one step; a repair comes back here."""
    written = await stages.write(state)
    if "action" not in written:
        written = {**written, **stages.check({**state, **written})}
    return _onward(written, "speak")


def _onward(update: State, after: Literal["write", "check", "speak"]) -> Step:
    """To the next node, unless the stage has set an action: that ends the turn."""
    return Command(update=update, goto="__end__" if "action" in update else after)


def compile_graph(*, fused: bool = True) -> Graph:
    """The graph, compiled: no checkpointer, no tracing, all nodes coroutines (a plain function would cost a thread).

    Nodes name the next one in a `Command`, which is cheaper than a conditional edge.

    Args:
        fused: two steps a turn instead of five; both ways give the same actions, calls and notes.
    """
    graph: StateGraph[State, None, State, State] = StateGraph(State)
    if fused:
        graph.add_node("consider", _consider, destinations=("speak", END))
        graph.add_node("speak", _speak, destinations=("speak", END))
    else:
        graph.add_node("observe", _observe, destinations=("recall",))
        graph.add_node("recall", _recall, destinations=("plan",))
        graph.add_node("plan", _plan, destinations=("write", END))
        graph.add_node("write", _write, destinations=("check", END))
        graph.add_node("check", _check, destinations=("write", END))
    graph.add_edge(START, "consider" if fused else "observe")
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
