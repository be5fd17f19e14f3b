"""The environment .venv: Python packages that the system does not have, and the project itself, compiled."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
from concurrent.futures import Future
from pathlib import Path

from machine import LOGS, ROOT, SetUpError, Stamp, checksum, run, say
from requirements import TABLE, Requirement

ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
BINDING = ROOT / "pystrat" / "_core.pyx"
KERNELS_LOG = LOGS / "kernels.log"
# The Python that .venv is made from, even if set-up itself runs in an environment.
BASE = os.path.realpath(getattr(sys, "_base_executable", sys.executable))

# Prints the packages that are absent or too old. pip writes a package's metadata last, so an installation that was
# interrupted counts as absent.
_LOOK_FOR = """
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pip._vendor.packaging.version import Version

for entry in sys.argv[1:]:
    distribution, module, least = entry.split(",")
    try:
        found = find_spec(module) is not None and Version(version(distribution)) >= Version(least or "0")
    except PackageNotFoundError:
        found = False
    if not found:
        print(distribution + (f">={least}" if least else ""))
"""


def _base_stamp() -> Stamp:
    return Stamp(ENVIRONMENT / "set-up" / "base", checksum([], BASE, platform.python_version(), str(ROOT)))


def packages_stamp(target: str) -> Stamp:
    inputs = checksum([TABLE], target, BASE, platform.python_version(), str(ROOT))
    return Stamp(ENVIRONMENT / "set-up" / target, inputs)


def kernel_inputs() -> list[Path]:
    """Return the files from which the core is compiled."""
    core = ROOT / "rbridge" / "r" / "src"
    return [BINDING, *core.glob("*/*.hpp"), *core.glob("*/*.cpp"), ROOT / "setup.py", ROOT / "pyproject.toml"]


def _kernels_stamp() -> Stamp:
    inputs = checksum(kernel_inputs(), BASE, platform.python_version(), str(ROOT))
    return Stamp(ENVIRONMENT / "set-up" / "kernels", inputs)


def is_done(targets: list[str]) -> bool:
    return all(packages_stamp(target).is_valid() for target in targets) and kernels_are_built()


def kernels_are_built() -> bool:
    return any(BINDING.parent.glob("_core.*.so")) and KERNELS_LOG.is_file() and _kernels_stamp().is_valid()


def set_up(requirements: list[Requirement], targets: list[str], system: Future[None]) -> None:
    """Make .venv if there is none, compile the project, and install what is missing when the system's are there."""
    if not has_environment():
        say(f"the environment .venv, from {BASE}")
        make_environment()
    if not kernels_are_built():
        install_packages([row for row in requirements if row.kind == "build"])
        say("the project's compiled kernels")
        build_kernels()
    system.result()
    if not all(packages_stamp(target).is_valid() for target in targets):
        install_packages([row for row in requirements if row.kind in ("build", "python")])
        for target in targets:
            packages_stamp(target).write()


def has_environment() -> bool:
    if not _base_stamp().is_valid() or not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def make_environment() -> None:
    if not run([BASE, "-m", "venv", "--clear", "--system-site-packages", str(ENVIRONMENT)], "venv"):
        raise SetUpError("The environment .venv could not be made.")
    _base_stamp().write()


def install_packages(requirements: list[Requirement]) -> None:
    """Install from PyPI what neither the system nor .venv has in a sufficient version."""
    wanted = [f"{row.distribution},{row.module},{row.least}" for row in requirements]
    looked = subprocess.run([PYTHON, "-c", _LOOK_FOR, *wanted], capture_output=True, text=True, check=True)
    missing = looked.stdout.split()
    if not missing:
        return
    say(f"the system's Python lacks {', '.join(missing)}; installing from PyPI")
    if not run([str(PYTHON), "-m", "pip", "install", *missing], "pip"):
        raise SetUpError(f"Neither the system nor PyPI has these Python packages: {', '.join(missing)}.")


def build_kernels() -> None:
    """Compile the kernels with warnings, which `make check` reads in the log, and install the project as editable."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise SetUpError("Python.h was not found: install python3-dev (Debian) or python3-devel (Fedora).")
    stamp = _kernels_stamp()
    stamp.remove()
    for made in (BINDING.with_suffix(".cpp"), *BINDING.parent.glob("_core.*.so")):
        made.unlink(missing_ok=True)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--verbose"]
    settings = {"CFLAGS": f"{os.environ.get('CFLAGS', '')} -Wall".strip(), "LC_ALL": "C"}
    command = [str(PYTHON), "-m", "pip", "install", *options, "--editable", "."]
    use = [str(PYTHON), "-c", "import rbridge, pystrat._core"]
    if not run(command, "kernels", environment=settings) or not run(use, "import"):
        raise SetUpError("The project's kernels could not be compiled.")
    stamp.write()
