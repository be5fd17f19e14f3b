"""Installs what the named targets of the Makefile need and this machine lacks, inside the project's folder if possible.

    python3 tools/set_up [demo] [test-python] [test-r] [check] [bench]      without a name: all of them

1. Debian packages, by apt, if the machine has apt and this is root; R packages too, where Debian's are new enough.
2. .venv: a Python environment with the project in it, editable and compiled (from PyPI what the system lacks).
3. .r-library: R packages from CRAN, only those missing or too old, and the project's R package.

The second and the third run side by side. Set-up can be interrupted and run again: it goes on where it was. It passes
over a step whose inputs have not changed since it succeeded: a run with nothing to do takes a fraction of a second.
"""

from __future__ import annotations

import fcntl
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Iterator, Optional

import debian
import python_half
import r_half
from machine import ROOT, SetUpError, say
from progress import Progress
from requirements import TARGETS, Requirement, required

# Seconds on two idle cores, for the time that is left.
_A_DEBIAN_PACKAGE = 0.17
_A_DEBIAN_PACKAGE_WITH_ITS_OWN = 4.0
_PYTHON = 40.0
_R_PACKAGES = {"demo": 110.0, "test-r": 130.0}


def main(arguments: list[str]) -> int:
    """Set up for some targets, and return the exit status."""
    unknown = set(arguments) - set(TARGETS)
    if unknown:
        say(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
        return 2
    targets = [target for target in TARGETS if target in {"demo", *(arguments or TARGETS)}]
    try:
        with one_at_a_time():
            if not is_done(targets):
                set_up(targets)
    except SetUpError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run goes on from here")
        return 130
    return 0


def is_done(targets: list[str]) -> bool:
    return (
        all(python_half.packages_stamp(target).is_valid() for target in targets)
        and all(r_half.packages_stamp(target).is_valid() for target in targets)
        and python_half.kernels_are_built()
        and r_half.rbridge_is_installed()
        and not r_half.MISSING.exists()
    )


def set_up(targets: list[str]) -> None:
    requirements = required(targets)
    packages = [row.debian for row in requirements]
    stale = [target for target in targets if not r_half.packages_stamp(target).is_valid()]
    r_seconds = sum(_R_PACKAGES.get(target, 10.0) for target in stale)
    debian_seconds = len(debian.missing(packages)) * _A_DEBIAN_PACKAGE_WITH_ITS_OWN
    # Python's part runs beside that of R, which takes longer.
    progress = Progress({"debian": debian_seconds, "python": 0.0 if stale else _PYTHON, "r": r_seconds + 5.0})
    install_debian_packages(packages, requirements, progress)
    with ThreadPoolExecutor(max_workers=1) as beside:
        python = beside.submit(
            python_half.set_up, requirements, targets, lambda what: progress.report("python", what, 0.0)
        )
        r_problem = set_up_r(requirements, targets, progress)
        python.result()
    try:
        if r_problem is not None:
            raise r_problem
        r_half.set_up_python_side(requirements)
        r_half.MISSING.unlink(missing_ok=True)
    except r_half.RHalfMissing as problem:
        r_half.note_missing(problem)


def install_debian_packages(packages: list[str], requirements: list[Requirement], progress: Progress) -> None:
    """Install the packages of the table, then those of Debian's R packages that are new enough."""
    missing = debian.missing(packages)
    if missing and not debian.can_install():
        say(f"these Debian packages would help, but only root can install: sudo apt-get install {' '.join(missing)}")
    if not debian.can_install():
        return
    if missing:
        progress.report("debian", f"Debian packages: {' '.join(missing)}", 0.0)
        debian.update_lists()
        n_packages = debian.count_with_dependencies(missing)
        progress.expect("debian", n_packages * _A_DEBIAN_PACKAGE)
        progress.report("debian", f"Debian packages: with those that they need, {n_packages}", 0.0)
        debian.install(missing, "debian")
    of_r = debian.missing(r_half.debian_packages(requirements))
    if of_r:
        progress.report("debian", f"Debian's R packages: {' '.join(of_r)}", 0.9)
        debian.install(of_r, "debian-r")
    progress.end("debian")


def set_up_r(requirements: list[Requirement], targets: list[str], progress: Progress) -> Optional[r_half.RHalfMissing]:
    """Set up R's part; return why that is not possible, if it is not."""
    try:
        r_half.set_up(requirements, targets, lambda what, fraction: progress.report("r", what, fraction))
    except r_half.RHalfMissing as problem:
        return problem
    return None


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait while another set-up works in this folder."""
    with (ROOT / ".set-up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up in this folder")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
