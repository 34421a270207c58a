"""What the calls have used so far."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """What the live view and the budgets read.

    Attributes:
        in_flight: calls at the backend now; `most_in_flight` is their maximum so far.
        waiting: calls that wait for a slot, a rate limit or a retry.
        calls: finished calls, answered from the cache included; `cached` and `shared` are parts of them.
        attempts: tries at the backend that ended, well or badly.
        failed_attempts: those that ended badly; `failed_calls` found no answer in all their tries.
        cancelled: tries that were given up from outside; not among `attempts`.
        cost: US dollars.
    """

    in_flight: int = 0
    most_in_flight: int = 0
    waiting: int = 0
    calls: int = 0
    cached: int = 0
    shared: int = 0
    attempts: int = 0
    retries: int = 0
    failed_attempts: int = 0
    failed_calls: int = 0
    cancelled: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens
