"""`import pystrat` loads neither pandas nor torch; they come when they are first needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pystrat

CODE = """
import sys, pystrat
print(*{"torch", "pandas", "rpy2", "yaml", "matplotlib", "tqdm"} & set(sys.modules))
sampler = pystrat.StratifiedBatchSampler([0, 1] * 9, min_samples_per_stratum=2, seed=1)
list(sampler), str(sampler), repr(sampler.plan)
print(*{"torch", "rpy2", "yaml", "matplotlib", "tqdm"} & set(sys.modules))
print(*dir(pystrat))
"""


def test_import_brings_no_other_library_and_all_names_are_there() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    imported, sampled, names = done.stdout.splitlines()
    assert imported == sampled == "" and set(names.split()) == {*pystrat.__all__, "__version__"}
    for name in pystrat.__all__:
        assert getattr(pystrat, name).__module__.startswith("pystrat"), name
    with pytest.raises(AttributeError, match="module 'pystrat' has no attribute 'StratifiedSampler'"):
        getattr(pystrat, "StratifiedSampler")


def test_a_folder_that_is_not_compiled_says_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(Path(pystrat.__file__).parent, tmp_path / "pystrat", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    told = subprocess.run([sys.executable, "-c", "import pystrat"], cwd=tmp_path, capture_output=True, text=True).stderr
    assert told.splitlines()[-1].startswith("ImportError: ") and "has no compiled modules" in told
    assert told.endswith('Start Python in another folder, or run "pip install -e ." in the folder above it.\n')


def test_imports_point_downward() -> None:
    """A room imports the core alone; training and reports import rooms, and only the command line imports reports."""
    packages = {path.parent.name for path in Path(pystrat.__file__).parent.glob("*/__init__.py")}
    upper = {"training": packages - {"reports"}, "reports": packages}
    for path in Path(pystrat.__file__).parent.glob("*/*.py"):
        room = path.parent.name
        imported = set(re.findall(r"(?m)^\s*from pystrat\.(\w+)", path.read_text(encoding="utf-8"))) & packages
        assert imported <= upper.get(room, {"core", room}), path
