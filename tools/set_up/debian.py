"""Debian's packages, by apt, if this is root on a Debian machine; else the command that would install them."""

from __future__ import annotations

import os
import shutil

from machine import printed_by, run, say


def can_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def missing(packages: list[str]) -> list[str]:
    """Return those that are not installed; none on a machine without apt."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-query") is None:
        return []
    listed = printed_by("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n").splitlines()
    installed = {line.partition(" ")[2] for line in listed if line.startswith("installed ")}
    return sorted({package for package in packages if package != "-"} - installed)


def update_lists() -> None:
    """Bring apt's lists up to date, and end an installation that was interrupted."""
    run(["dpkg", "--configure", "-a"], "dpkg", environment=_QUIET)
    if not run(["apt-get", "update", "-q"], "apt-update", environment=_QUIET):
        say("going on with the lists of packages that are there")


def count_with_dependencies(packages: list[str]) -> int:
    simulated = printed_by("apt-get", "install", "--simulate", "--no-install-recommends", *packages)
    return sum(line.startswith("Inst ") for line in simulated.splitlines())


def install(packages: list[str], log: str) -> None:
    """Install packages; if apt cannot, say so and go on, since PyPI or CRAN may have them."""
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    if not run(command, log, environment=_QUIET):
        say("apt could not install all of them; going on with what is there")


_QUIET = {"DEBIAN_FRONTEND": "noninteractive"}
