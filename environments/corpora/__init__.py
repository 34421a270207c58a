"""Corpora: environments that have already run."""
