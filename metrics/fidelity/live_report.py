"""What the fidelity monitor found in a run: a JSON-able section, sentences, table rows. No text of the community."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.metrics.fidelity.scored import MEASURES, ScoredText
from folkmoot.metrics.fidelity.swap import verdict
from folkmoot.metrics.sections import interval, number, plain, with_section
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate

if TYPE_CHECKING:
    from folkmoot.metrics.fidelity.live import FidelityFeed

FEW_TEXTS = 5
"""Scored texts under which an agent's mean is marked."""


def section(feed: "FidelityFeed") -> dict[str, Any]:
    """All numbers of a finished feed, JSON-able; a bound that isn't defined is None."""
    ledger, config = feed.ledger, feed.config
    agents, others = ledger.by_agent(), ledger.others()
    swap = ledger.swapped()
    return {
        "evaluator": feed.evaluator.model.name,
        "own_model": config.evaluator is None,
        "texts": feed.texts,
        "drawn": feed.drawn,
        "scored": len(ledger.texts),
        "people": len(agents),
        "settings": config.model_dump(mode="json", exclude={"evaluator"}),
        "losses": dict(feed.losses),
        "partly": _partly(ledger.texts),
        "failure": feed.failure,
        "without_cues": list(feed.without_cues),
        "numbers": plain(ledger.population()),
        "groups": {name: plain(found) for name, found in ledger.by_group().items()},
        "agents": {name: plain(found) for name, found in agents.items()},
        "others": {name: plain(found) for name, found in others.items()},
        "swap": plain(swap),
        "verdict": verdict(swap.get("auc")),
        "charts": ledger.drift.charts,
        "alarms": [msgspec.to_builtins(alarm) for alarm in ledger.drift.alarms],
        "worst": worst(ledger.texts, agents, config.worst),
    }


def joined(summary: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A community's summary with the section, its sentences and its warnings."""
    return with_section(summary, "fidelity", found, sentences(found), warnings(found))


def worst(texts: list[ScoredText], agents: Mapping[str, Mapping[str, Estimate]], most: int) -> list[dict[str, Any]]:
    """The agents with the lowest mean S, the lowest first; of each its lowest dimension and its lowest text."""
    ranked = sorted(agents, key=lambda agent: (agents[agent]["score"].value, agent))[:most]
    found = []
    for agent in ranked:
        mean = agents[agent]
        lowest = min((one for one in texts if one.agent == agent), key=lambda one: (one.values[0], one.seq))
        found.append(
            {
                "agent": agent,
                "score": number(mean["score"]),
                "few": mean["score"].n_items < FEW_TEXTS,
                "lowest": min(MEASURES[1:], key=lambda name: mean[name].value),
                "text": {"seq": lowest.seq, "score": lowest.values[0], "lowest": lowest.lowest, "q": lowest.q},
            }
        )
    return found


def sentences(found: Mapping[str, Any]) -> list[str]:
    """What the section says, in words."""
    said = [_about(found)]
    if not found["scored"]:
        return said
    swap, settings = found["swap"], found["settings"]
    auc = f", AUC {interval(swap['auc'])}" if "auc" in swap else ""
    of = f" (n = {swap['auc']['n_items']} texts)" if "auc" in swap else ""
    said.append(f"control: the same texts against another's persona{auc}{of}: this evaluator {found['verdict']}")
    alarms = found["alarms"]
    where = "; ".join(_alarm(alarm) for alarm in alarms[:3]) + ("; ..." if len(alarms) > 3 else "")  # noqa: PLR2004
    rule = f"without drift {settings['false_alarms']:.0%} of runs raise any, up to {settings['horizon']} texts a chart"
    said.append(f"drift: {len(alarms)} alarms on {found['charts']} charts{': ' + where if where else ''} ({rule})")
    if found["worst"]:
        rows = ", ".join(f"{_name(one['agent'])} {one['score']['value']:.2f}" for one in found["worst"][:3])
        said.append(f"lowest mean S: {rows}; evidence in fidelity/")
    return said


def _about(found: Mapping[str, Any]) -> str:
    if not found["scored"]:
        lost = ", ".join(f"{count} {why}" for why, count in found["losses"].items()) or "none was drawn"
        return f"persona fidelity: 0 of {found['texts']} texts scored ({lost})"
    size = f"n = {found['scored']} of {found['texts']} texts by {found['people']} people"
    share = found["settings"]["share"]
    drawn = f", drawn at {share:.0%}" if share < 1 else ""
    by = f"evaluator {found['evaluator']}, the run's own model" if found["own_model"] else found["evaluator"]
    return f"persona fidelity: S {interval(found['numbers']['score'])} ({size}{drawn}; {by})"


def warnings(found: Mapping[str, Any]) -> list[str]:
    """What was not scored, or not in full, and what makes the numbers weak."""
    said = [f"fidelity: {count} texts not scored: {why}" for why, count in sorted(found["losses"].items())]
    said += [f"fidelity: {count} texts {why}" for why, count in sorted(found["partly"].items())]
    if found["failure"]:
        said.append(f"fidelity: the evaluator's first failure: {found['failure']}")
    if found["without_cues"]:
        said.append(f"fidelity: {len(found['without_cues'])} personas have no cues")
    if 0 < found["people"] < FEW_UNITS:
        said.append(f"fidelity: {found['people']} people scored: under {FEW_UNITS} the intervals are too narrow")
    return said


def rows(found: Mapping[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """Rows of the run's table: the real side has no scores."""
    named = {f"fidelity {name}": found["numbers"].get(name) for name in MEASURES}
    named |= {f"fidelity swap_{name}": found["swap"].get(name) for name in ("score", "auc")}
    return [(name, interval(one), "", "", "") for name, one in named.items() if one]


def _alarm(alarm: Mapping[str, Any]) -> str:
    who = alarm["scope"] if alarm["scope"] == "population" else f"{alarm['scope']} {_name(alarm['name'])}"
    return f"{who}, {alarm['measure']}, falling since event {alarm['since']}"


def _name(name: str) -> str:
    return " ".join(name.split())[:40]


def _partly(texts: list[ScoredText]) -> dict[str, int]:
    counts = {f"with the {part} cut to fit the window": sum(one.cut == part for one in texts) for part in _CUT}
    counts["with censored labels"] = sum(one.censored > 0 for one in texts)
    counts["scored by sampled frequencies"] = sum(one.sampled for one in texts)
    return {why: count for why, count in counts.items() if count}


_CUT = ("context", "response")
