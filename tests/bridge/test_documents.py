"""The R code of all documents prints what it says, in one process of R; so do the examples that need the bridge.

What training prints needs LibTorch. In docs/mlr3torch.md, what a block that trains leaves behind is computed from the
samplers alone, and the blocks after it print the same: rows, counts and names do not depend on the processor.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pandas as pd
import pytest

from tests.test_docs import ROOT, blocks

BLOCK = re.compile(r"```r( libtorch)?\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
TRAINED = ROOT / "docs" / "mlr3torch.md"
DOCUMENTS = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if page != TRAINED and "\n```r\n" in page.read_text(encoding="utf-8")
]
# What a document leaves behind, without output of its own.
CHECKS = {"fast-epochs": 'stopifnot(learner$callbacks[[1]]$id == "rbridge.tensor_loader")'}

# What each block that trains leaves behind, without the training: the batches of the samplers.
WITHOUT_TRAINING = [
    """
    batches_of = function(sampler, epochs) do.call(c, lapply(epochs, function(epoch) as.list(sampler$batches(epoch))))
    in_order = unname(split(1:52, (0:51) %/% 32))
    reached = list(training = batches_of(stratified(training), 0:2), validation = rep(in_order, 3))
    """,
    "folds = rsmp('custom_cv')$instantiate(task, f = factor(rep(1:2, length.out = 208)))",
    """
    sampler = stratified(training)
    reached = list(whole = batches_of(sampler, 0:3), resumed = batches_of(sampler, 2:3))
    """,
    "reached = batches_of(regression$param_set$values$batch_sampler(cars), 0:4)",
]


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the document on mlr3torch without the training and the output, which R writes into it."""
    fresh, substitutes = tmp_path_factory.mktemp("documents") / "mlr3torch.md", iter(WITHOUT_TRAINING)
    found = BLOCK.findall(TRAINED.read_text(encoding="utf-8"))
    code = [next(substitutes) if trains else block for trains, block, _ in found]
    assert next(substitutes, None) is None
    fresh.write_text("".join(f"```r\n{block}\n```\n\n" for block in code), encoding="utf-8")
    return fresh


@pytest.fixture(scope="module")
def printed(transcript: Path, rscript: Callable[..., Any]) -> dict[str, list[str]]:
    code = {page.stem: f"{blocks(page, 'r')}\n{CHECKS.get(page.stem, '')}" for page in DOCUMENTS}
    file = transcript.with_name("code.json")
    file.write_text(pd.Series(code).to_json(), encoding="utf-8")
    found: dict[str, list[str]] = rscript(
        Path(__file__).with_name("documents.R"),
        transcript,
        file,
        cwd=ROOT,
        TORCH_LOAD="0",
        TORCH_HOME=str(file.with_name("no-libtorch")),
    )
    return found


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.stem)
def test_a_document_prints_what_it_says(page: Path, printed: dict[str, list[str]]) -> None:
    promised = re.findall(r"^#>(.*)$", blocks(page, "r"), flags=re.MULTILINE)
    assert printed[page.stem] == [line.rstrip().removeprefix(" ") for line in promised]


def test_blocks_that_need_no_libtorch_print_what_the_document_on_mlr3torch_shows(
    transcript: Path, printed: dict[str, list[str]]
) -> None:
    shown = BLOCK.findall(TRAINED.read_text(encoding="utf-8"))
    fresh = [output for _, _, output in BLOCK.findall(transcript.read_text(encoding="utf-8"))]
    compared = [(output, of_document) for (trains, _, of_document), output in zip(shown, fresh) if not trains]
    assert len(fresh) == len(shown) and [output for output, _ in compared] == [shown for _, shown in compared]
    assert sum(1 for output, _ in compared if output) >= 5


def test_the_example_of_contributing_crosses() -> None:
    exec(blocks(ROOT / "CONTRIBUTING.md"), {})


def test_the_demo_compares_both_languages_with_the_published_numbers_and_the_survey(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "demo.py"), "--out", str(tmp_path / "out")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.count("[yes]") == 8 and "[NO" not in shown and shown.count("row for row") == 3
    tables = {path.stem: pd.read_csv(path, index_col="batch") for path in (tmp_path / "out").glob("*.csv")}
    assert len(tables) == 5 and (tables["simulated_stratified"]["1"] == 3).all()
    assert tables["simulated_plain"]["1"].eq(0).sum() == 11
    assert tables["nsch_strata_by_autism"].sum().to_dict() == {"no": 20_907, "yes": 606}
    assert (tmp_path / "out" / "positives_per_batch.png").read_bytes().startswith(b"\x89PNG")
