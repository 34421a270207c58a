"""Time, order and memory of a run."""
