"""The C core by itself: each test_*.c beside this file is a program, compiled by two compilers and run.

Two builds run under AddressSanitizer and UndefinedBehaviorSanitizer. The third one is optimized, and its compiler may
contract multiplications and additions, as compilers of R packages may: no result depends on that.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pytest

from pystrat.strata import encode_strata
from tests.reference.golden_lengths import lengths_of
from tests.reference.golden_sharded import strata_of
from tests.reference.golden_vectors import GOLDEN, MODULUS, labels_of
from tests.reference.naive_shards import naive_cells

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
PROGRAMS = sorted(path.stem for path in HERE.glob("test_*.c"))


def compiled(source: Path, program: Path, build: str) -> Path:
    """Compile a program; the message of a compiler that fails is that of the test."""
    command = [*BUILDS[build], "-std=c99", *WARNINGS, f"-I{CORE}", f"-I{HERE}", str(source), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return program


def golden_batches() -> Iterator[int]:
    """Yield the numbers that test_golden_batches.c reads."""
    cases = json.loads((GOLDEN / "batches.json").read_text(encoding="utf-8"))["cases"]
    yield len(cases)
    for case in cases:
        yield from _numbers_of_case(case["input"], case["expected"])


def _numbers_of_case(given: dict[str, Any], expected: dict[str, Any]) -> Iterator[int]:
    parameters = given["parameters"]
    labels = labels_of(given["strata"])
    if isinstance(labels, dict):  # columns of text and numbers; the core numbers integers
        strata = encode_strata(labels, missing=parameters.get("missing", "error"))
        labels = np.where(strata.codes == len(strata.names), -1, strata.codes.astype(np.int64))
    # As make_plan() has it: a mean batch size that leaves batches without a row of a stratum deals the rows evenly.
    even = parameters.get("assign") == "even" or expected["min_samples_per_stratum"] == 0
    yield from (len(labels), *labels.tolist())
    yield from (len(expected["counts"]), *expected["counts"])
    yield from (expected["n_batches"], int(even), int(parameters.get("shuffle", True)), parameters["seed"])
    yield from _numbers_of_list(expected["sizes"])
    yield len(given["epochs"])
    for epoch, drawn in zip(given["epochs"], expected["epochs"]):
        yield epoch
        yield from _numbers_of_list(drawn["permutation"])
        yield from _numbers_of_list(drawn["rows"])


def _numbers_of_list(listed: Any) -> Iterator[int]:
    if isinstance(listed, list):
        checksum = sum(place * value for place, value in enumerate(listed, 1)) % MODULUS
        yield from (len(listed), len(listed), *listed, 0, checksum)
    else:
        head, tail = listed["head"], listed["tail"]
        yield from (listed["length"], len(head), *head, len(tail), *tail, listed["checksum"])


def golden_shards() -> Iterator[int]:
    """Yield the numbers that test_golden_shards.c reads."""
    cases = json.loads((GOLDEN / "sharded.json").read_text(encoding="utf-8"))["cases"]
    yield len(cases)
    for case in cases:
        given, table, batches = case["input"], case["expected"]["table"], case["expected"]["batches"]
        strata, shards = strata_of(given), given["shards"]
        yield from (given["n_strata"], len(batches), len(strata), given["seed"], given["epoch"], int(given["shuffle"]))
        yield len(shards)
        for shard in shards:
            yield from (shard, len(strata[shard]), *strata[shard])
        cells = naive_cells(table, len(batches), given["promise"])
        for shard in shards:
            yield from ((cells[shard, stratum] or [0])[0] for stratum in range(given["n_strata"]))
        for batch in batches:
            yield from (len(batch), *batch)


def golden_lengths() -> Iterator[int]:
    """Yield the numbers that test_length_batches.c reads."""
    cases = json.loads((GOLDEN / "lengths.json").read_text(encoding="utf-8"))["cases"]
    yield len(cases)
    for case in cases:
        given = case["input"]
        yield from (given["n"], *lengths_of(given), given["sample"], given["seed"], given["epoch"])
        limits = {"window": given["sample"], "batch_size": given["sample"], "max_tokens": 2**62, "num_replicas": 1}
        yield from (given.get(name, default) for name, default in limits.items())
        yield from _numbers_of_list(case["expected"]["rows"])
        yield from _numbers_of_list(case["expected"]["sizes"])


# What programs read on standard input. They print the first number, how many cases there are, once all have passed.
CASES: dict[str, Callable[[], Iterator[int]]] = {
    "test_golden_batches": golden_batches,
    "test_golden_shards": golden_shards,
    "test_length_batches": golden_lengths,
}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, build: str, tmp_path: Path) -> None:
    program = compiled(HERE / f"{name}.c", tmp_path / name, build)
    cases = list(CASES[name]()) if name in CASES else []
    done = subprocess.run([str(program)], input=" ".join(map(str, cases)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(number) for number in cases[:1]]
    assert not done.stderr


def test_a_golden_vector_that_is_not_met_is_found(tmp_path: Path) -> None:
    program = compiled(HERE / "test_golden_batches.c", tmp_path / "golden", "gcc with contraction")
    numbers = list(golden_batches())
    numbers[-1] += 1  # the last checksum of rows
    done = subprocess.run(
        [str(program)], input=" ".join(map(str, numbers)), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "checksum" in done.stderr


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
