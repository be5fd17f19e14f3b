"""Settings for all tests."""

from __future__ import annotations

import multiprocessing
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time: neither that of an example, nor that in which examples are made, which on a fresh machine
# begins with hypothesis' own tables of characters.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# Where workers start by a fork server, as on Linux from Python 3.14 on, each would spend seconds on importing torch.
multiprocessing.set_forkserver_preload(["numpy", "pandas", "torch.utils.data"])


@pytest.fixture(name="modules_of_tool")
def _modules_of_tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Callable[[str], Any]]]:
    """Let a test import the modules of a folder in tools/, which import each other by their plain names."""
    before, tools = set(sys.modules), Path(__file__).resolve().parents[1] / "tools"

    def importer(tool: str) -> Callable[[str], Any]:
        monkeypatch.syspath_prepend(str(tools / tool))
        return import_module

    yield importer
    for name in set(sys.modules) - before:
        if tools in Path(getattr(sys.modules[name], "__file__", None) or "").parents:
            del sys.modules[name]
