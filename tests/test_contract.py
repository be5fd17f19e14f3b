"""What tests and plain models may import."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


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
