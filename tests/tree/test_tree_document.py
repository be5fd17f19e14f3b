"""The Python code of the guide to trees runs unchanged, with the output that the guide shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import blocks


def test_the_document_on_trees(capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks("tree.md")
    names: dict[str, Any] = {"__name__": "document"}
    exec(code, names)
    promised = re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == promised


def test_the_document_names_every_example() -> None:
    root = Path(__file__).parents[2]
    text = (root / "docs" / "tree.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\d-[a-z-]+\.yaml)`", text))
    assert named == {path.name for path in (root / "examples" / "tree").iterdir()}
