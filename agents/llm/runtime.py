"""The OpenVINO modules, loaded without their telemetry.

On import the library counts its users: it sends a message to an analytics service and leaves files
in the home folder. It does without where its telemetry package is missing, so that is what it finds.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

TELEMETRY = "openvino_telemetry"


def openvino() -> Any:
    """The module `openvino`."""
    return _quietly("openvino")


def genai() -> Any:
    """The module `openvino_genai`."""
    openvino()
    return _quietly("openvino_genai")


def _quietly(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    hidden = TELEMETRY not in sys.modules
    if hidden:
        sys.modules[TELEMETRY] = None  # type: ignore[assignment]  # an import of it fails as if it weren't installed
    try:
        return import_module(name)
    finally:
        if hidden:
            del sys.modules[TELEMETRY]
