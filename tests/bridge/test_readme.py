"""Every code block of the README, CONTRIBUTING and docs/install.md runs unchanged.

Two kinds of shell command are not run whole, since they would install the machine anew or run these very tests: of
``make`` it is asked what it would do, and of ``pip install`` the extras are looked up.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

from tests.test_readme import DOCUMENTS, ROOT, blocks, read


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(document, "python"):
        exec(block, names)


def test_r(rscript: Callable[..., str]) -> None:
    (code,) = blocks("README.md", "r")
    printed = rscript(code, TORCH_LOAD="0").splitlines()
    shown = re.findall(r"^#> (.*)$", code, flags=re.MULTILINE)
    assert len(shown) == 2 and printed[-2:] == shown
    assert all(blocks(document, "r") == [] for document in DOCUMENTS[1:])


def commands() -> list[str]:
    lines = [line for document in DOCUMENTS for block in blocks(document, "sh") for line in block.splitlines()]
    return list(dict.fromkeys(re.sub(r"\s+#.*", "", line) for line in lines if line.strip()))


@pytest.mark.parametrize("command", commands())
def test_shell(command: str, tmp_path: Path) -> None:
    if command.startswith("make "):
        command = command.replace("make ", "make --dry-run ", 1)
    if command.startswith("pip install "):
        extras = re.findall(r"\[(.*)\]", command)[0].split(",")
        assert set(extras) <= set(re.findall(r"^(\w+) = \[", read("pyproject.toml"), flags=re.MULTILINE))
        return
    if command.startswith("R CMD INSTALL "):  # into a library that is thrown away
        shutil.copytree(ROOT / "rbridge" / "r", tmp_path / "r")
        (tmp_path / "library").mkdir()
        command = f"R CMD INSTALL --library={tmp_path}/library {tmp_path}/r"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
