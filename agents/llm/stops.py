"""Stop strings."""

from collections.abc import Callable, Sequence


def cut(text: str, stops: Sequence[str]) -> str:
    """The text up to the first stop string.

    >>> cut("one two three", (" three", "two"))
    'one '
    """
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else text


def until(stops: Sequence[str], text: Callable[[list[int]], str]) -> Callable[[list[int]], bool] | None:
    """Tells from the ids made so far whether a stop string has come; None where there are no stop strings."""
    if not stops:
        return None

    def stop_here(made: list[int]) -> bool:
        said = text(made)
        return any(stop in said for stop in stops)

    return stop_here
