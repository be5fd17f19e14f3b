"""Runs the core on its own under sanitizers: ``python -m tests.core COMPILER [TRIALS]`` compiles it with replay.cpp,
which reads the recipes of all specimens. With the compiler "windows", MinGW-w64 compiles it, and it runs under wine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.core.recipes import numbers_of_recipes

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "rbridge" / "r" / "src"
OPTIONS = "-O1 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all".split()
ON_WINDOWS = ["-O1", "-static", "-Wno-mismatched-new-delete"]
WARNINGS = "-Wall -Wextra -Wconversion -pedantic -Werror".split()
COMPILERS = {"gcc": "g++", "clang": "clang++", "windows": "x86_64-w64-mingw32-g++"}


def compiled(compiler: str, program: Path, replay: Path = HERE / "replay.cpp") -> Path:
    options = ON_WINDOWS if compiler == "windows" else OPTIONS
    sources = [*sorted(SOURCES.glob("*/*.cpp")), replay]
    command = [COMPILERS[compiler], "-std=c++17", *WARNINGS, *options, f"-I{SOURCES / 'core'}", *sources, "-o", program]
    subprocess.run(command, check=True)
    return program


def main(compiler: str, trials: str = "50") -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(compiler, Path(folder) / ("replay.exe" if compiler == "windows" else "replay"))
        numbers = " ".join(map(str, numbers_of_recipes()))
        command = ["wine", program, trials] if program.suffix == ".exe" else [program, trials]
        done = subprocess.run(command, input=numbers, capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stdout.split() != numbers.split()[:1]:
            sys.exit(f"{compiler}, {trials} trials:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
