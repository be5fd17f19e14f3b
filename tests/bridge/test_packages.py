"""The source distribution, the wheel that is built from it, and the R package, as their users install them.

`make check` runs R CMD check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rbridge._install import find_r

ROOT = Path(__file__).resolve().parents[2]
USE = """
import pystrat, rbridge
sampler = pystrat.StratifiedBatchSampler([0, 1, 1] * 20, 4, seed=1)
delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 60)
assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
print(pystrat.__file__, rbridge.r_status().packages["rbridge"])
"""


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def sources_of_r() -> set[str]:
    """Return the paths of the C files of the R package and of the core, from the root of the repository."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rbridge/r/src").rglob("*.[ch]")}
    assert {"rbridge/r/src/init.c", "rbridge/r/src/core/random.h", "rbridge/r/src/core/kinds.h"} <= found
    return found


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution from a copy of the sources, in which files of a build have been left behind."""
    folder = tmp_path_factory.mktemp("sdist")
    skipped = shutil.ignore_patterns(".*", "build", "*.egg-info", "*.so", "*.o", "_*.c", "demo-output", "__pycache__")
    shutil.copytree(ROOT, folder / "source", ignore=skipped, symlinks=True)
    made = ("rbridge/r/src/init.o", "rbridge/r/src/rbridge.so", "rbridge/r/src/core/plan.o", "pystrat/_core.c")
    for name in made:
        (folder / "source" / name).write_text("of a build before")
    (folder / "source/pystrat.egg-info").mkdir()
    (folder / "source/pystrat.egg-info/SOURCES.txt").write_text("".join(f"{name}\n" for name in made))
    build = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    run(sys.executable, "-c", build, cwd=folder / "source")
    (built,) = folder.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    run(sys.executable, "-m", "pip", "wheel", str(sdist), "--wheel-dir", str(sdist.parent), *options)
    (built,) = sdist.parent.glob("*.whl")
    return built


@pytest.mark.xdist_group("wheel")
def test_the_source_distribution_holds_the_sources_of_r_and_of_the_core_and_nothing_compiled(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert sources_of_r() <= names
    assert not [name for name in names if name.endswith((".o", ".so"))]
    made = {path.relative_to(ROOT).with_suffix(".c").as_posix() for path in (ROOT / "pystrat").glob("**/*.pyx")}
    assert not made & names, "Cython makes these again"


@pytest.mark.xdist_group("wheel")
def test_the_wheel_holds_the_kernel_and_the_r_package_but_no_tests_and_no_files_of_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    of_r = ("DESCRIPTION", "NAMESPACE", "LICENSE", "R/callbacks_bridge.R", "inst/CITATION", "inst/status.R")
    for name in (*of_r, "data/nsch_2017.rda"):
        assert f"rbridge/r/{name}" in names
    assert {f"rbridge/r/R/{path.name}" for path in (ROOT / "rbridge/r/R").iterdir()} <= set(names)
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "rbridge/r/man").rglob("*.Rd")} <= set(names)
    for kernel in (ROOT / "pystrat").glob("**/*.pyx"):
        start = kernel.relative_to(ROOT).with_suffix("").as_posix() + "."
        assert any(name.startswith(start) and name.endswith(".so") for name in names)
    assert {name for name in names if name.startswith("rbridge/r/src/")} == sources_of_r()
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "pystrat").glob("**/*.pyi")} <= set(names)
    assert "pystrat/py.typed" in names
    assert not [name for name in names if "test" in name or "demo" in name or name.endswith(".csv.gz")]


@pytest.mark.xdist_group("wheel")
def test_pypi_would_take_the_source_distribution_and_the_wheel(sdist: Path, wheel: Path) -> None:
    told = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", str(sdist), str(wheel))
    assert told.count("PASSED") == 2, told


@pytest.mark.xdist_group("wheel")
def test_the_wheel_works_in_an_environment_of_its_own_with_its_r_side(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    base = Path(sys.base_prefix) / "bin" / "python3"
    run(str(base), "-m", "venv", "--system-site-packages", str(environment))
    python = str(environment / "bin" / "python")
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", str(wheel))
    # An R library with all packages but rbridge: it must come out of the wheel.
    library = tmp_path / "library"
    library.mkdir()
    for package in Path(os.environ["R_LIBS"].split(":")[0]).iterdir():
        if package.is_dir() and package.name != "rbridge":
            (library / package.name).symlink_to(package.resolve())
    settings = {**os.environ, "R_LIBS": str(library), "R_USER_CACHE_DIR": str(tmp_path / "cache")}
    printed = run(python, "-c", USE, cwd=tmp_path, env=settings)
    assert printed.startswith(str(environment)) and printed.strip().endswith("None")
    assert len(list((tmp_path / "cache").rglob("rbridge/DESCRIPTION"))) == 1


@pytest.fixture(scope="module")
def r_tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, program = tmp_path_factory.mktemp("tarball"), find_r()
    assert program is not None
    run(program, "CMD", "build", str(ROOT / "rbridge" / "r"), cwd=folder)
    (package,) = folder.glob("rbridge_*.tar.gz")
    return package


@pytest.mark.xdist_group("r_tarball")
def test_the_built_r_package_has_all_tests_which_find_the_golden_vectors_inside_it(
    r_tarball: Path, tmp_path: Path
) -> None:
    # Python 3.12 and 3.13 warn without a filter; 3.11.3 and earlier versions have none.
    filtered: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(r_tarball) as archive:
        archive.extractall(tmp_path, **filtered)
    tests = tmp_path / "rbridge" / "tests" / "testthat"
    for pattern in ("*.R", "golden/*.json"):
        names = {path.name for path in (ROOT / "rbridge/r/tests/testthat").glob(pattern)}
        assert names and {path.name for path in tests.glob(pattern)} == names
    code = f'testthat::test_file("{tests}/test-stratified_golden.R", package = "rbridge", load_package = "installed")'
    run(str(find_r("Rscript")), "-e", f"{code[:-1]}, stop_on_failure = TRUE)")
