"""Debian's packages, by apt, if this is root on a Debian machine."""

from __future__ import annotations

import os
import re
import shutil

from machine import printed_by, run, say


def can_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def missing(packages: list[str]) -> list[str]:
    """Return the packages that are not installed; none on a machine without apt."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-query") is None:
        return []
    listed = printed_by("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n").splitlines()
    installed = {line.partition(" ")[2] for line in listed if line.startswith("installed ")}
    return sorted({package for package in packages if package != "-"} - installed)


def update_lists() -> None:
    """Update apt's lists, and finish an installation that was interrupted."""
    run(["dpkg", "--configure", "-a"], "dpkg", environment=_QUIET)
    if not run(["apt-get", "update", "-q"], "apt-update", environment=_QUIET):
        say("going on with the lists of packages that are there")


def known(packages: list[str]) -> list[str]:
    """Return the packages that apt can install; the others may not exist in this release."""
    policies = printed_by("apt-cache", "policy", *packages)
    found = set(re.findall(r"^(\S+):\n  Installed: .*\n  Candidate: (?!\(none\))", policies, flags=re.MULTILINE))
    unknown = [package for package in packages if package not in found]
    if unknown:
        say(f"apt does not know {' '.join(unknown)}; going on without")
    return [package for package in packages if package in found]


def install(packages: list[str], log: str) -> None:
    """Install packages; if apt fails, print a message and continue, because PyPI or CRAN may have them."""
    # As in Debian's images for containers, unpacking does not wait for the disk after each file.
    options = ["-o", "DPkg::Lock::Timeout=600", "-o", "DPkg::Options::=--force-unsafe-io", "--no-install-recommends"]
    if not run(["apt-get", "install", "-y", "-q", *options, *packages], log, environment=_QUIET):
        say("apt failed; going on with what is there")


_QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
