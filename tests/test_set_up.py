"""Set-up: the table of requirements, the requirements of one target, and the messages while it runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.test_readme import ROOT, read


@pytest.fixture(name="load")
def _load(modules_of_tool: Any) -> Any:
    """Import a module of tools/set_up by its name."""
    return modules_of_tool("set_up")


# The table ------------------------------------------------------------------------------------------------------------


def test_every_line_of_the_table_is_understood(load: Any) -> None:
    requirements = load("requirements")
    rows = requirements.required(requirements.TARGETS)
    for target in requirements.TARGETS:
        assert {row.target for row in requirements.required([target])} == {"demo", target}
    assert {row.kind for row in rows} == {"command", "python", "bridge", "r", "apt", "npm"}
    for row in rows:
        assert (row.name == "-") == (row.kind == "apt")
        assert row.kind != "r" or re.fullmatch(r"[A-Za-z][\w.]*>=[\d.]+", row.name)


def test_a_target_needs_what_the_demo_needs_and_its_own(load: Any) -> None:
    required = load("requirements").required
    demo = {row[1:] for row in required(["demo"])}
    tests = {row[1:] for row in required(["test-python"])}
    assert demo < tests
    assert {row.name for row in required(["demo"]) if row.kind == "r"} == {"R6>=2.5.0", "coro>=1.1.0", "torch>=0.17.0"}
    assert not any(row.kind == "r" and row.name.startswith("mlr3") for row in required(["test-python"]))
    both = [row[1:] for row in required(["test-python", "test-r"])]
    assert len(both) == len(set(both)), "what two targets need is listed once"


def test_the_names_of_modules_and_distributions(load: Any) -> None:
    rows = {row.distribution: row for row in load("requirements").required(["test-python"]) if row.kind == "python"}
    assert (rows["scikit-learn"].module, rows["scikit-learn"].least) == ("sklearn", "1.0")
    assert (rows["wheel"].module, rows["wheel"].least) == ("wheel", "")


def test_set_up_installs_what_the_packages_say_that_they_need(load: Any) -> None:
    """DESCRIPTION for R; the requirements and the extras of pyproject.toml for Python."""
    requirements = load("requirements")
    rows = requirements.required(requirements.TARGETS)
    fields = re.findall(r"^(?:Imports|Suggests):\n((?:    .*\n)+)", read("rbridge/r/DESCRIPTION"), flags=re.MULTILINE)
    of_r = {re.sub(r"\s.*", "", name.strip()) for field in fields for name in field.split(",")}
    listed = {row.distribution for row in rows if row.kind == "r"}
    assert of_r - {"stats", "tools", "utils"} <= listed
    bounds = re.findall(r'"([A-Za-z][\w-]*)>=([\w.]+)"', read("pyproject.toml"))
    of_python = {row.distribution: row.least for row in rows if row.kind in ("python", "bridge")}
    assert {name.lower(): least for name, least in bounds}.items() <= of_python.items()


# What is said ---------------------------------------------------------------------------------------------------------


def test_each_stage_is_printed_with_its_place_and_the_time_left(load: Any, capsys: pytest.CaptureFixture[str]) -> None:
    progress = load("progress").Progress({"first": 60.0, "second": 240.0})
    progress.report("first", "one thing", 0.0)
    progress.end("first")
    progress.expect("second", 20.0)
    progress.report("second", "another", 0.5)
    assert capsys.readouterr().out.splitlines() == [
        "set-up: stage 1 of 2, about 5 minutes left: one thing",
        "set-up: stage 2 of 2, less than a minute left: another",
    ]


def test_the_time_left_follows_the_pace_of_this_machine(
    load: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load("progress")
    clock = SimpleNamespace(monotonic=iter([0.0, 180.0]).__next__)
    monkeypatch.setattr(module, "time", clock)
    progress = module.Progress({"first": 60.0, "second": 60.0})
    progress.end("first")
    progress.report("second", "the rest", 0.0)
    assert "about 3 minutes left" in capsys.readouterr().out, "the first took three times as long as expected"


def test_packages_of_r_are_counted_as_they_are_built(load: Any) -> None:
    """The lines are those of tools/r_packages.R, and of R's install.packages()."""
    told: list[tuple[str, float]] = []
    counter = load("r_half").PackageCounter(lambda what, fraction: told.append((what, fraction)))
    for line in (
        "packages to build: coro torch mlr3 ",
        "trying URL",
        "begin installing package 'coro'",
        "begin installing package 'torch'",
        "begin installing package ‘mlr3’",
        "torch is built",
    ):
        counter(line)
    assert told == [
        ("R package 1 of 3: coro", 0.0),
        ("R package 2 of 3: torch", 1 / 33),
        ("R package 3 of 3: mlr3", 1 / 33),
    ]


