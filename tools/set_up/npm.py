"""Programs of the npm registry, in build/npm. They are optional: without npm, what needs them goes on without."""

from __future__ import annotations

import shutil

from machine import ROOT, run, say
from requirements import required

FOLDER = ROOT / "build" / "npm"


def missing(targets: list[str]) -> list[str]:
    """Return the programs of these targets that are not installed and can be, each with its version."""
    rows = [row for row in required(targets) if row.kind == "npm"]
    absent = [row for row in rows if not (FOLDER / "node_modules" / row.distribution).is_dir()]
    return [f"{row.distribution}@^{row.least}" for row in absent] if shutil.which("npm") else []


def set_up(targets: list[str]) -> None:
    programs = missing(targets)
    if programs:
        FOLDER.mkdir(parents=True, exist_ok=True)
        options = ["--prefix", str(FOLDER), "--no-audit", "--no-fund", "--no-save"]
        if not run(["npm", "install", *options, *programs], "npm"):
            say(f"going on without {' '.join(programs)}")
