"""Report what is installed for R, and what to do about what is missing."""

from __future__ import annotations

import os
import subprocess
from importlib.metadata import PackageNotFoundError, version

from rbridge._install import SOURCE, find_r

_PACKAGES = ("torch", "coro", "rbridge", "mlr3", "mlr3torch")
_ADVICE = {
    "R": "Install R 4.0 or newer and put it on PATH (Debian: apt install r-base-dev).",
    "rpy2": "Install rpy2: pip install 'pystrat[r]' (Debian: apt install python3-rpy2).",
    **{f"R package {name}": f'Install the R package {name}: install.packages("{name}").' for name in _PACKAGES},
    "R package rbridge": "The bridge installs its own.",
    "LibTorch for R": "To train in R, install LibTorch: torch::install_torch(). Batches do not need it.",
}


def r_status() -> str:
    """Report what is installed for R, and how to install what is missing.

    R runs in a separate process, so nothing is loaded into this one, and no error is raised if R is missing.

    Returns
    -------
    str
        The versions of R, rpy2 and R's packages, and whether R's torch has LibTorch; or what to do. Tensors, and
        therefore training, need LibTorch in R; batches do not.
    """
    found = _ask_r()
    try:
        found["rpy2"] = version("rpy2")
    except PackageNotFoundError:
        pass
    return "\n".join(f"{name:20} {found.get(name, f'not found. {advice}')}" for name, advice in _ADVICE.items())


def _ask_r() -> dict[str, str]:
    program = find_r("Rscript")
    if program is None:
        return {}
    command = [program, str(SOURCE / "inst" / "status.R"), *_PACKAGES]
    # os.environ, because the R of this process may have added its library to the environment of C.
    asked = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if asked.returncode != 0:
        return {"R": f"was found but fails: {asked.stderr.strip()}"}
    return dict(line.split("\t", 1) for line in asked.stdout.splitlines() if "\t" in line)
