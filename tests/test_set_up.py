"""Set-up: its table of requirements, what it says is missing, and what it makes again after a change."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import ROOT


@pytest.fixture(name="load")
def _load(modules_of_tool: Any) -> Any:
    """Import a module of tools/set_up by its name."""
    return modules_of_tool("set_up")


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def test_the_table_has_what_the_packages_say_that_they_need(load: Any) -> None:
    """DESCRIPTION for R; the requirements and the extras of pyproject.toml for Python."""
    requirements = load("requirements")
    rows = requirements.required(requirements.TARGETS)
    fields = re.findall(r"^(?:Imports|Suggests):\n((?:    .*\n)+)", read("rbridge/r/DESCRIPTION"), flags=re.MULTILINE)
    of_r = {re.sub(r"\s.*", "", name.strip()) for field in fields for name in field.split(",")}
    assert of_r - {"stats", "tools", "utils"} <= {row.distribution for row in rows if row.kind == "r"}
    bounds = re.findall(r'"([A-Za-z][\w-]*)>=([\w.]+)"', read("pyproject.toml"))
    of_python = {row.distribution: row.least for row in rows if row.kind in ("build", "python", "bridge")}
    assert {name.lower(): least for name, least in bounds}.items() <= of_python.items()


def set_up(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the set-up itself, from its beginning."""
    command = [str(shutil.which("bash")), "tools/set-up.sh", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("manager", ["dnf", None])
def test_without_apt_it_names_each_program_that_is_missing(manager: Any, tmp_path: Path) -> None:
    for program in ("dirname", "uname", "id"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    advice = {
        "make": "xcode-select --install" if sys.platform == "darwin" else "use the package manager of your system"
    }
    if manager is not None:
        (tmp_path / manager).write_text("#!/bin/sh\n")
        (tmp_path / manager).chmod(0o755)
        advice = {"cc": "sudo dnf install gcc", "Rscript": "sudo dnf install R-core-devel"}
    done = set_up("demo", PATH=str(tmp_path), PYTHON="")
    named = dict(re.findall(r"set-up: (\w+) was not found. To get it: (.*)", done.stdout))
    assert done.returncode == 1 and set(named) == {"git", "make", "cc", "python3", "Rscript"}
    assert named.items() >= advice.items()


def test_a_stamp_is_valid_until_its_inputs_change(load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, source = load("machine"), tmp_path / "source"
    monkeypatch.setattr(machine, "ROOT", tmp_path)

    def stamp(*more: str) -> Any:
        return machine.Stamp(tmp_path / "folder" / "stamp", machine.checksum([source], *more))

    source.write_text("one")
    assert not stamp().is_valid()
    stamp().write()
    assert stamp().is_valid() and not stamp("another version").is_valid()
    source.write_text("two")
    assert not stamp().is_valid()
    stamp().write()
    stamp().remove()
    assert not stamp().is_valid()


@pytest.mark.parametrize(
    ("half", "sources", "folder", "suffixes"),
    [
        ("r_half", "rbridge_sources", "rbridge/r/src", {".cpp", ".hpp"}),
        ("r_half", "rbridge_sources", "rbridge/r/R", {".R"}),
        ("python_half", "kernel_inputs", "rbridge/r/src/core", {".cpp", ".hpp"}),
        ("python_half", "kernel_inputs", "pystrat", {".pyx"}),
    ],
)
def test_what_is_compiled_is_compiled_again_after_any_change_of_a_source(
    load: Any, half: str, sources: str, folder: str, suffixes: set[str]
) -> None:
    of_folder = {path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes}
    assert of_folder and of_folder <= set(getattr(load(half), sources)())
