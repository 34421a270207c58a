"""Whether a built corpus may be used: private things, raw names, broken references, leaks."""

from folkmoot.environments.corpora.checking.findings import KINDS, LEAKS, WAYS_OUT, Finding, harmful, read_lines
from folkmoot.environments.corpora.checking.names import check_names
from folkmoot.environments.corpora.checking.parts import check_parts
from folkmoot.environments.corpora.checking.people import check_profiles
from folkmoot.environments.corpora.checking.references import check_references
from folkmoot.environments.corpora.checking.source import source_names

__all__ = [
    "KINDS",
    "LEAKS",
    "WAYS_OUT",
    "Finding",
    "check_names",
    "check_parts",
    "check_profiles",
    "check_references",
    "harmful",
    "read_lines",
    "source_names",
]
