"""R, in this process and in separate ones. If R is missing, these tests fail and say what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from rbridge._install import find_r
from rbridge.session import Session, session
from tests.specimens import write_files

R_TESTS = Path(__file__).resolve().parents[2] / "rbridge" / "r" / "tests" / "testthat"

# What the Makefile exports, for a test that is run by hand.
os.environ.setdefault("R_LIBS", str(Path(__file__).resolve().parents[2] / ".r-library"))
os.environ.setdefault("RETICULATE_PYTHON", sys.executable)
os.environ.setdefault("R_MAKEVARS_USER", str(Path(__file__).with_name("Makevars")))
os.environ.setdefault("R_COMPILE_PKGS", "0")


@pytest.fixture(scope="session")
def r() -> Session:
    return session()


@pytest.fixture(scope="session")
def base(r: Session) -> Any:
    return r.rinterface.baseenv


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of the specimens."""
    made = tmp_path_factory.mktemp("specimens")
    write_files(made)
    return made


@pytest.fixture(scope="module")
def helpers(base: Any) -> Any:
    """Return the functions with which R's own tests make specimens."""
    made = base["new.env"]()
    base["sys.source"](str(R_TESTS / "helper-specimens.R"), made)
    return made


@pytest.fixture
def rscript(tmp_path: Path) -> Callable[..., str]:
    """Run R code in a fresh process and return what it printed."""

    def run(code: str, *, folder: Path = tmp_path, **environment: str) -> str:
        program = find_r("Rscript")
        assert program is not None, "Rscript was not found"
        script = tmp_path / "run_by_test.R"
        script.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [program, str(script)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, **environment},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
