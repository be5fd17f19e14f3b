"""Report what is installed for R, and what to do about what is missing."""

from __future__ import annotations

import os
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Optional

from rbridge._install import SOURCE, find_r

_PACKAGES = ("torch", "coro", "rbridge", "mlr3", "mlr3torch")


def r_status() -> str:
    """Report what is installed for R, and how to install what is missing.

    R runs in a separate process, so nothing is loaded into this one, and no error is raised if R is missing.

    Returns
    -------
    str
        A table of the versions of R, rpy2 and R's packages and of whether R's torch has LibTorch, and advice. Tensors,
        and therefore training, need LibTorch in R; batches do not. Without the R package ``rbridge``, the bridge
        installs its own.
    """
    told = _ask_r()
    try:
        told["rpy2"] = version("rpy2")
    except PackageNotFoundError:
        pass
    advice = []
    if "problem" in told:
        advice.append(f"R was found but fails: {told['problem']}")
    elif "R" not in told:
        advice.append("Install R 4.0 or newer and put it on PATH (Debian: apt install r-base-dev).")
    if "rpy2" not in told:
        advice.append("Install rpy2: pip install 'pystrat[r]' (Debian: apt install python3-rpy2).")
    if "R" in told:
        missing = [name for name in _PACKAGES if name != "rbridge" and f"R package {name}" not in told]
        advice += [f'Install the R package {name}: install.packages("{name}").' for name in missing]
        if "torch" not in missing and "LibTorch for R" not in told:
            advice.append("To train in R, install LibTorch: torch::install_torch(). Batches do not need it.")
    shown = ("R", "rpy2", *(f"R package {name}" for name in _PACKAGES), "LibTorch for R")
    lines = [f"{name:20} {told.get(name, 'not found')}" for name in shown]
    return "\n".join([*lines, *(f"- {sentence}" for sentence in advice)])


def _ask_r() -> dict[str, str]:
    program: Optional[str] = find_r("Rscript")
    if program is None:
        return {}
    command = [program, str(SOURCE / "inst" / "status.R"), *_PACKAGES]
    # os.environ, because the R of this process may have added its library to the environment of C.
    asked = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if asked.returncode != 0:
        return {"problem": asked.stderr.strip()}
    return dict(line.split("\t", 1) for line in asked.stdout.splitlines() if "\t" in line)
