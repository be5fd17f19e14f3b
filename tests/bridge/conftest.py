"""R, in this process and in separate ones. If R is missing, these tests fail and say what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from rbridge._install import find_r
from rbridge.session import Session, session
from tests.bridge.calls import Calls, all_calls
from tests.specimens import write_files

ROOT = Path(__file__).resolve().parents[2]

# What the Makefile exports, for a test that is run by hand.
os.environ.setdefault("R_LIBS", str(ROOT / ".r-library"))
os.environ.setdefault("RETICULATE_PYTHON", sys.executable)
os.environ.setdefault("R_ENABLE_JIT", "0")
os.environ.setdefault("R_COMPILE_PKGS", "0")


@pytest.fixture(scope="session")
def r() -> Session:
    return session()


@pytest.fixture(scope="session")
def base(r: Session) -> Any:
    return r.rinterface.baseenv


@pytest.fixture(scope="session")
def evaluated(base: Any) -> Callable[[str], Any]:
    """Return the value of R code."""
    return lambda text: base["eval"](base["parse"](text=text), base["new.env"]())


@pytest.fixture(scope="session")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """Return all calls of samplers by name, with files."""
    folder = tmp_path_factory.mktemp("specimens")
    write_files(folder)
    return all_calls(folder)


@pytest.fixture(scope="session")
def rscript(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run a file of R code, or code, in a fresh process; return what it printed, from JSON if it is."""
    program, folder = find_r("Rscript"), tmp_path_factory.mktemp("rscript")
    assert program is not None, "Rscript was not found"

    def run(script: "Path | str", *arguments: object, cwd: Path = folder, **environment: str) -> Any:
        if isinstance(script, str):
            (folder / "script.R").write_text(script, encoding="utf-8")
            script = folder / "script.R"
        done = subprocess.run(
            [program, str(script), *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, **environment},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout[:1] in ("[", "{") else done.stdout

    return run
