"""Settings for all tests."""

from __future__ import annotations

import multiprocessing
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from tests.levels import IS_THOROUGH, load_profile

load_profile()

# Tests run side by side, and the processes that they start, too. Networks are too small to be shared between threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where workers start by a fork server, as on Linux from Python 3.14 on, each would spend seconds on importing torch.
multiprocessing.set_forkserver_preload(["numpy", "pandas", "torch.utils.data"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `thorough`, except in `make thorough`."""
    if not IS_THOROUGH:
        left_out = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


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
