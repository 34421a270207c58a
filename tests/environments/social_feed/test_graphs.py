"""Follow graphs: sound, repeatable, and with the degrees and the reciprocity that were asked for."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.social_feed.graphs import (
    BarabasiAlbert,
    Blocks,
    CorpusFollows,
    Matched,
    WattsStrogatz,
    main_domain,
    make_follows,
)
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import DOMAINS, Interests, Persona


def people(n):
    """Users whose main domains go round."""
    return [
        Persona(id=f"u{i}", language="en", interests=Interests(stable={DOMAINS[i % 4]: ("one", "two")}))
        for i in range(n)
    ]


@given(
    st.sampled_from([BarabasiAlbert, WattsStrogatz, Blocks]),
    st.integers(12, 40),
    st.floats(1, 4),
    st.floats(0, 1),
    st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_generated_graph_is_sound_and_repeats(kind, n, followees, reciprocity, seed):
    """Law: follows are among the users, each once, nobody themself; the same seed gives the same graph."""
    config = kind(followees=followees, reciprocity=reciprocity)
    made = make_follows(config, people(n), (), seed)
    assert len(set(made.edges)) == len(made.edges)
    assert all(a != b and {a, b} <= {f"u{i}" for i in range(n)} for a, b in made.edges)
    assert make_follows(config, people(n), (), seed) == made


@pytest.mark.parametrize("config", [BarabasiAlbert(), WattsStrogatz(), Blocks()])
def test_degrees_and_reciprocity_are_those_asked_for(config):
    """Law: over many users the mean number of followees and the reciprocity are near what the config says."""
    graph = nx.DiGraph(make_follows(config, people(800), (), 3).edges)
    assert graph.number_of_edges() / 800 == pytest.approx(config.followees, rel=0.15)
    assert nx.overall_reciprocity(graph) == pytest.approx(config.reciprocity, abs=0.04)


def test_the_kinds_have_their_own_shapes():
    """Law: attachment makes hubs, re-wired rings cluster, blocks keep follows within a domain."""
    hubs, ring = (nx.DiGraph(make_follows(c, people(600), (), 1).edges) for c in (BarabasiAlbert(), WattsStrogatz()))
    assert max(d for _, d in hubs.in_degree()) > 3 * max(d for _, d in ring.in_degree())
    assert nx.transitivity(nx.Graph(ring)) > 5 * nx.transitivity(nx.Graph(hubs))
    users = people(600)
    domain = {user.id: main_domain(user) for user in users}
    made = make_follows(Blocks(within=0.8), users, (), 1).edges
    assert sum(domain[a] == domain[b] for a, b in made) / len(made) == pytest.approx(0.8, abs=0.04)


def test_a_matched_graph_has_the_real_degrees_and_reciprocity():
    """Law: with as many users as the real graph has, degrees are the real ones, but for what couldn't be placed."""
    rng = np.random.default_rng(1)
    real = list({(f"r{a}", f"r{b}") for a, b in rng.integers(0, 300, (2500, 2)) ** 2 // 300 if a != b})
    size = len({name for edge in real for name in edge})
    made = make_follows(Matched(), people(size), real, 5)
    lost = sum(made.losses.values())
    assert len(real) - len(made.edges) <= lost < len(real) / 10
    wanted, found = (sorted(Counter(b for _, b in edges).values()) for edges in (real, made.edges))
    assert abs(np.array(wanted[-size // 4 :]) - np.array(found[-size // 4 :])).mean() < 2
    one, other = (nx.overall_reciprocity(nx.DiGraph(edges)) for edges in (real, made.edges))
    assert other == pytest.approx(one, abs=0.05)
    assert made.losses.keys() <= {"stub without a partner", "a user paired with themself", "a pair drawn twice"}


def test_the_corpus_follows_are_kept_among_personas():
    """Law: follows of people without a persona are left out and counted."""
    made = make_follows(CorpusFollows(), people(2), [("u0", "u1"), ("u1", "stranger"), ("u0", "u1")], 1)
    assert made.edges == (("u0", "u1"),)
    assert made.losses == {"follow of somebody without a persona": 1}


def test_what_cannot_be_made_is_said():
    """Law: more followees than others, or nothing to match, is an error with its bound."""
    with pytest.raises(ConfigError, match="give fewer than 1"):
        make_follows(Blocks(followees=9), people(3), (), 1)
    with pytest.raises(ConfigError, match="0 follows to match"):
        make_follows(Matched(), people(3), (), 1)


def test_who_has_no_interests_has_no_domain():
    """Law: the main domain is that of most tags, stable and recent alike; none without tags."""
    some = Interests(stable={"pets": ("cats",)}, recent={"gaming": ("chess", "go")})
    assert main_domain(Persona(id="a", language="en", interests=some)) == "gaming"
    assert main_domain(Persona(id="a", language="en")) == ""
