"""Whose interests showed in a run, person by person, as one HTML page. Everything shown is escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from folkmoot.metrics.profile.counting import score_of
from folkmoot.metrics.profile.scores import BUCKETS
from folkmoot.metrics.recovery.made import MadeProfile, Side
from folkmoot.metrics.recovery.report import sentences, warnings
from folkmoot.sim.persona import DOMAINS

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem;
border-bottom:1px solid #ddd}h2{margin-top:2rem}"""
_HEAD = "<tr><th>domain</th><th>persona</th><th>from simulated posts</th><th>from the real timeline</th></tr>"


def recovery_page(
    title: str, found: Mapping[str, Any], made: Mapping[Side, Mapping[str, MadeProfile]], users: Sequence[str]
) -> str:
    """The section's sentences, then a table a person, the lowest F1 first.

    Args:
        title: of the page.
        found: what `report.section` gives.
        made: side -> user -> profile.
        users: who was scored.
    """
    lines = [*sentences(found), *(f"warning: {text}" for text in warnings(found))]
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    ranked = sorted(users, key=lambda user: (score_of(made["simulated"][user].counts["all"]).f1, user))
    people = "\n".join(_person(made["simulated"][user], made["real"].get(user)) for user in ranked)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>\n<ul>{said}</ul>\n{people}\n</html>\n"
    )


def _person(mine: MadeProfile, real: MadeProfile | None) -> str:
    scores = f"F1 {score_of(mine.counts['all']).f1:.2f} of {mine.posts} simulated posts"
    scores += "" if real is None else f", {score_of(real.counts['all']).f1:.2f} of {real.posts} real ones"
    reason = f" ({mine.reason})" if mine.reason else ""
    columns = (mine.persona, mine.predicted, {} if real is None else real.predicted)
    rows = "".join(
        f"<tr><td>{domain}</td>{''.join(f'<td>{_tags(one, domain)}</td>' for one in columns)}</tr>"
        for domain in DOMAINS
        if any(one.get(bucket, {}).get(domain) for one in columns for bucket in BUCKETS)
    )
    return f"<section><h2>{escape(mine.user)}: {escape(scores + reason)}</h2><table>{_HEAD}{rows}</table></section>"


def _tags(profile: Mapping[str, Mapping[str, Sequence[str]]], domain: str) -> str:
    shown = [f"{tag} ({bucket})" for bucket in BUCKETS for tag in profile.get(bucket, {}).get(domain, ())]
    return escape(", ".join(shown))
