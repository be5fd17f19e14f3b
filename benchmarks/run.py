"""Run benchmarks one after another, and say which of their ratios are above the limit.

Arguments: names of scripts in this folder. With --write their ratios replace those in ratios.csv, and README.md,
method.md and the plots are made anew from it (page.py).
"""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import ratios
from ratios import FOLDER, Ratio

ABOUT = FOLDER / "about.json"
PACKAGES = ("numpy", "pandas", "torch", "scikit-learn", "imbalanced-learn", "rpy2")


def ratios_of(script: str) -> list[Ratio]:
    """Run a script, show what it prints, and return its ratios."""
    command = ["Rscript"] if script.endswith(".R") else [sys.executable]
    found = []
    with subprocess.Popen([*command, str(FOLDER / script)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for printed in running.stdout:
            print(printed, end="", flush=True)
            ratio = ratios.parsed(script, printed)
            if ratio is not None:
                found.append(ratio)
    if running.returncode != 0:
        sys.exit(f"{script} failed")
    return found


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


def write(scripts: list[str], found: list[Ratio]) -> None:
    """Put the ratios of these scripts in the place of their former ones."""
    kept = [ratio for ratio in ratios.read() if ratio.script not in scripts]
    about = json.loads(ABOUT.read_text(encoding="utf-8"))
    measured = {"date": datetime.date.today().isoformat(), "versions": versions()}
    about.update({script: measured for script in scripts})
    order = list(about)
    ratios.write(sorted(kept + found, key=lambda ratio: order.index(ratio.script)))
    ABOUT.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    scripts = [argument for argument in sys.argv[1:] if argument != "--write"]
    measured = [ratio for script in scripts for ratio in ratios_of(script)]
    missed = [ratio for ratio in measured if ratio.is_missed]
    n_limits = sum(bool(ratio.limit) for ratio in measured)
    print(f"\n{len(measured)} ratios, {n_limits} of them with a limit, {len(missed)} above it.")
    for ratio in missed:
        print(f"{ratio.script}: {ratio.what}: {ratio.ratio}, at most {ratio.limit}")
    if "--write" in sys.argv[1:]:
        import page

        write([script for script in scripts if any(ratio.script == script for ratio in measured)], measured)
        page.write_all()
