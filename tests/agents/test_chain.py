"""The walk without LangGraph's engine: the same as with it, and only where the graph is a walk."""

# ruff: noqa: D103 -- helpers of the tests

import asyncio
from operator import add
from typing import Annotated, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.globals import set_debug
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy

from folkmoot.agents import graph as model_agents
from folkmoot.agents.build import AgentsConfig, build_agents
from folkmoot.agents.chain import chain_of
from folkmoot.agents.conditioning.base import BaseConfig
from folkmoot.agents.graph import compile_graph
from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.policy import PlanPolicy
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.sim.activity import DAY, Activity, Delay
from folkmoot.sim.call_records import read_calls
from folkmoot.sim.calls import Caller
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog
from folkmoot.sim.notes import Notes
from folkmoot.sim.persona import Persona
from folkmoot.sim.turn import Limits, World

NODES = ("a", "b", "c")


class State(TypedDict, total=False):
    """Three keys that a node may write."""

    x: int
    y: int
    seen: tuple


class Sums(TypedDict, total=False):
    """A state with a reducer."""

    x: Annotated[int, add]


def node(name, update, ways):
    """A node that notes what it was given, and goes each way in turn."""

    async def run(state):
        seen = (*state.get("seen", ()), (name, state.get("x"), state.get("y")))
        told = {**update, "seen": seen, "unknown": 1}
        visits = sum(visit[0] == name for visit in seen)
        return Command(update=told, goto=ways[visits - 1] if visits <= len(ways) else END)

    return run


def graph_of(updates, ways, first="a"):
    builder = StateGraph(State)
    for name in NODES:
        builder.add_node(name, node(name, updates[name], ways[name]), destinations=(*NODES, END))
    builder.add_edge(START, first)
    return builder.compile()


WAYS = st.lists(st.sampled_from((*NODES, END)), max_size=3)
UPDATES = st.dictionaries(st.sampled_from("xy"), st.integers(0, 9))


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(dict.fromkeys(NODES, UPDATES)),
    st.fixed_dictionaries(dict.fromkeys(NODES, WAYS)),
    st.sampled_from(NODES),
    UPDATES,
)
def test_a_walk_is_what_the_engine_does(updates, ways, first, state):
    """Law: whatever the nodes write and wherever they lead, loops included, walk and engine end in the same state."""
    graph = graph_of(updates, ways, first)
    state = {"x": 1, **state}  # the engine refuses an empty input
    assert asyncio.run(chain_of(graph).run(state)) == asyncio.run(graph.ainvoke(state))


def live(folder, agents, model, *, days=1.5):
    """A small town of model-driven agents; what it wrote, wall-clock facts left out."""
    folder.mkdir()
    pool = Pool(model, PoolConfig(concurrency=4, retries=8, backoff_s=0.0))
    people = [Persona(id=f"agent{i}", language="en") for i in range(6)]
    built = build_agents(people, BaseConfig(max_comments=4), pool, PlanPolicy({"open": 0.3}), agents)
    log, notes = EventLog(folder / "events.jsonl"), Notes(folder / "notes.jsonl")
    caller = Caller(pool, folder / "calls.jsonl", 1)
    limits = Limits(end=1_700_000_000_000 + int(days * DAY))
    kernel = Kernel(seed=1, start=1_700_000_000_000, log=log, caller=caller, limits=limits, sinks=[notes])
    page = TalkPage("en", "en", {"Talk:Mill": Page("Talk:Mill", "The mill stands by the river.")})
    outcome = asyncio.run(kernel.run([World(page, built, Activity(rate_per_day=6, think=Delay(mean_s=1800)))]))
    for file in (log, notes, caller):
        file.close()
    calls = {
        (c.agent, c.activation, c.call, c.attempt): (c.prompt, c.seed, c.answer and c.answer.text, c.error)
        for c in read_calls(folder / "calls.jsonl")
    }
    return outcome.events, (folder / "events.jsonl").read_bytes(), (folder / "notes.jsonl").read_bytes(), calls


