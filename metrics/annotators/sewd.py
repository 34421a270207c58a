"""From the labels of the Simple English Wikipedia Discussion corpus (Ferschke et al. 2012) to the ten acts.

The mapping is the paper's (Wiki-Talkie, section on dialog acts): kinds of criticism are one act, and so on.
"""

from collections.abc import Iterable

from folkmoot.metrics.annotators.base import ACTS, Labels, in_order
from folkmoot.sim.errors import AnnotationError, did_you_mean

SEWD = {
    "CM": "CRITIQUE", "CW": "CRITIQUE", "CU": "CRITIQUE", "CS": "CRITIQUE", "CL": "CRITIQUE", "COBJ": "CRITIQUE",
    "CO": "CRITIQUE", "PSR": "REQUEST", "PREF": "REFERENCE", "PFC": "COMMIT", "PPC": "REPORT", "IP": "INFORM",
    "IC": "INFORM", "IS": "ASK", "ATT+": "POSITIVE", "ATT-": "NEGATIVE", "ATTP": "PARTIAL",
}  # fmt: skip
"""SEWD label -> act."""


def from_sewd(labels: Iterable[str]) -> Labels:
    """The acts of SEWD labels, each once, in the fixed order; case and white space don't matter.

    Raises:
        AnnotationError: a label isn't one of the seventeen.

    >>> from_sewd(["CM", "cobj", "ATT+"])
    ('CRITIQUE', 'POSITIVE')
    """
    names = [label.strip().upper() for label in labels]
    for name in names:
        if name not in SEWD:
            raise AnnotationError(f"{name!r} isn't a SEWD label; {did_you_mean(name, SEWD)}")
    return in_order([SEWD[name] for name in names], ACTS)
