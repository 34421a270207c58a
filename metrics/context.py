"""What an annotator sees of a comment: the thread's title and the comments before it."""

from collections import deque

from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Utterance


class Contexts:
    """Remembers the last `size` comments of each thread, in log order.

    A candidate stands beside its target: it sees the comments before the target, and none sees it.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._titles: dict[str, str] = {}
        self._last: dict[str, deque[tuple[int, str]]] = {}

    def take(self, event: TextEvent) -> Utterance:
        """The next comment of the log as an utterance."""
        title = getattr(event, "title", None)
        if title is not None:
            self._titles[event.thread] = title
        if not self.size:
            return Utterance(self._titles.get(event.thread, ""), (), event.text, event.language, event)
        last = self._last.get(event.thread)
        if last is None:
            # One more than needed: the target itself may come before its candidate.
            last = self._last[event.thread] = deque(maxlen=self.size + 1)
        target = event.target
        context = [text for seq, text in last if target is None or seq < target]
        if event.origin != "candidate" and not event.wordless:
            last.append((event.seq, event.text))
        context = context[max(0, len(context) - self.size) :]
        return Utterance(self._titles.get(event.thread, ""), tuple(context), event.text, event.language, event)
