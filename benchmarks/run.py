"""Run benchmarks one after another, and say which of their ratios are above the limit.

Arguments: names of scripts in this folder. "loop.R=FILE" reads what the script has printed into a file, such as on
another machine. With --write their ratios replace those in ratios.csv, and page.py makes the pages anew from it.
"""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Iterator

import ratios
from ratios import FOLDER, Ratio

ABOUT = FOLDER / "about.json"
PACKAGES = ("numpy", "pandas", "torch", "scikit-learn", "imbalanced-learn")


def printed_by(script: str, file: str) -> Iterator[str]:
    """Run a script and yield what it prints, unless it ran before."""
    if file:
        yield from Path(file).read_text(encoding="utf-8").splitlines(keepends=True)
        return
    command = ["Rscript" if script.endswith(".R") else sys.executable, str(FOLDER / script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield from running.stdout
    if running.returncode != 0:
        sys.exit(f"{script} failed")


def versions() -> str:
    """Return the versions of what was measured."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)


def main(arguments: list[str]) -> None:
    measured: list[Ratio] = []
    about = json.loads(ABOUT.read_text(encoding="utf-8"))
    for argument in arguments:
        script, _, file = argument.partition("=")
        named = versions()
        for line in printed_by(script, file):
            print(line, end="", flush=True)
            if line.startswith("Versions: "):
                named = line.partition(": ")[2].strip()
            measured += filter(None, [ratios.parsed(script, line)])
        about[script] = {"date": datetime.date.today().isoformat(), "versions": named}
    missed = [ratio for ratio in measured if ratio.is_missed]
    n_limits = sum(bool(ratio.limit) for ratio in measured)
    print(f"\n{len(measured)} ratios, {n_limits} of them with a limit, {len(missed)} above it.")
    for ratio in missed:
        print(f"{ratio.script}: {ratio.what}: {ratio.ratio}, at most {ratio.limit}")
    if "--write" in sys.argv[1:]:
        import page

        new = {ratio.script for ratio in measured}
        kept = [ratio for ratio in ratios.read() if ratio.script not in new]
        ratios.write(sorted(kept + measured, key=lambda ratio: list(about).index(ratio.script)))
        ABOUT.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        page.write_all()


if __name__ == "__main__":
    main([argument for argument in sys.argv[1:] if argument != "--write"])
