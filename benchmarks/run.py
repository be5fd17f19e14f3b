"""Run benchmarks one after another, and say which of their ratios are above the limit.

Arguments: names of scripts in this folder. With --write their ratios replace those in ratios.csv, and README.md,
method.md and the plots are made anew from it (page.py).

A name may have arguments of the script, such as "loop.py 200000": a part of its ratios, which replaces no others.
"loop.R=FILE" reads what the script has printed into a file, such as on another machine.
"""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Iterator, NamedTuple

import ratios
from ratios import FOLDER, Ratio

ABOUT = FOLDER / "about.json"
PACKAGES = ("numpy", "pandas", "torch", "scikit-learn", "imbalanced-learn", "rpy2")


class Piece(NamedTuple):
    """A script, or a part of it: its name, its arguments, and the file of what it has printed, if it ran before."""

    script: str
    arguments: list[str]
    file: str

    def lines(self) -> Iterator[str]:
        """Run it and yield what it prints, unless it ran before."""
        if self.file:
            yield from Path(self.file).read_text(encoding="utf-8").splitlines(keepends=True)
            return
        command = ["Rscript"] if self.script.endswith(".R") else [sys.executable]
        command += [str(FOLDER / self.script), *self.arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            yield from running.stdout
        if running.returncode != 0:
            sys.exit(f"{self.script} failed")


class Found(NamedTuple):
    """What a piece has printed: its ratios, and the versions of what was measured, if it names them."""

    piece: Piece
    ratios: list[Ratio]
    versions: str


def piece_of(argument: str) -> Piece:
    called, _, file = argument.partition("=")
    script, *arguments = called.split()
    return Piece(script, arguments, file)


def found_of(piece: Piece) -> Found:
    """Show what a script prints, and return its ratios."""
    found, named = [], ""
    for printed in piece.lines():
        print(printed, end="", flush=True)
        if printed.startswith("Versions: "):
            named = printed.partition(": ")[2].strip()
        ratio = ratios.parsed(piece.script, printed)
        if ratio is not None:
            found.append(ratio)
    return Found(piece, found, named)


def versions() -> str:
    """Return the versions of what was measured."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    asked = [
        "Rscript",
        "-e",
        "cat(format(getRversion()), ', data.table ', format(packageVersion('data.table')), sep = '')",
    ]
    r = subprocess.run(asked, capture_output=True, text=True, check=False)
    return ", ".join([*found, f"R {r.stdout}" if r.returncode == 0 else "no R with data.table"])


def write(measured: list[Found]) -> None:
    """Put the ratios of these scripts, or parts of them, in the place of their former ones."""
    whole = {found.piece.script for found in measured if not found.piece.arguments}
    new = [ratio for found in measured for ratio in found.ratios]
    names = {(ratio.script, ratio.what) for ratio in new}
    kept = [r for r in ratios.read() if r.script not in whole and (r.script, r.what) not in names]
    about = json.loads(ABOUT.read_text(encoding="utf-8"))
    for found in measured:
        today = datetime.date.today().isoformat()
        about[found.piece.script] = {"date": today, "versions": found.versions or versions()}
    order = list(about)
    ratios.write(sorted(kept + new, key=lambda ratio: order.index(ratio.script)))
    ABOUT.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    results = [found_of(piece_of(argument)) for argument in sys.argv[1:] if argument != "--write"]
    measured = [ratio for found in results for ratio in found.ratios]
    missed = [ratio for ratio in measured if ratio.is_missed]
    n_limits = sum(bool(ratio.limit) for ratio in measured)
    print(f"\n{len(measured)} ratios, {n_limits} of them with a limit, {len(missed)} above it.")
    for ratio in missed:
        print(f"{ratio.script}: {ratio.what}: {ratio.ratio}, at most {ratio.limit}")
    if "--write" in sys.argv[1:]:
        import page

        write([found for found in results if found.ratios])
        page.write_all()
