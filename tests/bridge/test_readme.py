"""The README's R code, and its code for the bridge, run as they stand there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

from tests.test_readme import section


def test_the_r_example(rscript: Callable[..., str]) -> None:
    printed = rscript(section("In R"))
    assert "Batches: 200, of 100 rows, each with at least 3 rows of every stratum" in printed


def test_the_bridge_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo-output").mkdir()
    names: dict[str, Any] = {}
    exec(section("In Python"), names)
    exec(section("From Python to R"), names)
    assert (tmp_path / "demo-output" / "sampler.R").is_file()
    assert "R package rbridge" in capsys.readouterr().out
