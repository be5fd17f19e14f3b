"""Report what is installed for R, and what to do about what is missing."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Optional

from rbridge._install import find_r, r_package_source

_PACKAGES = ("torch", "coro", "rbridge", "mlr3", "mlr3torch")


@dataclass(frozen=True)
class RStatus:
    """The result of `r_status`.

    Attributes
    ----------
    r_version, r_home, rpy2_version : str or None
        None if not found.
    packages : dict of str to str or None
        Versions of the R packages; None if a package is not installed. Without ``rbridge``, the bridge installs its
        own.
    libtorch : bool
        Whether R's torch has LibTorch. Tensors, and therefore training, need it in R; batches do not.
    advice : tuple of str
        What to do about what is missing.
    """

    r_version: Optional[str] = None
    r_home: Optional[str] = None
    rpy2_version: Optional[str] = None
    packages: dict[str, Optional[str]] = field(default_factory=dict)
    libtorch: bool = False
    advice: tuple[str, ...] = ()

    @property
    def bridge_works(self) -> bool:
        """Whether everything is installed that `as_torch_sampler` needs."""
        needed = (self.r_version, self.rpy2_version, self.packages.get("torch"), self.packages.get("coro"))
        return None not in needed

    def __str__(self) -> str:
        found = {"R": self.r_version, "rpy2": self.rpy2_version}
        found.update({f"R package {name}": version for name, version in self.packages.items()})
        lines = [f"{name:20} {version or 'not found'}" for name, version in found.items()]
        lines.append(f"{'LibTorch for R':20} {'found' if self.libtorch else 'not found'}")
        lines += [f"- {sentence}" for sentence in self.advice]
        return "\n".join(lines)


def r_status() -> RStatus:
    """Report what is installed for R: R, rpy2, the R packages and LibTorch.

    R runs in a separate process, so nothing is loaded into this one, and no error is raised if R is missing.

    Returns
    -------
    RStatus
        Its text is a short table with advice.
    """
    try:
        rpy2_version: Optional[str] = version("rpy2")
    except PackageNotFoundError:
        rpy2_version = None
    told = _ask_r()
    packages = {name: told.get(f"package:{name}") for name in _PACKAGES}
    libtorch = told.get("libtorch") == "TRUE"
    advice = []
    if "problem" in told:
        advice.append(f"R was found but fails: {told['problem']}")
    elif not told:
        advice.append("Install R 4.0 or newer and put it on PATH (Debian: apt install r-base-dev).")
    if rpy2_version is None:
        advice.append("Install rpy2: pip install 'pystrat[r]' (Debian: apt install python3-rpy2).")
    if "r_version" in told:
        needed = [name for name in _PACKAGES if name != "rbridge" and packages[name] is None]
        advice += [f'Install the R package {name}: install.packages("{name}").' for name in needed]
        if packages["torch"] is not None and not libtorch:
            advice.append("To train in R, install LibTorch: torch::install_torch(). Batches do not need it.")
    return RStatus(told.get("r_version"), told.get("r_home"), rpy2_version, packages, libtorch, tuple(advice))


def _ask_r() -> dict[str, str]:
    program = find_r("Rscript")
    if program is None:
        return {}
    with r_package_source() as folder:
        command = [program, str(folder / "inst" / "status.R"), *_PACKAGES]
        # os.environ, because the R of this process may have added its library to the environment of C.
        asked = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if asked.returncode != 0:
        return {"problem": asked.stderr.strip()}
    return dict(line.split("\t", 1) for line in asked.stdout.splitlines() if "\t" in line)
