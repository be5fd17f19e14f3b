"""The R package ``rbridge``, which this Python package contains, and its installation."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Optional, Union

SOURCE = Path(__file__).with_name("r")  # of the R package, which has the version of this one
_ADVICE = {
    "ERROR: dependenc": 'It needs the R packages torch and coro: install.packages(c("torch", "coro")).',
    "": "It needs R 4.0, a C++ compiler and make. On Debian and Ubuntu: apt install build-essential. On macOS: "
    "xcode-select --install. On Windows: Rtools, https://cran.r-project.org/bin/windows/Rtools/.",
}
_ASK_FOR_CACHE = (
    'cat(tools::R_user_dir("rbridge", "cache"), as.character(getRversion()), R.version$platform, sep = "\\n")'
)


class RNotAvailableError(RuntimeError):
    """R, rpy2 or a required R package was not found; the message says what to do."""


def find_r(program: str = "R") -> Optional[str]:
    """Return the path of R or Rscript: on PATH, or in R_HOME."""
    home = os.path.join(os.environ["R_HOME"], "bin") if os.environ.get("R_HOME") else None
    return shutil.which(program) or (home and shutil.which(program, path=home))


def install_r_package(library: Union[str, Path, None] = None) -> Path:
    """Install the R package ``rbridge`` from this Python package.

    The other functions call it if the package is not installed. It is compiled from a copy of its source, and renamed
    into place when it is complete.

    Parameters
    ----------
    library : path, optional
        The R library to install into. By default, a separate library in the user's cache folder
        (``tools::R_user_dir("rbridge", "cache")``), named by the content of the package, R's version and R's platform;
        an existing installation there is left alone.

    Returns
    -------
    pathlib.Path
        The library, for ``library(rbridge, lib.loc = ...)``.
    """
    given = None if library is None else Path(library).resolve()
    program = find_r()
    if program is None:
        raise RNotAvailableError("R was not found on PATH nor in R_HOME. Install R 4.0 or newer.")
    with tempfile.TemporaryDirectory(prefix="rbridge-source-") as folder:
        others = shutil.ignore_patterns("*.o", "*.so", "*.dll", "*.dylib", "tests", "vignettes")
        source = shutil.copytree(SOURCE, Path(folder) / "rbridge", ignore=others)
        target = given or _cache_library(program, source)
        if given is not None or not (target / "rbridge").is_dir():
            _install(program, source, target)
    return target


def _cache_library(program: str, source: Path) -> Path:
    """Return the library for this content and this R; no two ever share one."""
    digest = hashlib.sha256()
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        digest.update(path.relative_to(source).as_posix().encode("utf-8") + b"\0" + path.read_bytes())
    folder, version, platform = _run([program, "--vanilla", "--slave", "-e", _ASK_FOR_CACHE]).splitlines()
    return Path(folder) / f"{digest.hexdigest()[:16]}-R{version}-{platform}"


def _install(program: str, source: Path, library: Path) -> None:
    library.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=library) as aside:
        _run([program, "CMD", "INSTALL", "--no-lock", "--no-test-load", f"--library={aside}", str(source)])
        if (library / "rbridge").exists():
            (library / "rbridge").rename(Path(aside) / "replaced")
        try:
            (Path(aside) / "rbridge").rename(library / "rbridge")
        except OSError:
            if not (library / "rbridge").is_dir():  # else another process was faster
                raise


def _run(command: list[str]) -> str:
    """Return what a command of R prints."""
    # The advice depends on R's messages.
    flags = os.environ.get("MAKEFLAGS") or f"-j{min(os.cpu_count() or 1, 4)}"
    settings = {**os.environ, "MAKEFLAGS": flags, "LANGUAGE": "en"}
    done = subprocess.run(command, capture_output=True, text=True, env=settings)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        advice = next(advice for sign, advice in _ADVICE.items() if sign in said)
        raise RNotAvailableError(f"The R package rbridge could not be installed. {advice} R said:\n{said}")
    return done.stdout.strip()