# What is done ---------------------------------------------------------------------------------------------------------


def set_up(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run the set-up itself, from its beginning."""
    command = [str(shutil.which("bash")), "tools/set-up.sh", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_an_unknown_target_is_refused() -> None:
    done = set_up("tests")
    assert done.returncode == 2
    assert done.stdout == "set-up: there is no target tests; there are demo, test-python, test-r, check, bench, site\n"


@pytest.mark.parametrize(
    ("manager", "advice"),
    [
        (
            "dnf",
            {"git": "sudo dnf install git", "cc": "sudo dnf install gcc", "Rscript": "sudo dnf install R-core-devel"},
        ),
        (
            None,
            {
                "make": "xcode-select --install"
                if sys.platform == "darwin"
                else "use the package manager of your system"
            },
        ),
    ],
)
def test_without_apt_it_names_each_program_that_is_missing(
    manager: str, advice: dict[str, str], tmp_path: Path
) -> None:
    for program in ("dirname", "uname", "id"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    if manager is not None:
        (tmp_path / manager).write_text("#!/bin/sh\n")
        (tmp_path / manager).chmod(0o755)
    done = set_up("demo", PATH=str(tmp_path), PYTHON="")
    assert done.returncode == 1
    named = dict(re.findall(r"set-up: (\w+) was not found. To get it: (.*)", done.stdout))
    assert set(named) == {"git", "make", "cc", "python3", "Rscript"}
    assert {program: named[program] for program in advice} == advice


def test_a_failing_command_shows_the_end_of_its_log(
    load: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load("machine")
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setattr(machine, "LOGS", tmp_path / "logs")
    assert machine.run(["sh", "-c", "echo fine"], "one") and capsys.readouterr().out == ""
    assert not machine.run(["sh", "-c", "seq 100; exit 3"], "two")
    shown = capsys.readouterr().out.splitlines()
    assert shown[:30] == [str(number) for number in range(71, 101)]
    assert shown[30] == "set-up: sh failed; all that it printed is in logs/two.log"
    assert (tmp_path / "logs" / "one.log").read_text() == "fine\n"


def test_a_stamp_is_valid_until_its_inputs_change(load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load("machine")
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    source = tmp_path / "source"
    source.write_text("one")

    def stamp(*more: str) -> Any:
        return machine.Stamp(tmp_path / "folder" / "stamp", machine.checksum([source], *more))

    assert not stamp().is_valid()
    stamp().write()
    assert stamp().is_valid() and not stamp("another version").is_valid()
    source.write_text("two")
    assert not stamp().is_valid()
    stamp().write()
    stamp().remove()
    assert not stamp().is_valid()


@pytest.mark.parametrize(
    "half, sources, folder, suffixes",
    [
        ("r_half", "rbridge_sources", "rbridge/r/src", {".c", ".h"}),
        ("r_half", "rbridge_sources", "rbridge/r/R", {".R"}),
        ("python_half", "kernel_inputs", "rbridge/r/src/core", {".h"}),
        ("python_half", "kernel_inputs", "pystrat", {".pyx", ".pxd"}),
    ],
)
def test_what_is_compiled_is_compiled_again_after_any_change_of_a_source(
    load: Any, half: str, sources: str, folder: str, suffixes: set[str]
) -> None:
    """Also of a header in a folder of the core."""
    of_folder = {path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes}
    assert of_folder and of_folder <= set(getattr(load(half), sources)())
