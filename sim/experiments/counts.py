"""What happened in a run, counted by reason: nothing that was dropped or mended is lost silently."""

from collections import Counter
from collections.abc import Mapping, Sequence

from folkmoot.sim.events import Abstained, ActionRefused, ActivationFailed, Event
from folkmoot.sim.turn import Turn

PROMPT_FACTS = ("article_kept", "history_dropped", "history_short", "comments_omitted")
"""What a conditioning method notes when it shortens a prompt."""


class Counts:
    """A sink that counts refusals, silences, failures, repairs, mends, flags and shortened prompts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:
        """Count a turn's events and notes."""
        for event in events:
            if isinstance(event, ActionRefused):
                self._counts[f"refused: {event.reason}"] += 1
            elif isinstance(event, Abstained):
                self._counts[f"abstained: {event.reason}"] += 1
            elif isinstance(event, ActivationFailed):
                self._counts["failed"] += 1
        if turn is not None:
            self._facts(turn.facts)

    def _facts(self, facts: Mapping[str, object]) -> None:
        for stage in ("check", "repair"):
            found = facts.get(stage)
            if isinstance(found, Mapping):
                self._stage(stage, found)
        prompt = facts.get("prompt")
        if isinstance(prompt, Mapping):
            self._counts.update(f"prompt: {name}" for name in PROMPT_FACTS if name in prompt)
        if "plan_over_window" in facts:
            self._counts["plan: over window"] += 1

    def _stage(self, stage: str, found: Mapping[str, object]) -> None:
        if stage == "check" and found.get("reason"):
            self._counts[f"repaired or refused: {found['reason']}"] += 1
        for kind in ("mends", "flags"):
            for name in _names(found.get(kind)):
                self._counts[f"{kind[:-1]}: {name}"] += 1

    async def settle(self) -> str | None:
        """Never stops a run."""
        return None

    def counted(self) -> dict[str, int]:
        """Reason -> how often, in alphabetical order."""
        return dict(sorted(self._counts.items()))


def _names(value: object) -> Sequence[str]:
    return [str(name) for name in value] if isinstance(value, list | tuple) else []
