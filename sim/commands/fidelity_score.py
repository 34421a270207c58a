"""`folkmoot fidelity score`: any text against a persona, with its audit trail."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from folkmoot.agents.llm.build import build_pool
from folkmoot.metrics.fidelity.evaluator import Evaluator, Item
from folkmoot.metrics.fidelity.evidence import Evidence
from folkmoot.metrics.fidelity.page import audit_page
from folkmoot.metrics.fidelity.spaces import LabelSpace, persona_space, profile_space, trait_space
from folkmoot.metrics.fidelity.table import mean_score
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.persona import Persona
from folkmoot.sim.runs import Run

CONTEXT = 3
"""Comments before the scored one that stand as its context."""


def read_space(path: Path, language: str) -> tuple[str, LabelSpace]:
    """A persona file: a Persona, {"trait", "level"}, or {"profile"}; its id ("" without one) and label space.

    Raises:
        ConfigError: it can't be read, or says nothing that a text could be held against.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"--persona {path} can't be read as JSON ({error})") from error
    if not isinstance(record, dict):
        raise ConfigError(f"--persona {path} holds a {type(record).__name__}; an object of a persona is needed")
    if "trait" in record:
        return "", trait_space(str(record["trait"]), str(record.get("level", "")), language)
    if set(record) <= {"profile"}:
        return "", profile_space(str(record.get("profile", "")), language)
    persona = check(Persona, record)
    return persona.id, persona_space(persona)


def texts_of(path: Path, space: LabelSpace) -> list[Item]:
    """Texts of a file: JSON lines with "text" and, if there is one, "context" and "id"; or plain text, one a line.

    Raises:
        ConfigError: it can't be read or holds no text.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--texts {path} can't be read as UTF-8 text ({error})") from error
    items = [_item(line, number, space, path) for number, line in enumerate(lines, 1) if line.strip()]
    if not items:
        raise ConfigError(f"--texts {path}: 0 texts; at least 1 line is needed")
    return items


def _item(line: str, number: int, space: LabelSpace, path: Path) -> Item:
    if not line.lstrip().startswith("{"):
        return Item(str(number), space, "", line)
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"--texts {path}, line {number}: damaged JSON ({error})") from error
    if "text" not in record:
        raise ConfigError(f'--texts {path}, line {number}: no "text" among {sorted(record)}')
    return Item(str(record.get("id", number)), space, str(record.get("context", "")), str(record["text"]))


def comments_of(run: Run, author: str, space: LabelSpace) -> list[Item]:
    """The simulated comments of a run, by the persona where it took part, else by all; the thread so far is context.

    Raises:
        ConfigError: there is none.
    """
    before: dict[str, list[str]] = {}
    found: list[tuple[str, Item]] = []
    for event in run.events():
        if isinstance(event, TextEvent):
            said = before.setdefault(event.thread, [])
            if event.origin in {"simulated", "candidate"}:
                found.append((event.actor, Item(str(event.seq), space, "\n\n".join(said[-CONTEXT:]), event.text)))
            said.append(event.text)
    own = [item for actor, item in found if actor == author]
    items = own or [item for _, item in found]
    if not items:
        raise ConfigError(f"--log {run.path}: 0 simulated comments; give a run that has some")
    return items


def score(items: Sequence[Item], overrides: Sequence[str], permutations: int, title: str) -> tuple[dict[str, Any], str]:
    """What was found, JSON-able, and the audit page.

    Raises:
        FolkmootError: what is wrong with the backend.
    """
    config = check(RunConfig, compose(overrides))

    async def ask() -> tuple[list[Evidence | None], Evaluator]:
        pool = build_pool(config.llm, config.seed)
        try:
            evaluator = Evaluator(pool, permutations=permutations, seed=config.seed)
            return await evaluator.score(items), evaluator
        finally:
            await pool.close()

    found, evaluator = asyncio.run(ask())
    scored = list(zip(items, found, strict=True))
    rated = [one for one in found if one is not None]
    result = {
        "model": evaluator.model.name,
        "permutations": permutations,
        "texts": [_plain(item, evidence) for item, evidence in scored],
        "mean": mean_score([one.score for one in rated], config.seed),
        "losses": dict(+evaluator.losses),
    }
    return result, audit_page(title, scored)


def _plain(item: Item, evidence: Evidence | None) -> dict[str, Any]:
    if evidence is None:
        return {"id": item.id, "score": None}
    return {
        "id": item.id,
        "score": round(evidence.score, 6),
        "lowest": evidence.lowest,
        "dimensions": {
            d: {
                "e": round(evidence.e(d), 6),
                "q": dict(zip("ABC", (round(x, 6) for x in q), strict=True)),
                "labels": dict(zip("ABC", item.space.texts[d], strict=True)),
            }
            for d, q in evidence.q.items()
        },
        "censored": evidence.censored,
        "sampled": evidence.sampled,
        "cut": evidence.cut,
    }
