"""The modules that `import pystrat` loads, and that the others are loaded on first use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from pkgutil import walk_packages

import pytest

import pystrat


def printed(code: str) -> list[str]:
    """Run code in a Python of its own; return the words that it prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()


def test_import_brings_the_stratified_sampler_and_nothing_of_the_others() -> None:
    loaded = printed("import sys, pystrat; print(*sys.modules)")
    packages = [module.name for module in walk_packages(pystrat.__path__, "pystrat.") if module.ispkg]
    assert set(packages) & set(loaded) == {"pystrat.stratified"}
    assert {name for name in loaded if name.startswith("pystrat.stratified.")} == {"pystrat.stratified.sampler"}
    by_others = printed("import sys, numpy; print(*sys.modules)")
    others = {"torch", "pandas", "rpy2", "yaml", "matplotlib", "tqdm", "numpy.typing"}
    assert not others & (set(loaded) - set(by_others))


@pytest.mark.parametrize(
    "labels",
    [
        "numpy.repeat([1, 0], 9)",
        "numpy.repeat([1, 0], 9).astype(numpy.uint8)",
        "numpy.repeat([1.5, numpy.nan], 9)",
        "numpy.repeat([True, False], 9)",
        "numpy.repeat(['b', 'a'], 9)",
        "numpy.array(['2026-01-01', '2026-01-02'] * 9, dtype='datetime64[D]')",
        "[1, 0] * 9",
        "[1.5, 0.5] * 9",
        "[True, False] * 9",
        "['b', 'a'] * 9",
        "{'class': numpy.repeat([1, 0], 9), 'site': ['b', 'a'] * 9}",
    ],
)
def test_pandas_is_imported_only_for_tables(labels: str) -> None:
    code = f"""
import sys, numpy
from pystrat import StratifiedBatchSampler
sampler = StratifiedBatchSampler({labels}, min_samples_per_stratum=2, missing="stratum", seed=1)
batches = list(sampler)
state = sampler.state_dict()
sampler.load_state_dict(state)
str(sampler), repr(sampler.plan)
before = "pandas" in sys.modules
sampler.plan.summary()
print(before, "pandas" in sys.modules)
"""
    assert printed(code) == ["False", "True"]


def test_no_module_imports_pandas_at_once() -> None:
    package = Path(pystrat.__file__).parent
    sources = [path.read_text(encoding="utf-8") for kind in ("*.py", "*.pyx") for path in package.rglob(kind)]
    assert not [source for source in sources if "\nimport pandas" in source or "\nfrom pandas" in source]


def test_every_name_can_be_imported_at_once() -> None:
    assert set(pystrat.__all__) <= set(printed("from pystrat import *; print(*dir())"))


def modules_for_type_checkers() -> dict[str, str]:
    """Return the module of each name that `pystrat` imports on first use, as type checkers see it."""
    tree = ast.parse(Path(pystrat.__file__).read_text(encoding="utf-8"))
    imports = [part for block in tree.body if isinstance(block, ast.If) for part in block.body]
    return {
        alias.name: str(part.module) for part in imports if isinstance(part, ast.ImportFrom) for alias in part.names
    }


MODULE_OF = modules_for_type_checkers()


@pytest.mark.parametrize("name", sorted(MODULE_OF))
def test_a_name_comes_from_its_module_when_it_is_asked_for(name: str) -> None:
    asked = f"print(pystrat.{name}.__module__, *set(sys.modules) - before)"
    code = f"import sys, pystrat; before = set(sys.modules); {asked}"
    origin, *loaded = printed(code)
    assert origin.startswith(MODULE_OF[name])
    assert MODULE_OF[name] in loaded


def test_dir_lists_every_name_before_it_is_asked_for() -> None:
    listed = printed("import pystrat; print(*dir(pystrat))")
    assert set(pystrat.__all__) <= set(listed)
    assert {"__version__", "corpus", "tree"} <= set(listed)


def test_modules_of_names_are_attributes() -> None:
    assert printed("import pystrat; print(pystrat.tree.TreeSampler is pystrat.TreeSampler)") == ["True"]


def test_type_checkers_know_every_name() -> None:
    at_once = printed("import pystrat; print(*vars(pystrat))")
    assert set(MODULE_OF) < set(pystrat.__all__)
    assert set(pystrat.__all__) - set(MODULE_OF) == set(pystrat.__all__) & set(at_once)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'pystrat' has no attribute 'StratifiedSampler'"):
        getattr(pystrat, "StratifiedSampler")
