"""Array-likes to tensors: lists, NumPy arrays and tensors enter every metric alike."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from folkmoot.sim.errors import MetricError

Array = Tensor | NDArray[Any] | Sequence[Any]
"""What the public metrics accept."""


def as_tensor(values: Array, device: torch.device | str | None = None) -> Tensor:
    """A floating tensor: float64, on Apple's MPS float32 (it has no float64).

    A tensor stays on its own device unless `device` says otherwise.
    """
    if not isinstance(values, Tensor):
        values = torch.from_numpy(np.array(values, dtype=np.float64))
    target = torch.device(device) if device is not None else values.device
    return values.to(device=target, dtype=torch.float32 if target.type == "mps" else torch.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let this thread's torch use one core: for numbers so few that a second one does little but wait for the first."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def measures(name: str, values: Array) -> Tensor:
    """A tensor of finite, non-negative numbers with at least one along the last dimension.

    Raises:
        MetricError: naming the first value that is out of bounds, or the empty dimension.
    """
    tensor = as_tensor(values)
    if tensor.ndim == 0 or tensor.shape[-1] == 0:
        raise MetricError(f"{name} has shape {tuple(tensor.shape)}; at least one number along the last dimension")
    bad = ~(torch.isfinite(tensor) & (tensor >= 0))
    if bool(bad.any()):
        raise MetricError(f"{name} holds {tensor[bad][0].item()}; counts and weights are finite and >= 0")
    return tensor


def same_support(a: Tensor, b: Tensor) -> None:
    """Refuse two sides of unequal length along the last dimension.

    Raises:
        MetricError: with both lengths and the way out.
    """
    if a.shape[-1] != b.shape[-1]:
        raise MetricError(
            f"unequal support: {a.shape[-1]} against {b.shape[-1]} categories; "
            "give both sides the same labels in the same order (`align` does it for dicts)"
        )
