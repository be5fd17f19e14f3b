"""The pages of benchmarks/ follow ratios.csv."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(name="page")
def _page(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("page")


def test_the_pages_follow_the_ratios_and_name_those_above_their_limit(page: Any) -> None:
    found = page.by_key()
    for name, text in page.pages(found).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run benchmarks/page.py"
    key = page.CLAIMS[0].named["shuffled"]
    changed = {**found, key: found[key]._replace(ratio="0.99")}
    assert "take 99% of the time of PyTorch's shuffled" in page.pages(changed)["README.md"]
    limited = next(key for key, ratio in found.items() if ratio.limit and not ratio.is_missed)
    missed = {**found, limited: found[limited]._replace(ratio="99")}
    assert limited[1] not in page.limits_text(found) and f"| {limited[1]} | 99 |" in page.limits_text(missed)
