"""The audit trail of scored texts as one HTML page: texts, label texts, probabilities. Everything shown is escaped."""

from collections.abc import Sequence
from html import escape

from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.evidence import Evidence
from folkmoot.metrics.fidelity.wording import DIMENSIONS, LABELS, wording

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
pre{white-space:pre-wrap;background:#f4f4f4;padding:.6rem;border-radius:4px}table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid #ddd}td.n{text-align:right}
meter{width:8rem}h2{margin-top:2.2rem}.low{color:#a33;font-weight:600}"""


def audit_page(title: str, scored: Sequence[tuple[Item, Evidence | None]], intro: str = "") -> str:
    """One section a text: its score, its lowest dimension, and every label with its probability.

    Args:
        title: of the page.
        scored: texts and what was found.
        intro: HTML that stands before them; whatever it shows is escaped already.
    """
    sections = "\n".join(_section(item, evidence) for item, evidence in scored)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>\n{intro}{sections}\n</html>\n"
    )


def _section(item: Item, evidence: Evidence | None) -> str:
    context = f"<details><summary>context</summary><pre>{escape(item.context)}</pre></details>" if item.context else ""
    text = f"{context}<pre>{escape(item.response)}</pre>"
    if evidence is None:
        return f"<section><h2>{escape(item.id)}: no score</h2>{text}<p>An empty text can't be scored.</p></section>"
    words = wording(item.space.language)
    notes = [f"cut to fit the window: {evidence.cut}"] * bool(evidence.cut)
    notes += [f"{evidence.censored} labels were outside the backend's top tokens: upper bounds"] * bool(
        evidence.censored
    )
    notes += ["sampled frequencies, no log-probabilities"] * evidence.sampled
    rows = "".join(_rows(item, evidence, dimension, words.dimensions[dimension].name) for dimension in DIMENSIONS)
    return (
        f"<section><h2>{escape(item.id)}: S = {evidence.score:.3f}</h2>{text}"
        f"<p>lowest: {escape(words.dimensions[evidence.lowest].name)}{''.join('; ' + escape(n) for n in notes)}</p>"
        f"<table><tr><th>dimension</th><th>label</th><th>text</th><th>probability</th></tr>{rows}</table></section>"
    )


def _rows(item: Item, evidence: Evidence, dimension: str, name: str) -> str:
    low = ' class="low"' if dimension == evidence.lowest else ""
    return "".join(
        f"<tr><td{low}>{escape(name) if k == 0 else ''}</td><td>{LABELS[k]}</td><td>{escape(text)}</td>"
        f'<td class="n">{q:.3f} <meter value="{q:.3f}"></meter></td></tr>'
        for k, (text, q) in enumerate(zip(item.space.texts[dimension], evidence.q[dimension], strict=True))
    )
