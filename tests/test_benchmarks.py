"""The pages of benchmarks/ follow ratios.csv, and the output of scripts is read as it is printed."""

from __future__ import annotations

import importlib
import re
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


def test_every_script_is_described(page: Any) -> None:
    measured, method = {ratio.script for ratio in page.ratios.read()}, (FOLDER / "method.md").read_text("utf-8")
    makefile = (FOLDER.parent / "Makefile").read_text(encoding="utf-8")
    (names,) = re.findall(r"^bench_scripts := (.*)$", makefile, re.MULTILINE)
    scripts = {f"{name}.py" for name in names.split()} | {"epoch.R", "loop.R"}
    assert measured <= set(re.findall(r"^\| `(\w+\.\w+)` \|", method, re.MULTILINE)) == scripts


def test_lines_are_read_as_scripts_print_them(page: Any, capsys: pytest.CaptureFixture[str]) -> None:
    rounds = importlib.import_module("rounds")
    rounds.head()
    rounds.show("ours over theirs, 1,000 rows", (0.5, 0.25, 0.75), 0.4)
    rounds.show("bytes a row", (5.0, 5.0, 5.0))
    print("| ns a pair, ours | 40 | | | |\nNot measured: anything else.")
    parsed = [page.ratios.parsed("a.py", line) for line in capsys.readouterr().out.splitlines()]
    assert [ratio for ratio in parsed if ratio is not None] == [
        page.Ratio("a.py", "ours over theirs, 1,000 rows", "0.50", "0.25", "0.75", "0.4"),
        page.Ratio("a.py", "bytes a row", "5.00", "5.00", "5.00", ""),
        page.Ratio("a.py", "ns a pair, ours", "40", "", "", ""),
    ]
    assert [bool(ratio and ratio.is_missed) for ratio in parsed].count(True) == 1
