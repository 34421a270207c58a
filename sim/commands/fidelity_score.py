"""`folkmoot fidelity score`: any text against a persona, with its audit trail."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from folkmoot.agents.llm.build import build_pool
from folkmoot.metrics.fidelity.benchmarks import is_text, read_records
from folkmoot.metrics.fidelity.evaluator import Evaluator, Item
from folkmoot.metrics.fidelity.evidence import Evidence
from folkmoot.metrics.fidelity.page import audit_page
from folkmoot.metrics.fidelity.spaces import LabelSpace, persona_space, profile_space, trait_space
from folkmoot.metrics.fidelity.table import mean_score
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, counted, kind_of
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
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"--persona {path} can't be read as JSON ({error})") from error
    if not is_text(record):
        raise ConfigError(f"--persona {path} holds half a character (a lone surrogate such as \\ud800); take it out")
    if not isinstance(record, dict):
        raise ConfigError(f"--persona {path} holds {kind_of(record)}; an object of a persona is needed")
    if "trait" in record:
        return "", trait_space(str(record["trait"]), str(record.get("level", "")), language)
    if set(record) <= {"profile"}:
        profile = record.get("profile", "")
        if not isinstance(profile, str):
            raise ConfigError(f"--persona {path}: profile is {kind_of(profile)}; text is needed")
        return "", profile_space(profile, language)
    persona = check(Persona, record)
    return persona.id, persona_space(persona)


def texts_of(path: Path, space: LabelSpace, dropped: Counter[str]) -> list[Item]:
    """Texts of a file: JSON objects with "text" and, if there is one, "context" and "id"; or plain text, one a line.

    A file is JSON where its name or any of its lines says so; what is no object with a text is counted, not scored.

    Args:
        path: of the file.
        space: that the texts are held against.
        dropped: grows by what can't be used, by reason.

    Raises:
        ConfigError: it can't be read or holds no text.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--texts {path} can't be read as UTF-8 text ({error})") from error
    if path.suffix in _JSON or any(line.lstrip().startswith("{") for line in lines):
        records = enumerate(read_records(path, dropped), 1)
        items = [item for number, record in records if (item := _item(record, number, space, dropped))]
    else:
        items = [Item(str(number), space, "", line) for number, line in enumerate(lines, 1) if line.strip()]
    if not items:
        raise ConfigError(
            f'--texts {path}: 0 texts ({counted(dropped)}); at least 1 is needed, plain or as "text" in JSON'
        )
    return items


_JSON = (".json", ".jsonl", ".ndjson")


def _item(record: Mapping[str, Any], number: int, space: LabelSpace, dropped: Counter[str]) -> Item | None:
    text, context = record.get("text"), record.get("context") or ""
    if not isinstance(text, str) or not isinstance(context, str):
        dropped["entries whose text or context isn't text"] += 1
        return None
    return Item(str(record.get("id", number)), space, context, text)


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


def score(
    items: Sequence[Item], overrides: Sequence[str], permutations: int, title: str, dropped: Mapping[str, int]
) -> tuple[dict[str, Any], str]:
    """What was found, JSON-able, and the audit page.

    Args:
        items: what is scored.
        overrides: of the config.
        permutations: label orders of a prompt.
        title: of the page.
        dropped: what was left out before, by reason; it stands among the losses.

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
        "losses": {**dropped, **+evaluator.losses},
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
