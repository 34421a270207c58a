"""Trackers of a kind each."""
