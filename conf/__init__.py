"""Hydra configuration groups, found by `pkg://folkmoot.conf`."""
