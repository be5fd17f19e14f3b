"""Runs the core on its own under sanitizers: ``python -m tests.core COMPILER [TRIALS]`` compiles replay.c, which reads
the calls of the core by all specimens.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.core.core_calls import numbers_of_calls

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "rbridge" / "r" / "src"
OPTIONS = "-std=c99 -O1 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all".split()
WARNINGS = "-Wall -Wextra -Wconversion -pedantic -Werror".split()
# What the program does wrong if it is asked to, and what the sanitizers say of it.
ERRORS = {"beyond": "heap-buffer-overflow|insufficient space for an object", "overflow": "signed integer overflow"}


def compiled(compiler: str, program: Path) -> Path:
    """Compile the core and replay.c as one source."""
    names = [*sorted(path.name for part in ("kind", "function") for path in SOURCES.glob(f"{part}_*.c")), "replay.c"]
    folders = [f"-I{folder}" for folder in (SOURCES, SOURCES / "core", HERE)]
    command = [compiler, *OPTIONS, *WARNINGS, *folders, "-x", "c", "-", "-o", str(program), "-lm"]
    subprocess.run(command, input="".join(f'#include "{name}"\n' for name in names), text=True, check=True)
    return program


def run(program: Path, argument: str, numbers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, argument], input=numbers, capture_output=True, text=True, check=False)


def main(compiler: str, trials: str = "50") -> None:
    numbers = " ".join(map(str, numbers_of_calls()))
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(compiler, Path(folder) / "replay")
        for error, problem in ERRORS.items():
            done = run(program, error)
            if done.returncode == 0 or not re.search(problem, done.stderr):
                sys.exit(f"The sanitizers of {compiler} do not find '{error}'.")
        done = run(program, trials, numbers)
    if done.returncode != 0 or done.stdout.split() != numbers.split()[:1]:
        sys.exit(f"{compiler}, {trials} trials:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
