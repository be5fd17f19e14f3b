"""The library .r-library: R packages that the system does not have, and the project's own R package.

Without R, or if a package is unavailable, the Python half works: .r-library/missing then has what is missing.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from machine import ROOT, SetUpError, Stamp, checksum, printed_by, run, say
from python_half import install_packages
from requirements import TABLE, Requirement

LIBRARY = ROOT / ".r-library"
MISSING = LIBRARY / "missing"
SCRIPT = ROOT / "tools" / "r_packages.R"
MAKEVARS = ROOT / "tools" / "Makevars"
PACKAGE = ROOT / "rbridge" / "r"
_ENVIRONMENT = {"R_LIBS": str(LIBRARY), "R_MAKEVARS_USER": str(MAKEVARS), "LANGUAGE": "en"}


class RHalfMissing(Exception):
    """The R half cannot be set up; the first argument says why, the second what to do."""


def r_version() -> str:
    return printed_by("R", "--version").partition("\n")[0]


def packages_stamp(target: str) -> Stamp:
    inputs = checksum([TABLE, SCRIPT, MAKEVARS], target, r_version())
    return Stamp(LIBRARY / "set-up" / target, inputs)


def rbridge_sources() -> list[Path]:
    """Return the files from which the project's R package is installed."""
    parts = (
        "DESCRIPTION",
        "NAMESPACE",
        "LICENSE",
        "R/*",
        "inst/*",
        "man/**/*",
        "src/**/*.[ch]",
        "src/**/*.[ch]pp",
        "src/Makevars",
    )
    return [path for part in parts for path in PACKAGE.glob(part) if path.is_file()]


def rbridge_stamp() -> Stamp:
    return Stamp(LIBRARY / "set-up" / "rbridge", checksum(rbridge_sources(), r_version()))


def is_done(targets: list[str]) -> bool:
    packages = all(packages_stamp(target).is_valid() for target in targets)
    return packages and rbridge_is_installed() and not MISSING.exists()


def rbridge_is_installed() -> bool:
    return (LIBRARY / "rbridge").is_dir() and rbridge_stamp().is_valid()


def debian_packages(requirements: list[Requirement]) -> list[str]:
    """Return Debian's R packages that are missing here and new enough."""
    LIBRARY.mkdir(exist_ok=True)
    return printed_by("Rscript", str(SCRIPT), "debian", str(LIBRARY), *_packages(requirements)).split()


def set_up(requirements: list[Requirement], targets: list[str]) -> None:
    """Fill .r-library."""
    LIBRARY.mkdir(exist_ok=True)
    if shutil.which("Rscript") is None:
        raise RHalfMissing("R was not found.", "Install R 4.0 or newer, and run this again.")
    if int((re.findall(r"version (\d+)", r_version()) or ["0"])[0]) < 4:
        raise RHalfMissing(f"R 4.0 or newer is needed. Found: {r_version()}.", "Install it, and run this again.")
    if not all(packages_stamp(target).is_valid() for target in targets):
        _install_packages(requirements)
        for target in targets:
            packages_stamp(target).write()
    if not rbridge_is_installed():
        say("the project's own R package")
        _install_rbridge()


def set_up_python_side(requirements: list[Requirement]) -> None:
    """Install the Python packages that the R half needs."""
    try:
        install_packages([row for row in requirements if row.kind == "bridge"])
    except SetUpError as error:
        raise RHalfMissing(str(error), "Install it, and run this again.") from error


def note_missing(problem: RHalfMissing) -> None:
    reason, remedy = problem.args
    LIBRARY.mkdir(exist_ok=True)
    MISSING.write_text(f"{reason}\n{remedy}\n")
    say(f"the R half is not available: {reason}")
    say(remedy)


def _packages(requirements: list[Requirement]) -> list[str]:
    return [row.name for row in requirements if row.kind == "r"]


def _install_packages(requirements: list[Requirement]) -> None:
    packages = _packages(requirements)
    command = ["Rscript", str(SCRIPT), "install", str(LIBRARY), *packages]
    (LIBRARY / "build-logs").mkdir(exist_ok=True)
    if not run(command, "r-packages", environment=_ENVIRONMENT, watch=_say_package):
        raise RHalfMissing(
            "R packages could not be built (see above).",
            f"Give R access to CRAN, or install {' '.join(packages)} into .r-library, and run this again.",
        )


def _say_package(line: str) -> None:
    """Show which package begins, and what tools/r_packages.R says."""
    begun = re.search(r"begin installing package \W([\w.]+)", line)
    if begun:
        say(f"R package {begun[1]}")
    elif line.startswith("set-up: "):
        print(line, flush=True)


def _install_rbridge() -> None:
    stamp = rbridge_stamp()
    stamp.remove()
    shutil.rmtree(LIBRARY / f"00LOCK-{PACKAGE.name}", ignore_errors=True)
    # make looks only at the sources: object files of an earlier build would keep the old content of a header.
    options = ["--preclean", "--clean", "--no-test-load", f"--library={LIBRARY}"]
    environment = {**_ENVIRONMENT, "MAKEFLAGS": "-j4", "OPTIMIZED": "rbridge"}
    if not run(["R", "CMD", "INSTALL", *options, str(PACKAGE)], "rbridge", environment=environment):
        raise SetUpError("The project's R package could not be installed.")
    stamp.write()
