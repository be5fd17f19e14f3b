"""The contract between `BatchSampler` and its subclasses is the one that pystrat/base.py describes."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pystrat
import pystrat.base
from pystrat import BatchSampler


def subclasses(of: type) -> Iterator[type]:
    for subclass in of.__subclasses__():
        if subclass.__module__.startswith("pystrat."):  # not those of other tests
            yield subclass
        yield from subclasses(subclass)


def overridden_methods() -> set[str]:
    """Return the methods of BatchSampler, except special ones, that any sampler of the package overrides."""
    for module in pkgutil.walk_packages(pystrat.__path__, "pystrat."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    own = {name for name in vars(BatchSampler) if not name.startswith("__")}
    return {name for subclass in subclasses(BatchSampler) for name in vars(subclass) if name in own}


def test_subclasses_override_the_methods_that_the_base_module_names_and_no_others() -> None:
    described = set(re.findall(r"`(_\w+)`", pystrat.base.__doc__ or ""))
    assert overridden_methods() - {"_abc_impl"} == {name for name in described if hasattr(BatchSampler, name)}


def test_one_file_of_the_tests_imports_what_is_private() -> None:
    folder = Path(__file__).parent
    imported = re.compile(r"^\s*(?:from pystrat\S* import .*\b_\w|(?:from|import) pystrat\S*\._)", re.MULTILINE)
    found = {path.name for path in folder.rglob("*.py") if imported.search(path.read_text(encoding="utf-8"))}
    assert found == {"inside.py"}


def test_plain_models_do_not_import_pystrat() -> None:
    """Nor anything that does, except for golden_specimens.py, which compares R with Python."""
    scripts = {path.stem: path for path in (Path(__file__).parent / "reference").glob("*.py")}
    del scripts["golden_specimens"]
    code = "import sys; sys.modules.update(pystrat=None, rbridge=None)\n"
    code += "".join(f"import tests.reference.{name}\n" for name in scripts)
    tried = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr
    later = re.compile(r"^[ \t]+(?:from|import) |import_module", re.MULTILINE)
    assert not [name for name, path in scripts.items() if later.search(path.read_text(encoding="utf-8"))]
