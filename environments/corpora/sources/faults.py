"""What couldn't be read, by reason, with the lines where to look."""

from collections import Counter

FEW = 5
"""Lines that are named for a reason."""

REASONS = 40
"""Different reasons that are told apart; the rest is counted as one."""

LONGEST = 120
"""Characters of a reason."""


class Faults:
    """Collects faults by reason while a file is read; `tell` then adds them to the losses."""

    def __init__(self) -> None:
        self._lines: dict[str, list[int]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, reason: str, line: int) -> None:
        """One more."""
        reason = " ".join(reason.split())[:LONGEST]
        if reason not in self._counts and len(self._counts) >= REASONS:
            reason = "other faults"
        self._counts[reason] += 1
        lines = self._lines.setdefault(reason, [])
        if len(lines) < FEW:
            lines.append(line)

    def tell(self, losses: Counter[str]) -> None:
        """Add "reason (lines 3, 7, ...)" -> count, and forget them.

        >>> faults, losses = Faults(), Counter()
        >>> faults.add("no text", 3)
        >>> faults.add("no text", 7)
        >>> faults.tell(losses)
        >>> losses
        Counter({'no text (lines 3, 7)': 2})
        """
        for reason, count in self._counts.items():
            lines = self._lines[reason]
            listed = ", ".join(str(line) for line in lines) + (", ..." if count > len(lines) else "")
            losses[f"{reason} (line{'s' if count > 1 else ''} {listed})"] += count
        self._lines.clear()
        self._counts.clear()
