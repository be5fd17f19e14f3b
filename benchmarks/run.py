"""Run benchmarks one after another, and print all their ratios as the tables of README.md, those with a limit first.

Arguments: names of scripts in this folder. With --write the tables also replace those in README.md.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
BEGIN, END = "<!-- results of run.py begin -->\n", "<!-- results of run.py end -->\n"
PACKAGES = ("numpy", "pandas", "torch", "scikit-learn", "imbalanced-learn", "rpy2")


class Line(NamedTuple):
    """One ratio as a script prints it."""

    script: str
    what: str
    ratio: str
    quartiles: str
    limit: str = ""
    verdict: str = ""


def lines_of(script: str) -> list[Line]:
    """Run a script, show what it prints, and return the lines of its tables."""
    command = ["Rscript"] if script.endswith(".R") else [sys.executable]
    lines = []
    with subprocess.Popen([*command, str(FOLDER / script)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for printed in running.stdout:
            print(printed, end="", file=sys.stderr, flush=True)
            cells = [cell.strip() for cell in printed.strip().strip("|").split("|")]
            if printed.startswith("| ") and cells[1] not in ("ratio", "---"):
                lines.append(Line(script, *cells))
    if running.returncode != 0:
        sys.exit(f"{script} failed")
    return lines


def table(lines: list[Line]) -> str:
    rows = [f"| `{line.script}` | {' | '.join(line[1:])} |" for line in lines]
    return "\n".join(["| script | what | ratio | quartiles | at most | |", "| --- " * 6 + "|", *rows]) + "\n"


def described_machine() -> str:
    """Say on what was measured."""
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    asked = ["Rscript", "-e", "cat(R.version.string, '; data.table ', format(packageVersion('data.table')), sep = '')"]
    r = subprocess.run(asked, capture_output=True, text=True, check=False)
    return "; ".join([", ".join(versions), r.stdout if r.returncode == 0 else "no R with data.table"])


def results(scripts: list[str]) -> str:
    begin = time.monotonic()
    lines = [line for script in scripts for line in lines_of(script)]
    minutes = (time.monotonic() - begin) / 60
    limited = [line for line in lines if line.limit]
    missed = sum(line.verdict != "reached" for line in limited)
    return "\n".join(
        [
            f"One run of {minutes:.0f} minutes. {described_machine()}.\n",
            "### Claims with a limit\n",
            f"{len(limited)} claims, {len(limited) - missed} reached, {missed} not.\n",
            table(limited),
            "### Without a limit\n",
            table([line for line in lines if not line.limit]),
        ]
    )


def replaced(readme: str, tables: str) -> str:
    """Return the README with these tables between its two marks."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{tables}\n{END}{after}"


if __name__ == "__main__":
    asked = [argument for argument in sys.argv[1:] if argument != "--write"]
    tables = results(asked)
    print(tables)
    if "--write" in sys.argv[1:]:
        README.write_text(replaced(README.read_text(encoding="utf-8"), tables), encoding="utf-8")
