"""Runs the core on its own under sanitizers: ``python -m tests.core COMPILER [TRIALS]`` compiles replay.c for the kinds
in C, and replay.cpp for those in C++, which read the calls of the core by all specimens.
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
BINDING = SOURCES / "r" / "binding.cpp"
OPTIONS = "-O1 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all".split()
WARNINGS = "-Wall -Wextra -Wconversion -pedantic -Werror".split()
# What the program does wrong if it is asked to, and what the sanitizers say of it.
ERRORS = {"beyond": "heap-buffer-overflow|insufficient space for an object", "overflow": "signed integer overflow"}


def compiled(compiler: str, program: Path) -> Path:
    """Compile the kinds in C and replay.c, or those in C++ and replay.cpp, as one source."""
    if program.suffix == ".cpp":
        compiler = {"gcc": "g++"}.get(compiler, f"{compiler}++")
        language, names = ["-std=c++17", "-x", "c++"], sorted(map(str, {*SOURCES.glob("*/*.cpp")} - {BINDING}))
    else:
        parts = ("kind", "function")
        language, names = ["-std=c99", "-x", "c"], sorted(str(f) for part in parts for f in SOURCES.glob(f"{part}_*.c"))
    folders = [f"-I{folder}" for folder in (SOURCES, SOURCES / "core", HERE)]
    command = [compiler, *OPTIONS, *WARNINGS, *folders, *language, "-", "-o", str(program), "-lm"]
    names.append(f"replay{program.suffix}")
    subprocess.run(command, input="".join(f'#include "{name}"\n' for name in names), text=True, check=True)
    return program


def run(program: Path, argument: str, numbers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, argument], input=numbers, capture_output=True, text=True, check=False)


def main(compiler: str, trials: str = "50") -> None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".c", ".cpp"):
            program = compiled(compiler, Path(folder) / f"replay{suffix}")
            for error, problem in ERRORS.items() if suffix == ".c" else ():
                done = run(program, error)
                if done.returncode == 0 or not re.search(problem, done.stderr):
                    sys.exit(f"The sanitizers of {compiler} do not find '{error}'.")
            numbers = " ".join(map(str, numbers_of_calls(in_cpp=suffix == ".cpp")))
            done = run(program, trials, numbers)
            if done.returncode != 0 or done.stdout.split() != numbers.split()[:1]:
                sys.exit(f"{compiler}, replay{suffix}, {trials} trials:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
