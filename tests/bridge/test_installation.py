"""The R package inside the Python package, its installation, and the messages if something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

import pytest

import pystrat
import rbridge
import rbridge._install as install
from rbridge._install import content_hash, r_package_version

TRY = """
import rbridge
from pystrat import StratifiedBatchSampler
try:
    rbridge.as_torch_sampler(StratifiedBatchSampler([0, 1], 1))
except rbridge.RNotAvailableError as error:
    print(error)
print(rbridge.r_status())
"""


def python(code: str, **environment: str) -> str:
    environment = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_packages_have_one_version() -> None:
    assert r_package_version() == pystrat.__version__


def test_install_into_a_library_of_one_s_own(tmp_path: Path, rscript: Callable[..., str]) -> None:
    library = rbridge.install_r_package(tmp_path / "library")
    assert [path.name for path in library.iterdir()] == ["rbridge"]
    assert rscript(f'cat(class(library(rbridge, lib.loc = "{library}")))') == "character"


def test_parallel_installations_into_the_cache_do_not_disturb_each_other(tmp_path: Path) -> None:
    environment = {**os.environ, "R_USER_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", "import rbridge; print(rbridge.install_r_package())"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    printed = {process.communicate()[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    (library,) = printed
    assert content_hash() in Path(library).name and (Path(library) / "rbridge" / "DESCRIPTION").is_file()
    assert list(Path(library).parent.iterdir()) == [Path(library)], "nothing else is left"


def library_without_rbridge(folder: Path) -> str:
    """Make an R library with all packages but rbridge, by links."""
    library = folder / "library"
    library.mkdir()
    for package in Path(os.environ["R_LIBS"].split(":")[0]).iterdir():
        if package.is_dir() and package.name != "rbridge":
            (library / package.name).symlink_to(package.resolve())
    return str(library)


def test_the_package_in_the_cache_is_used_where_r_has_none(tmp_path: Path) -> None:
    code = (
        "import rbridge; from pystrat import StratifiedBatchSampler as S; s = S([0, 1] * 5, 1, seed=1);"
        "print(rbridge.collect_rows(rbridge.as_torch_sampler(s), 10).rows.tolist() == s.batches(0).rows.tolist())"
    )
    environment = {"R_LIBS": library_without_rbridge(tmp_path), "R_USER_CACHE_DIR": str(tmp_path / "cache")}
    assert python(code, **environment) == "True\n"
    assert len(list((tmp_path / "cache").rglob("rbridge/DESCRIPTION"))) == 1


def test_processes_that_r_starts_find_the_package_in_the_cache(tmp_path: Path) -> None:
    code = """
