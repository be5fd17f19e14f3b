"""The README's Python code runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The code blocks of a section, joined."""
    text = README.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```(?:python|r)\n(.*?)```", text, flags=re.DOTALL))


def test_the_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(section("In Python"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("200 batches of 100 rows, 20000 rows in all")
    assert len(names["sampler"]) == 200
