"""The demo runs completely, and without R it says what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]


def demo(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, str(ROOT / "examples" / "demo.py"), "--out", str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def test_the_demo_compares_both_languages_with_the_published_numbers_and_the_survey(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[yes]") == 8 and "[NO" not in done.stdout
    assert done.stdout.count("row for row") == 3
    assert "21,599 children, 606 ever diagnosed with autism, 86 unanswered" in done.stdout
    tables = {path.stem: pd.read_csv(path, index_col="batch") for path in (tmp_path / "out").glob("*.csv")}
    assert set(tables) == {
        "simulated_plain",
        "simulated_stratified",
        "nsch_plain_shuffling",
        "nsch_strata_by_autism",
        "nsch_strata_by_autism_sex_and_age",
    }
    assert (tables["simulated_stratified"]["1"] == 3).all() and tables["simulated_plain"]["1"].eq(0).sum() == 11
    assert tables["nsch_strata_by_autism"].sum().to_dict() == {"no": 20_907, "yes": 606}
    picture = tmp_path / "out" / "positives_per_batch.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert done.stdout.splitlines()[-4:] == [
        f"The picture is {picture}; the tables are beside it.",
        "Of 200 batches, plain shuffling left 11 without a positive row, stratified batches none.",
        "Python and R were given the same seed and delivered the same batches.",
        "Read next: vignettes/stratified-batches.md, the idea step by step.",
    ]


def test_without_r_the_demo_is_the_python_half_and_says_so(tmp_path: Path) -> None:
    done = demo(tmp_path, PATH=str(tmp_path), R_HOME="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[yes]") == 5 and "row for row" not in done.stdout
    assert done.stdout.count("Install R 4.0 or newer") == 2
    picture = tmp_path / "out" / "positives_per_batch.png"
    assert picture.is_file() and done.stdout.splitlines()[-4] == f"The picture is {picture}; the tables are beside it."
    assert done.stdout.splitlines()[-2].startswith("This was Python alone")
