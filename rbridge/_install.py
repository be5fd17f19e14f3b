"""The R package ``rbridge``, which this Python package contains, and its installation."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Iterator, Optional, Union

from pystrat.messages import check_path

_PARTS = ("DESCRIPTION", "NAMESPACE", "LICENSE", "R", "data", "inst", "man", "src")
_COMPILED = (".o", ".so", ".dll", ".dylib")  # build artifacts in the source folder
_BUILD_TOOLS = (
    " It needs a C compiler and make. On Debian and Ubuntu: apt install build-essential. "
    "On macOS: xcode-select --install. On Windows: Rtools, https://cran.r-project.org/bin/windows/Rtools/."
)


class RNotAvailableError(RuntimeError):
    """R, rpy2 or a required R package was not found; the message says what to do."""


@contextmanager
def r_package_source() -> Iterator[Path]:
    """Yield the folder with the source of the R package."""
    with as_file(files("rbridge").joinpath("r")) as folder:
        yield folder


def r_package_version() -> str:
    """Return the version of the R package in this Python package."""
    with r_package_source() as folder:
        for line in (folder / "DESCRIPTION").read_text(encoding="utf-8").splitlines():
            if line.startswith("Version:"):
                return line.split(":")[1].strip()
    raise RNotAvailableError("The R package inside rbridge has no version: the installation is damaged.")


def _source_files(folder: Path) -> list[Path]:
    """Return the files of the package source, without compiled ones, in the same order everywhere."""
    below = (path for part in _PARTS for path in [folder / part, *(folder / part).rglob("*")])
    return sorted(path for path in below if path.is_file() and path.suffix not in _COMPILED)


def content_hash() -> str:
    """Return a digest of the R package's source."""
    digest = hashlib.sha256()
    with r_package_source() as folder:
        for path in _source_files(folder):
            digest.update(path.relative_to(folder).as_posix().encode("utf-8") + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def find_r(program: str = "R") -> Optional[str]:
    """Return the path of R or Rscript: on PATH, or in R_HOME."""
    found = shutil.which(program)
    if found is None and os.environ.get("R_HOME"):
        found = shutil.which(program, path=os.path.join(os.environ["R_HOME"], "bin"))
    return found


def install_r_package(library: Union[str, Path, None] = None) -> Path:
    """Install the R package ``rbridge`` from this Python package.

    You rarely need to call it: the other functions call it if the package is not installed. It takes about 4 s, for
    compiling the C code of the package.

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

    Raises
    ------
    TypeError
        If `library` is not a path.
    RNotAvailableError
        If there is no R, or R cannot install the package; the message contains R's output.

    Notes
    -----
    The package is compiled from a copy of its source, built in a temporary folder and renamed into place. So parallel
    calls do not interfere, and nothing is written beside the source.
    """
    given = None if library is None else check_path(library, "library")
    program = find_r()
    if program is None:
        raise RNotAvailableError("R was not found on PATH nor in R_HOME. Install R 4.0 or newer.")
    if given is not None:
        return _install_into(program, given.resolve())
    target = _cache_library(program)
    return target if (target / "rbridge").is_dir() else _install_into(program, target)


def _install_into(program: str, library: Path) -> Path:
    """Build in a temporary folder and rename into place; an existing installation is replaced only after success."""
    library.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".building-", dir=library))
    try:
        _run_install(program, aside)
        if (library / "rbridge").exists():
            (library / "rbridge").rename(aside / "replaced")
        try:
            (aside / "rbridge").rename(library / "rbridge")
        except OSError:
            if not (library / "rbridge").is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return library


def _cache_library(program: str) -> Path:
    """Return the library for this content and this R; no two ever share one."""
    expression = (
        'cat(tools::R_user_dir("rbridge", "cache"), as.character(getRversion()), R.version$platform, sep = "\\n")'
    )
    asked = subprocess.run(
        [program, "--vanilla", "--slave", "-e", expression], capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        raise RNotAvailableError(f"R 4.0 or newer is needed. R said:\n{asked.stderr.strip()}")
    folder, version, platform = asked.stdout.strip().splitlines()
    return Path(folder) / f"{content_hash()}-R{version}-{platform}"


def _run_install(program: str, library: Path) -> None:
    environment = {**os.environ, "LANGUAGE": "en"}  # the advice depends on R's messages
    with tempfile.TemporaryDirectory(prefix="rbridge-source-") as copy:
        with r_package_source() as folder:
            for path in _source_files(folder):
                copied = Path(copy) / path.relative_to(folder)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copied)
        command = [program, "CMD", "INSTALL", "--no-lock", "--no-test-load", f"--library={library}", copy]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        advice = ""
        if "ERROR: dependenc" in said:
            advice = ' It needs the R packages torch and coro: install.packages(c("torch", "coro")).'
        elif "ERROR: compilation failed" in said or shutil.which("make") is None:  # R 4.5 prints less without make
            advice = _BUILD_TOOLS
        raise RNotAvailableError(f"The R package rbridge could not be installed.{advice} R said:\n{said}")
