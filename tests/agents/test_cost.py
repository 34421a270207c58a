"""What a turn costs, against a bare LangGraph graph in the same run; `pytest -m benchmark tests/agents/test_cost.py -s`."""

import asyncio
import time
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from pydantic import TypeAdapter

from folkmoot.agents import graph
from folkmoot.agents.build import AgentsConfig, make_tools
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.graph import ModelAgent, compile_graph
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.rules import RuleAgent

CONFIG = TypeAdapter(ConditionConfig)
POLICY = PlanPolicy({"open": 0.0})
ROUNDS, BATCH = 30, 10


class Bare(TypedDict):
    value: Any


def _bare(nodes: int):
    async def idle(state):
        return {"value": 1}

    builder = StateGraph(Bare)
    names = [f"n{index}" for index in range(nodes)]
    for name, after in zip(names, [*names[1:], END], strict=True):
        builder.add_node(name, idle)
        builder.add_edge(name, after)
    builder.add_edge(START, names[0])
    return builder.compile()


def _best(variants):
    """Milliseconds of CPU a call of each variant: the best of interleaved batches, which other load disturbs least."""

    async def measure():
        best = dict.fromkeys(variants, float("inf"))
        for _ in range(ROUNDS):
            for name, call in variants.items():
                start = time.process_time()
                for _ in range(BATCH):
                    await call()
                best[name] = min(best[name], (time.process_time() - start) / BATCH * 1e3)
        return best

    return asyncio.run(measure())


@pytest.mark.benchmark
def test_a_turn_costs_less_than_half_of_langgraph_alone(persona, words, turn, view, events, monkeypatch):
    """A whole turn costs less than half of four idle LangGraph nodes (1.2 ms on a quiet machine)."""
    page = view("ada", events, article="The Old Bridge spans the river. " * 40)
    bare = _bare(4)
    variants = {"four idle nodes": lambda: bare.ainvoke({"value": 0})}
    for name in ("base", "profile", "history"):
        tools = make_tools(CONFIG.validate_python({"name": name}), words(), POLICY, AgentsConfig())
        walked = ModelAgent(persona, compile_graph(), tools)
        with monkeypatch.context() as patch:
            patch.setattr(graph, "chain_of", lambda _: None)
            engine = ModelAgent(persona, compile_graph(), tools)
        variants[f"{name}, walked"] = lambda agent=walked: agent.act(turn("ada"), page)
        variants[f"{name}, engine"] = lambda agent=engine: agent.act(turn("ada"), page)
    best = _best(variants)
    whole = best["four idle nodes"]
    for name, cost in best.items():
        print(f"{name:24s} {cost:6.3f} ms {cost / whole:5.2f}")  # noqa: T201 -- a benchmark shows its figures
    assert best["profile, walked"] <= 0.5 * whole


@pytest.mark.benchmark
def test_a_rule_driven_act_is_light(persona, turn, view, events):
    """A rule-driven act costs less than a fortieth of four idle LangGraph nodes (30 us of 1.2 ms)."""
    page, agent, bare = view("ada", events), RuleAgent(persona, POLICY), _bare(4)

    async def act():
        agent.act(turn("ada"), page)

    best = _best({"four idle nodes": lambda: bare.ainvoke({"value": 0}), "rule": act})
    print(f"rule-driven {best['rule'] * 1e3:.1f} us, four idle nodes {best['four idle nodes'] * 1e3:.0f} us")  # noqa: T201 -- a benchmark shows its figures
    assert best["rule"] <= best["four idle nodes"] / 40
