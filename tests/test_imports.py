"""`import pystrat` loads the stratified sampler alone; the others, and the libraries they need, come on first use."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import walk_packages

import pytest

import pystrat

MODULES = list(walk_packages(pystrat.__path__, "pystrat."))
OTHERS = {"torch", "pandas", "rpy2", "yaml", "matplotlib", "tqdm", "numpy.typing"}
LABELS = (
    "numpy.repeat([1, 0], 9)",
    "numpy.repeat([1, 0], 9).astype(numpy.uint8)",
    "numpy.repeat([1.5, numpy.nan], 9)",
    "numpy.repeat([True, False], 9)",
    "numpy.repeat(['b', 'a'], 9)",
    "numpy.array(['2026-01-01', '2026-01-02'] * 9, dtype='datetime64[D]')",
    "[1, 0] * 9",
    "{'sex': numpy.repeat([1, 0], 9), 'site': ['b', 'a'] * 9}",
)
# What each stage has loaded: the first import, and samplers of labels of all forms.
STAGES = f"""
import sys, numpy
by_numpy, stages = set(sys.modules), []
import pystrat
stages.append(set(sys.modules) - by_numpy)
for labels in ({", ".join(LABELS)}):
    sampler = pystrat.StratifiedBatchSampler(labels, min_samples_per_stratum=2, missing="stratum", seed=1)
    sampler.load_state_dict(sampler.state()), list(sampler), str(sampler), repr(sampler.plan)
stages.append(set(sys.modules) - by_numpy)
for stage in stages:
    print(*stage)
"""


def printed(code: str) -> list[set[str]]:
    """Run code in a Python of its own; return the words of each line that it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_import_brings_the_stratified_sampler_and_no_other_library() -> None:
    imported, sampled = printed(STAGES)
    packages = {module.name for module in MODULES if module.ispkg}
    assert packages & imported == {"pystrat.stratified"} and not OTHERS & imported
    assert {name for name in imported if name.startswith("pystrat.stratified.")} == {"pystrat.stratified.sampler"}
    assert OTHERS & sampled == {"pandas"}


def test_no_module_imports_pandas_at_once() -> None:
    package = Path(pystrat.__file__).parent
    sources = [path.read_text(encoding="utf-8") for kind in ("*.py", "*.pyx") for path in package.rglob(kind)]
    assert not [source for source in sources if "\nimport pandas" in source or "\nfrom pandas" in source]


def test_every_name_comes_from_the_module_that_type_checkers_see_and_is_listed_before() -> None:
    tree = ast.parse(Path(pystrat.__file__).read_text(encoding="utf-8"))
    imports = [part for block in tree.body if isinstance(block, ast.If) for part in block.body]
    module_of = {
        alias.name: str(part.module) for part in imports if isinstance(part, ast.ImportFrom) for alias in part.names
    }
    listed, at_once, starred = printed(
        "import pystrat; print(*dir(pystrat)); print(*vars(pystrat))\nfrom pystrat import *; print(*dir())"
    )
    assert set(module_of) < set(pystrat.__all__) <= starred and listed == {*pystrat.__all__, "__version__"}
    assert set(pystrat.__all__) - set(module_of) == set(pystrat.__all__) & at_once
    for name, module in module_of.items():
        assert getattr(pystrat, name).__module__.startswith(module), name
    assert pystrat.tree.TreeSampler is pystrat.TreeSampler
    with pytest.raises(AttributeError, match="module 'pystrat' has no attribute 'StratifiedSampler'"):
        getattr(pystrat, "StratifiedSampler")


def test_a_folder_that_is_not_compiled_says_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(Path(pystrat.__file__).parent, tmp_path / "pystrat", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    told = subprocess.run([sys.executable, "-c", "import pystrat"], cwd=tmp_path, capture_output=True, text=True).stderr
    assert told.splitlines()[-1].startswith("ImportError: ") and "has no compiled modules" in told
    assert told.endswith('Start Python in another folder, or run "pip install -e ." in the folder above it.\n')