@pytest.mark.parametrize("plan", ["policy", "model"])
def test_walk_and_engine_write_the_same_log(plan, tmp_path, monkeypatch):
    """Law: log, notes and calls are the same byte for byte without the engine as with it: repairs, refusals, retries."""
    config = AgentsConfig(plan=plan, max_tokens=60)
    faults = {"garbage_rate": 0.3, "transient_rate": 0.2, "latency_s": 0.001, "latency_jitter": 1.0}

    def run(name):
        return live(tmp_path / name, config, ScriptedModel(ScriptedConfig(language="en", **faults)))

    walked = run("walked")
    monkeypatch.setattr(model_agents, "chain_of", lambda _: None)
    assert run("engine") == walked
    assert walked[0] > 40
    assert b"ActionRefused" in walked[1]
    assert b'"repair"' in walked[2]


def one(schema=State, *, edges=(), node_options=None, function=None, **options):
    """A graph of one node and an idle second."""
    builder = StateGraph(schema)
    builder.add_node("a", function or node("a", {"x": 2}, ()), **(node_options or {"destinations": (END,)}))
    builder.add_node("b", node("b", {}, ()))
    builder.add_edge(START, "a")
    for edge in edges:
        builder.add_edge(*edge)
    return builder.compile(**options)


def sync(state):
    return {"x": 2}


async def configured(state, config):
    return {"x": 2}


def branching():
    builder = StateGraph(State)
    builder.add_node("a", node("a", {}, ()))
    builder.add_edge(START, "a")
    builder.add_conditional_edges("a", lambda state: END, [END])
    return builder.compile()


@pytest.mark.parametrize(
    "make",
    [
        branching,
        lambda: one(Sums),
        lambda: one(edges=[(START, "b")]),
        lambda: one(edges=[("a", "b")]),
        lambda: one(edges=[(["a", "b"], END)], node_options={"metadata": {}}),
        lambda: one(function=sync),
        lambda: one(function=configured),
        lambda: one(node_options={"retry_policy": RetryPolicy()}),
        lambda: one(node_options={"defer": True}),
        lambda: one(checkpointer=InMemorySaver()),
        lambda: one(interrupt_before=["a"]),
        lambda: one().with_config(tags=["mine"]),
    ],
)
def test_what_needs_the_engine_has_it(make):
    """Law: a graph with anything that the walk doesn't know is no walk."""
    assert chain_of(make()) is None


def test_a_graph_is_no_walk_while_callbacks_are_set():
    """Law: tracing and other callbacks of the process see the graph's steps, so they need the engine."""
    set_debug(True)
    try:
        assert chain_of(compile_graph()) is None
    finally:
        set_debug(False)
    assert chain_of(compile_graph()) is not None


def test_plain_edges_are_walked():
    """Nodes without commands are joined by their edges; the last one's update is in the state."""
    builder = StateGraph(State)

    async def double(state):
        return {"x": 2 * state["x"]}

    for name in NODES:
        builder.add_node(name, double)
    builder.add_edge(START, "a").add_edge("a", "b").add_edge("b", "c").add_edge("c", END)
    assert asyncio.run(chain_of(builder.compile()).run({"x": 1})) == {"x": 8}


@pytest.mark.parametrize("goto", [["a", "b"], "nowhere"])
def test_two_ways_at_once_are_refused(goto):
    """A command that fans out, or names no node, stops the turn with the way out: there is no engine to run it."""

    async def fan(state):
        return Command(goto=goto)

    graph = one(function=fan, node_options={"destinations": ("b", END)})
    with pytest.raises(ConfigError, match="node 'a' goes on to .*engine"):
        asyncio.run(chain_of(graph).run({"x": 1}))


def test_a_walk_without_an_end_is_stopped():
    """A loop that never ends is an error that names the last node."""

    async def back(state):
        return Command(goto="a")

    graph = one(function=back, node_options={"destinations": ("a", END)})
    with pytest.raises(ConfigError, match="10000 steps"):
        asyncio.run(chain_of(graph).run({"x": 1}))
