"""The wheel with its R side, as its users install it once, and the messages if something is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pystrat
import rbridge
import rbridge._install as install
from rbridge.session import Session

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


# The packages ---------------------------------------------------------------------------------------------------------

# What a user does with the wheel, in a fresh process and in processes that R starts there.
USE = """
import json, os, pystrat, rbridge
before, status = dict(os.environ), rbridge.r_status()
sampler = pystrat.StratifiedBatchSampler([0, 1, 1] * 20, 4, seed=1)
delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 60)
assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
after = {name: value for name, value in os.environ.items() if name.startswith("TORCH_")}
from rpy2.robjects import r
version = 'as.character(getNamespaceVersion("rbridge"))'
found = [r(f"callr::r(function() {version})")[0]]
r("future::plan(future::multisession, workers = 2)")
found.append(r(f"future::value(future::future({version}))")[0])
r("future::plan(future::sequential)")
r("mirai::daemons(1)")
found.append(r(f"as.character(mirai::mirai({version})[])")[0])
r("mirai::daemons(0)")
loaded = "torch" in list(r("loadedNamespaces()"))
print(json.dumps([pystrat.__file__, "rbridge    not found" in status, found, loaded, after]))
"""


def sources_of_r() -> set[str]:
    """Return the paths of the sources of the R package and of the core, from the root of the repository."""
    files = [path for path in (ROOT / "rbridge/r/src").rglob("*") if path.is_file()]
    found = {path.relative_to(ROOT).as_posix() for path in files if path.suffix not in (".o", ".so")}
    assert len(found) > 50
    return found


# A compiler that does not optimize, and compiles each source once for both languages: that takes most of the time.
COMPILER = """#!/bin/sh
for argument; do
  case $argument in
    *.cpp) kept={folder}/$(cksum <"$argument" | tr " " -).o ;;
    *.o) object=$argument ;;
  esac
