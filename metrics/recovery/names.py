"""The numbers of the recovery monitor."""

NAME = "recovery"

NAMES: dict[str, tuple[str, str]] = {
    "f1": ("all", "f1"),
    "precision": ("all", "precision"),
    "recall": ("all", "recall"),
    "stable": ("stable", "f1"),
    "recent": ("recent", "f1"),
    "active": ("active", "f1"),
}
"""Published name -> scope and measure; f1, stable, recent and active are F1."""

BESIDE = (".low", ".high", ".n")
"""What is published beside a number."""


def published() -> set[str]:
    """All numbers that it may publish, without what stands beside them.

    >>> "recovery.real.margin.f1" in published()
    True
    """
    sides = (NAME, f"{NAME}.real")
    scopes = [f"{side}{part}" for side in sides for part in ("", ".swap", ".margin")]
    return {f"{NAME}.n", f"{NAME}.posts"} | {f"{scope}.{name}" for scope in (*scopes, f"{NAME}.gap") for name in NAMES}