import rbridge.session
session = rbridge.session.session()
from rpy2.robjects import r
version = 'as.character(getNamespaceVersion("rbridge"))'
print(r(f"callr::r(function() {version})")[0])
r("future::plan(future::multisession, workers = 2)")
print(r(f"future::value(future::future({version}))")[0])
r("future::plan(future::sequential)")
r("mirai::daemons(1)")
print(r(f"as.character(mirai::mirai({version})[])")[0])
r("mirai::daemons(0)")
"""
    environment = {"R_LIBS": library_without_rbridge(tmp_path), "R_USER_CACHE_DIR": str(tmp_path / "cache")}
    assert python(code, **environment) == f"{pystrat.__version__}\n" * 3


def test_without_r_the_call_says_what_to_do_and_the_import_works(tmp_path: Path) -> None:
    told = python(TRY, PATH=str(tmp_path), R_HOME="")
    assert "R was not found on PATH nor in R_HOME. Install R 4.0 or newer." in told
    assert "R                    not found" in told and "apt install r-base-dev" in told


def test_without_rpy2_the_call_says_what_to_do() -> None:
    told = python("import sys; sys.modules['rpy2'] = None" + TRY)
    assert "rpy2 is not installed. Install it: pip install 'pystrat[r]', or apt install python3-rpy2." in told


def test_without_the_r_packages_the_call_says_what_to_do(tmp_path: Path) -> None:
    told = python(TRY, R_LIBS=str(tmp_path), R_USER_CACHE_DIR=str(tmp_path))
    assert "It needs the R packages torch and coro" in told
    assert "R package torch      not found" in told and 'install.packages("torch")' in told


@pytest.mark.parametrize("hidden", ["make", "gcc"])
def test_without_make_or_a_compiler_the_call_says_what_to_install(hidden: str, tmp_path: Path) -> None:
    """A folder with links to all programs but one; R's compiler is that of the machine's R."""
    compiler = subprocess.run(["R", "CMD", "config", "CC"], capture_output=True, text=True, check=True).stdout.split()[
        0
    ]
    hidden = {"make": "make", "gcc": Path(compiler).name}[hidden]
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).iterdir() if Path(folder).is_dir() else ():
            if program.name != hidden and not (programs / program.name).is_symlink():
                (programs / program.name).symlink_to(program)
    code = f"import rbridge\ntry:\n    rbridge.install_r_package({str(tmp_path / 'library')!r})\n"
    told = python(f"{code}except rbridge.RNotAvailableError as error:\n    print(error)", PATH=str(programs))
    assert "It needs a C compiler and make. On Debian and Ubuntu: apt install build-essential." in told
    assert (
        "On macOS: xcode-select --install. On Windows: Rtools, https://cran.r-project.org/bin/windows/Rtools/." in told
    )
    assert f"{hidden}: " in told and "needs the R packages" not in told


def test_r_status_finds_what_is_there() -> None:
    status = rbridge.r_status()
    assert status.bridge_works
    assert None not in (status.r_version, status.r_home, status.rpy2_version)
    assert status.packages["rbridge"] == pystrat.__version__
    assert f"rbridge    {pystrat.__version__}" in str(status)
    assert any("install_torch" in sentence for sentence in status.advice) != status.libtorch


def test_reticulate_imports_pystrat_from_any_folder(rscript: Callable[..., str]) -> None:
    code = """
    pystrat = reticulate::import("pystrat")
    sampler = pystrat$StratifiedBatchSampler(c(rep("a", 5), rep("b", 9)), 1L, seed = 1L)
    cat(sampler$batches(0L)$rows)
    """
    expected = pystrat.StratifiedBatchSampler(["a"] * 5 + ["b"] * 9, 1, seed=1).batches(0).rows
    assert rscript(code, RETICULATE_PYTHON=sys.executable) == " ".join(map(str, expected))


def test_torch_of_r_is_loaded_without_libtorch_and_other_processes_learn_nothing_of_it() -> None:
    code = (
        "import os, rbridge.session as s; before = dict(os.environ); r = s.session(); base = r.rinterface.baseenv\n"
        "print('torch' in list(base['loadedNamespaces']()))\n"
        "print([name for name in os.environ if name.startswith('TORCH_') and name not in before])"
    )
    assert python(code) == "True\n[]\n"


def test_what_the_user_says_of_torch_holds() -> None:
    code = "import os, rbridge.session as s; s.session(); print(os.environ['TORCH_LOAD'])"
    assert python(code, TORCH_LOAD="no") == "no\n"


@pytest.fixture
def source_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the R package installed from a copy of its source, to be changed by a test."""
    copy = tmp_path / "source"
    with install.r_package_source() as source:
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("tests"))

    @contextmanager
    def changed_source() -> Iterator[Path]:
        yield copy

    monkeypatch.setattr(install, "r_package_source", changed_source)
    return copy


def test_a_failing_installation_leaves_the_one_that_was_there(tmp_path: Path, source_copy: Path) -> None:
    library = rbridge.install_r_package(tmp_path / "library")
    (source_copy / "R" / "zz.R").write_text('stop("broken on purpose")')
    with pytest.raises(rbridge.RNotAvailableError, match="broken on purpose") as error:
        rbridge.install_r_package(library)
    assert "needs the R packages" not in str(error.value) and "It needs a C compiler" not in str(error.value)
    assert [path.name for path in library.iterdir()] == ["rbridge"]


def test_the_package_is_compiled_in_a_copy_of_its_source(tmp_path: Path, source_copy: Path) -> None:
    before = sorted(source_copy.rglob("*"))
    rbridge.install_r_package(tmp_path / "library")
    assert sorted(source_copy.rglob("*")) == before


def test_object_files_of_a_build_before_are_neither_used_nor_part_of_the_content(
    tmp_path: Path, source_copy: Path
) -> None:
    before = content_hash()
    for name in ("order.o", "rbridge.so"):
        (source_copy / "src" / name).write_text("of a build before")
    assert content_hash() == before
    rbridge.install_r_package(tmp_path / "library")
    with (source_copy / "src" / "core" / "random.h").open("a", encoding="utf-8") as header:
        header.write("/* changed */\n")
    assert content_hash() != before


def test_an_r_that_fails_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "Rscript").write_text("#!/bin/sh\necho broken >&2; exit 1\n")
    (tmp_path / "Rscript").chmod(0o755)
    told = python("import rbridge; print(rbridge.r_status())", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert "R was found but fails: broken" in told and "Install R 4.0" not in told