done
[ -n "$kept" ] || exec c++ "$@"
[ -f "$kept" ] || c++ "$@" -O0 -g0 -U_FORTIFY_SOURCE -o "$kept" || exit 1
cp "$kept" "$object"
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("compiled") / "compiler"
    path.write_text(COMPILER.format(folder=path.parent))
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def packages(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the source distribution, in whose sources a build has left files, and the wheel from it."""
    folder = tmp_path_factory.mktemp("packages")
    skipped = shutil.ignore_patterns(
        ".*", "build", "*.egg-info", "*.so", "*.o", "_*.c", "_*.cpp", "demo-output", "__pycache__"
    )
    shutil.copytree(ROOT, folder / "source", ignore=skipped, symlinks=True)
    made = ("rbridge/r/src/rbridge.so", "rbridge/r/src/core/functions.o", "pystrat/_core.cpp")
    for name in made:
        (folder / "source" / name).write_text("of a build before")
    (folder / "source/pystrat.egg-info").mkdir()
    (folder / "source/pystrat.egg-info/SOURCES.txt").write_text("".join(f"{name}\n" for name in made))
    build = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    run(sys.executable, "-c", build, cwd=folder / "source")
    (sdist,) = folder.glob("*.tar.gz")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(folder)]
    run(sys.executable, "-m", "pip", "wheel", str(sdist), *options, env={**os.environ, "CC": compiler, "CXX": compiler})
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def test_the_packages_have_all_sources_and_the_wheel_no_tests_and_no_files_of_data(packages: tuple[Path, Path]) -> None:
    with tarfile.open(packages[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    kernels = [path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "pystrat").glob("**/*.pyx")]
    assert sources_of_r() <= names and not [name for name in names if name.endswith((".o", ".so"))]
    made = {f"{kernel}.{language}" for kernel in kernels for language in ("c", "cpp")}
    assert not made & names, "Cython makes these again"
    names = set(zipfile.ZipFile(packages[1]).namelist())
    packaged = {f"rbridge/r/{name}" for name in ("DESCRIPTION", "NAMESPACE", "LICENSE", "data/nsch_2017.rda")}
    for pattern in ("rbridge/r/R/*", "rbridge/r/inst/*", "rbridge/r/man/**/*.Rd", "pystrat/**/*.py*", "rbridge/*.py"):
        packaged |= {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern) if path.is_file()}
    packaged = {name for name in packaged if not name.endswith((".pyc", ".pyx", ".pxd"))} | {"pystrat/py.typed"}
    assert packaged <= names and {name for name in names if name.startswith("rbridge/r/src/")} == sources_of_r()
    for kernel in kernels:
        assert any(name.startswith(f"{kernel}.") and name.endswith(".so") for name in names)
    assert not [name for name in names if "test" in name or "demo" in name or name.endswith(".csv.gz")]
    told = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *map(str, packages))
    assert told.count("PASSED") == 2, told  # as PyPI would


def test_the_wheel_installs_its_r_side_which_all_processes_of_r_find(
    packages: tuple[Path, Path], compiler: str, tmp_path: Path
) -> None:
    """With an R library of all packages but rbridge: it comes out of the wheel. What the user says of torch holds."""
    environment, library = tmp_path / "environment", tmp_path / "library"
    base = Path(sys.base_prefix) / "bin" / "python3"
    run(str(base), "-m", "venv", "--system-site-packages", "--without-pip", str(environment))
    python = str(environment / "bin" / "python")
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", str(packages[1]))
    library.mkdir()
    for package in Path(os.environ["R_LIBS"].split(":")[0]).iterdir():
        if package.is_dir() and package.name != "rbridge":
            (library / package.name).symlink_to(package.resolve())
    (tmp_path / "Makevars").write_text(f"CXX17 = {compiler}\n")
    cache = {"R_LIBS": str(library), "R_USER_CACHE_DIR": str(tmp_path / "cache"), "TORCH_LOAD": "no"}
    cache["R_MAKEVARS_USER"] = str(tmp_path / "Makevars")
    printed = run(python, "-c", USE, cwd=tmp_path, env={**os.environ, **cache})
    origin, was_missing, versions, torch_is_loaded, settings = json.loads(printed)
    assert origin.startswith(str(environment)) and was_missing
    assert versions == [pystrat.__version__] * 3 and torch_is_loaded
    assert settings == {"TORCH_LOAD": "no"}, "other processes learn nothing of what keeps LibTorch away"
    assert len(list((tmp_path / "cache").rglob("rbridge/DESCRIPTION"))) == 1


# The installation, of a small package in place of the R package -------------------------------------------------------


def test_the_package_is_installed_once_and_completely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy, without what a build left behind; parallel installations into the cache do not disturb each other."""
    source, library = tmp_path / "source", tmp_path / "library"
    for folder in ("R", "src"):
        (source / folder).mkdir(parents=True)
    description = "Package: rbridge\nVersion: 9.0\nTitle: A\nDescription: B.\nLicense: MIT\n"
    files = {
        "DESCRIPTION": description,
        "NAMESPACE": "useDynLib(rbridge)\nexport(one)\n",
        "R/one.R": "one = identity\n",
    }
    for name, text in {**files, "src/one.c": "int one(void) { return 1; }\n", "src/one.o": "of a build before"}.items():
        (source / name).write_text(text)
    monkeypatch.setattr(install, "SOURCE", source)
    monkeypatch.setenv("R_USER_CACHE_DIR", str(tmp_path / "cache"))
    before = sorted(source.rglob("*"))
    assert rbridge.install_r_package(str(library)) == library
    assert [path.name for path in library.iterdir()] == ["rbridge"] and sorted(source.rglob("*")) == before
    with ThreadPoolExecutor(3) as threads:
        (cached,) = set(threads.map(lambda number: rbridge.install_r_package(), range(3)))
    assert list(cached.parent.iterdir()) == [cached] and [path.name for path in cached.iterdir()] == ["rbridge"]
    written = (cached / "rbridge" / "DESCRIPTION").stat()
    assert rbridge.install_r_package() == cached
    assert (cached / "rbridge" / "DESCRIPTION").stat() == written, "an installation that is there is left alone"
    (source / "R" / "one.R").write_text("one = identity # changed\n")
    assert rbridge.install_r_package() != cached
    (source / "R" / "zz.R").write_text('stop("broken on purpose")')
    with pytest.raises(rbridge.RNotAvailableError, match="broken on purpose") as error:
        rbridge.install_r_package(library)
    assert "needs the R packages" not in str(error.value)
    assert [path.name for path in library.iterdir()] == ["rbridge"], "the one that was there stays"


# What is missing ------------------------------------------------------------------------------------------------------

# One process, in which R is missing first, then rpy2, then the R packages, with which R has started.
TRY = """
import os, sys, rbridge
from pystrat import StratifiedBatchSampler

def told():
    try:
        rbridge.as_torch_sampler(StratifiedBatchSampler([0, 1], 1))
    except rbridge.RNotAvailableError as error:
        return f"{error}\\n{rbridge.r_status()}"

path = os.environ["PATH"]
os.environ["PATH"] = ""
print(told())
os.environ["PATH"], rpy2 = path, sys.modules.get("rpy2")
sys.modules["rpy2"] = None
print(told())
del sys.modules["rpy2"]
print(told())
"""


def test_a_call_and_the_status_say_what_is_missing(tmp_path: Path) -> None:
    settings = {**os.environ, "R_LIBS": str(tmp_path), "R_USER_CACHE_DIR": str(tmp_path), "R_HOME": ""}
    told = run(sys.executable, "-c", TRY, env=settings)
    for message in (
        "R was not found on PATH nor in R_HOME. Install R 4.0 or newer",
        "Install R 4.0 or newer and put it on PATH (Debian: apt install r-base-dev).",
        "rpy2 is not installed. Install it: pip install 'pystrat[r]', or apt install python3-rpy2.",
        'It needs the R packages torch and coro: install.packages(c("torch", "coro")).',
        "R package torch      not found",
        'Install the R package torch: install.packages("torch").',
    ):
        assert message in told


def test_the_status_has_the_versions_of_what_is_there_and_the_error_of_a_broken_r(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = rbridge.r_status()
    assert f"R package rbridge    {pystrat.__version__}" in status and "rpy2                 not" not in status
    assert ("install_torch" in status) == ("LibTorch for R       not found" in status)
    (tmp_path / "Rscript").write_text("#!/bin/sh\necho broken >&2; exit 1\n")
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    broken = rbridge.r_status()
    assert "was found but fails: broken" in broken and "Install R 4.0" not in broken


def test_another_version_of_the_r_package_that_r_has_loaded_is_refused(
    r: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rbridge.session.__version__", "9.0")
    with pytest.raises(rbridge.RNotAvailableError, match="has loaded version .*, but this Python package needs 9.0."):
        Session(r.rinterface)
