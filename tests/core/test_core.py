"""The C core by itself: each test_*.c beside this file is a program, compiled by two compilers and run.

Two builds run under AddressSanitizer and UndefinedBehaviorSanitizer. The third one is optimized, and its compiler may
contract multiplications and additions, as compilers of R packages may: no result depends on that.
"""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import pytest

from tests.core.core_calls import core_calls
from tests.core.golden_numbers import CASES

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "rbridge" / "r" / "src" / "core"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
SANITIZERS = ["-O2", "-g", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
# By itself, -std=c99 would let gcc contract nothing.
CONTRACTED = ["-O3", "-ffp-contract=fast", *(["-mfma"] if platform.machine() in ("x86_64", "AMD64") else [])]
BUILDS = {
    "gcc with sanitizers": ["gcc", *SANITIZERS],
    "clang with sanitizers": ["clang", *SANITIZERS],
    "gcc with contraction": ["gcc", *CONTRACTED],
}
SOURCES = sorted(path.name for part in ("kind", "function") for path in CORE.parent.glob(f"{part}_*.c"))
INPUTS = {**CASES, "test_kinds": core_calls}
PROGRAMS = sorted(path.stem for path in HERE.glob("test_*.c"))


def compiled(source: Path, program: Path, build: str) -> Path:
    """Compile a program; the message of a compiler that fails is that of the test."""
    (program.parent / "all_defined.h").write_text("".join(f'#include "{name}"\n' for name in SOURCES))
    folders = [f"-I{folder}" for folder in (CORE, CORE.parent, HERE, program.parent)]
    command = [*BUILDS[build], "-std=c99", *WARNINGS, *folders, str(source), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return program


def run(program: Path, numbers: list[int]) -> subprocess.CompletedProcess[str]:
    """Run a program that reads numbers on standard input."""
    return subprocess.run(
        [str(program)], input=" ".join(map(str, numbers)), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, build: str, tmp_path: Path) -> None:
    program = compiled(HERE / f"{name}.c", tmp_path / name, build)
    cases = list(INPUTS[name]()) if name in INPUTS else []
    done = run(program, cases)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(number) for number in cases[:1]]
    assert not done.stderr


@pytest.mark.parametrize("name", CASES)
def test_a_golden_vector_that_is_not_met_is_found(name: str, tmp_path: Path) -> None:
    program = compiled(HERE / f"{name}.c", tmp_path / name, "gcc with contraction")
    numbers = list(CASES[name]())
    numbers[-1] += 1  # what is expected last, usually a checksum
    done = run(program, numbers)
    assert done.returncode == 1 and re.search(r": \S+ is -?\d+, not -?\d+$", done.stderr)


FAULTY = """
#include <stdint.h>
#include <stdlib.h>
int main(int n_arguments, char **arguments) {
  size_t n_rows = (size_t)n_arguments;
  int32_t *rows = calloc(n_rows, sizeof *rows);
  (void)arguments;
  if (n_arguments == 2) n_rows += (size_t)rows[n_rows]; /* beyond the array */
  if (n_arguments == 3) n_rows += (size_t)(INT32_MAX + rows[0] + 1); /* beyond the type */
  free(rows);
  return n_rows == 1 ? 0 : 1;
}
"""


@pytest.mark.parametrize("build", [build for build in BUILDS if "sanitizers" in build])
@pytest.mark.parametrize(
    ("n_arguments", "problem"),
    # gcc from 14 on finds the first one by the size of the object, before it is read.
    [(1, "heap-buffer-overflow|insufficient space for an object"), (2, "signed integer overflow")],
)
def test_the_sanitizers_find_what_is_wrong(build: str, n_arguments: int, problem: str, tmp_path: Path) -> None:
    source = tmp_path / "faulty.c"
    source.write_text(FAULTY, encoding="ascii")
    program = compiled(source, tmp_path / "faulty", build)
    done = subprocess.run([str(program), *["x"] * n_arguments], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and re.search(problem, done.stderr)


def test_every_header_of_the_core_has_a_test() -> None:
    sources = "".join((HERE / name).read_text(encoding="utf-8") for name in [f"{stem}.c" for stem in PROGRAMS])
    sources += "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.h"))
    tested = set(re.findall(r'#include "(\w+\.h)"', sources))
    headers = {path.name for path in CORE.glob("*.h") if not path.name.endswith("_template.h")}
    assert headers and headers <= tested
