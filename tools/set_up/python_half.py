"""The environment .venv: Python packages that the system does not have, and the project itself, compiled."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Callable

from machine import LOGS, ROOT, SetUpError, Stamp, checksum, run, say
from requirements import TABLE, Requirement

ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
KERNELS_LOG = LOGS / "kernels.log"


def packages_stamp(target: str) -> Stamp:
    inputs = checksum([TABLE], target, sys.executable, platform.python_version(), str(ROOT))
    return Stamp(ENVIRONMENT / "set-up" / target, inputs)


def _kernels_stamp() -> Stamp:
    sources = [*ROOT.glob("pystrat/**/*.p[yx][xd]"), *ROOT.glob("rbridge/r/src/core/*.h")]
    sources += [ROOT / "setup.py", ROOT / "pyproject.toml"]
    inputs = checksum(sources, sys.executable, platform.python_version(), str(ROOT))
    return Stamp(ENVIRONMENT / "set-up" / "kernels", inputs)


def kernels_are_built() -> bool:
    sources = list(ROOT.glob("pystrat/**/*.pyx"))
    built = all(any(source.parent.glob(f"{source.stem}.*.so")) for source in sources)
    return built and KERNELS_LOG.is_file() and _kernels_stamp().is_valid()


def set_up(requirements: list[Requirement], targets: list[str], report: Callable[[str], None]) -> None:
    """Make .venv if there is none, and put into it what is missing; `report` is called with what begins."""
    if not has_environment():
        report(f"the environment .venv, from {sys.executable}")
        make_environment()
    if not all(packages_stamp(target).is_valid() for target in targets):
        install_packages([row for row in requirements if row.kind == "python"])
        for target in targets:
            packages_stamp(target).write()
    if not kernels_are_built():
        report("the project's compiled kernels")
        build_kernels()


def has_environment() -> bool:
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def make_environment() -> None:
    command = [sys.executable, "-m", "venv", "--clear", "--system-site-packages", str(ENVIRONMENT)]
    if not run(command, "venv"):
        raise SetUpError("The environment .venv could not be made.")


def is_importable(module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    return subprocess.run([PYTHON, "-c", code], check=False).returncode == 0


def install_packages(requirements: list[Requirement]) -> None:
    """Install from PyPI what neither the system nor .venv has."""
    missing = [row.distribution for row in requirements if not is_importable(row.module)]
    if not missing:
        return
    say(f"the system's Python lacks {', '.join(missing)}; installing from PyPI")
    if not run([str(PYTHON), "-m", "pip", "install", *missing], "pip"):
        raise SetUpError(f"Neither the system nor PyPI has these Python packages: {', '.join(missing)}.")


def build_kernels() -> None:
    """Compile the kernels with warnings, which `make check` reads in the log, and install the project as editable."""
    stamp = _kernels_stamp()
    stamp.remove()
    for built in ROOT.glob("pystrat/**/*.so"):
        built.unlink()
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--verbose"]
    flags = {"CFLAGS": f"{os.environ.get('CFLAGS', '')} -Wall".strip()}
    if not run([str(PYTHON), "-m", "pip", "install", *options, "--editable", "."], "kernels", environment=flags):
        raise SetUpError("The project's kernels could not be compiled.")
    subprocess.run([PYTHON, "-c", "import rbridge, pystrat._kernels"], check=True, cwd=LOGS)
    stamp.write()
