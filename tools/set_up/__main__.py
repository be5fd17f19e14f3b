"""Installs what the given targets of the Makefile need and this machine lacks, inside the project's folder if possible.

    python3 tools/set_up [TARGET ...]      the targets are in requirements.py; by default, all of them

1. Debian packages, by apt, if the machine has apt and this is root; R packages too, if Debian's are new enough.
2. .venv: a Python environment with the project in it, editable and compiled (from PyPI what the system lacks).
3. .r-library: R packages from CRAN, only those missing or too old, and the project's R package.

Steps 2 and 3 run side by side as soon as the compilers are there. Set-up can be interrupted and run again: it continues
where it stopped. It skips a step whose inputs have not changed since it succeeded: a run with nothing to do takes a
fraction of a second. Without R, the Python half works; set-up fails only if a given target needs R. For the demo alone,
the Python half prints its result as soon as it is ready.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Iterator

import debian
import python_half
import r_half
from machine import ROOT, SetUpError, say
from requirements import TARGETS, Requirement, required, with_demo

# The targets that need R.
_NEED_R = {"test-r", "check", "bench"}


def main(arguments: list[str]) -> int:
    """Set up the given targets, and return the exit status."""
    unknown = set(arguments) - set(TARGETS)
    if unknown:
        say(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
        return 2
    if sys.version_info < (3, 9):
        say(f"Python 3.9 or newer is needed; {sys.executable} is {platform.python_version()}")
        return 1
    targets = [target for target in TARGETS if target in with_demo(arguments or TARGETS)]
    signal.signal(signal.SIGINT, end)
    try:
        with one_at_a_time():
            if not (python_half.is_done(targets) and (targets == ["site"] or r_half.is_done(targets))):
                set_up(targets)
    except SetUpError as error:
        say(str(error))
        return 1
    return 1 if r_half.MISSING.exists() and _NEED_R & set(arguments) else 0


def end(*_: object) -> None:
    """End after an interrupt, before another thread begins its next step."""
    say("interrupted; the next run goes on from here")
    os._exit(130)


def set_up(targets: list[str]) -> None:
    requirements = required(targets)
    of_r = [target for target in targets if target != "site"]
    stamps = [r_half.packages_stamp(target) for target in of_r]
    stamps += [python_half.packages_stamp(target) for target in targets]
    absent = [] if all(stamp.is_valid() for stamp in stamps) else requirements
    libraries = [row for row in absent if row.kind in ("python", "bridge") and debian.can_install()]
    install_debian_packages([row for row in absent if row not in libraries])
    name_missing_programs(absent)
    with ThreadPoolExecutor() as steps:
        # Debian's Python packages are large: they arrive while the compilers work.
        system = steps.submit(install_debian_packages, libraries)
        python = steps.submit(python_half.set_up, requirements, targets, system)
        if not of_r:
            return python.result()
        r = steps.submit(r_half.set_up, requirements, of_r)
        python.result()
        if targets == ["demo"] and not r.done():
            say("the Python half is ready; this is its part of the demo, while R's packages are installed")
            subprocess.run([str(ROOT / ".venv/bin/python"), "examples/demo.py", "--python"], cwd=ROOT, check=False)
    try:
        r.result()
        r_half.set_up_python_side(requirements)
        r_half.MISSING.unlink(missing_ok=True)
    except r_half.RHalfMissing as problem:
        r_half.note_missing(problem)


def install_debian_packages(requirements: list[Requirement]) -> None:
    """Install the packages of the table, then Debian's R packages that are new enough."""
    missing = debian.missing([row.debian for row in requirements])
    if not debian.can_install():
        if missing:
            say(f"these Debian packages would help; to install them: sudo apt-get install {' '.join(missing)}")
        return
    if missing:
        say(f"Debian packages: {' '.join(missing)}")
        debian.update_lists()
        debian.install(debian.known(missing), f"debian-{requirements[0].kind}")
    of_r = [row for row in requirements if row.kind == "r"] and debian.missing(r_half.debian_packages(requirements))
    if of_r:
        say(f"Debian's R packages: {' '.join(of_r)}")
        debian.install(of_r, "debian-r")


def name_missing_programs(requirements: list[Requirement]) -> None:
    missing = [row.name for row in requirements if row.kind == "command" and shutil.which(row.name) is None]
    if missing:
        say(f"these programs are needed and were not found: {', '.join(missing)}")


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait while another set-up, or a process that it started, works in this folder."""
    with (ROOT / ".set-up.lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up in this folder")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
