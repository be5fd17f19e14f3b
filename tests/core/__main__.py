"""Runs the core on its own under sanitizers: ``python -m tests.core COMPILER [TRIALS]`` compiles replay.c for the kinds
in C, and replay.cpp for those in C++, which read the calls of the core by all specimens. With the compiler "windows",
it compiles replay.cpp by MinGW-w64 instead, and runs it under wine.
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
OPTIONS = "-O1 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all".split()
WARNINGS = "-Wall -Wextra -Wconversion -pedantic -Werror".split()
# What the program does wrong if it is asked to, and what the sanitizers say of it.
ERRORS = {"beyond": "heap-buffer-overflow|insufficient space for an object", "overflow": "signed integer overflow"}


def compiled(compiler: str, program: Path) -> Path:
    """Compile the kinds in C and replay.c as one source, or those in C++ and replay.cpp."""
    folders = [f"-I{folder}" for folder in (SOURCES, SOURCES / "core", HERE)]
    if program.suffix != ".c":
        options = ["-O1", "-static", "-Wno-mismatched-new-delete"] if compiler == "windows" else OPTIONS
        compiler = {"gcc": "g++", "windows": "x86_64-w64-mingw32-g++"}.get(compiler, f"{compiler}++")
        sources = [*sorted({*SOURCES.glob("*/*.cpp")} - {SOURCES / "r" / "binding.cpp"}), HERE / "replay.cpp"]
        subprocess.run([compiler, "-std=c++17", *WARNINGS, *options, *folders, *sources, "-o", program], check=True)
        return program
    names = [*sorted(path.name for part in ("kind", "function") for path in SOURCES.glob(f"{part}_*.c")), "replay.c"]
    command = [compiler, "-std=c99", *OPTIONS, *WARNINGS, *folders, "-x", "c", "-", "-o", str(program), "-lm"]
    subprocess.run(command, input="".join(f'#include "{name}"\n' for name in names), text=True, check=True)
    return program


def run(program: Path, argument: str, numbers: str = "") -> subprocess.CompletedProcess[str]:
    command = ["wine", program, argument] if program.suffix == ".exe" else [program, argument]
    return subprocess.run(command, input=numbers, capture_output=True, text=True, check=False)


def main(compiler: str, trials: str = "50") -> None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".exe",) if compiler == "windows" else (".c", ".cpp"):
            program = compiled(compiler, Path(folder) / f"replay{suffix}")
            for error, problem in ERRORS.items() if suffix == ".c" else ():
                done = run(program, error)
                if done.returncode == 0 or not re.search(problem, done.stderr):
                    sys.exit(f"The sanitizers of {compiler} do not find '{error}'.")
            numbers = " ".join(map(str, numbers_of_calls(in_cpp=suffix != ".c")))
            done = run(program, trials, numbers)
            if done.returncode != 0 or done.stdout.split() != numbers.split()[:1]:
                sys.exit(f"{compiler}, replay{suffix}, {trials} trials:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
