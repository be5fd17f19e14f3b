"""docs/mlr3torch.md, docs/luz.md and the help page show what training printed, which needs LibTorch.

Here the examples for mlr3torch run without LibTorch. What a block that trains leaves behind is computed from the
samplers alone, and the blocks after it must print the same: rows, counts, order and names do not depend on the
processor.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rbridge._install import find_r

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "mlr3torch.md"
BLOCK = re.compile(r"```r( libtorch)?\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)

# What each block that trains leaves behind, without the training: the batches of the samplers.
WITHOUT_TRAINING = [
    """
    batches_of = function(sampler, epochs) {
      do.call(c, lapply(epochs, function(epoch) {
        batches = sampler$batches(epoch)
        unname(split(batches$rows, rep(seq_along(batches$offsets[-1]), diff(batches$offsets))))
      }))
    }
    rows = batches_of(stratified(training), 0:2)
    in_order = unname(split(1:52, (0:51) %/% 32))
    reached = list(training = rows, validation = rep(in_order, 3))
    """,
    "",
    """
    folds = rsmp("custom_cv")$instantiate(task, f = factor(rep(1:2, length.out = 208)))
    reached = lapply(1:2, function(fold) {
      batches_of(stratified(task$clone()$filter(folds$train_set(fold))), 0:2)
    })
    """,
    "",
    """
    sampler = stratified(training)
    reached = list(whole = batches_of(sampler, 0:3), resumed = batches_of(sampler, 2:3))
    reached$without_callback = batches_of(sampler, 0:1)
    """,
    "",
    "reached = batches_of(regression$param_set$values$batch_sampler(cars), 0:4)",
    "",
]


def test_a_fresh_run_without_libtorch_prints_what_the_document_shows(tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = [match.groups() for match in BLOCK.finditer(text)]
    substitutes = iter(WITHOUT_TRAINING)
    code = [next(substitutes) if trains else block for trains, block, _ in blocks]
    assert next(substitutes, None) is None
    fresh = tmp_path / "mlr3torch.md"
    fresh.write_text("".join(f"```r\n{block}\n```\n\n" for block in code), encoding="utf-8")
    command = [find_r("Rscript") or "Rscript", "tools/transcript.R", str(fresh)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = [shown for _, _, shown in BLOCK.findall(fresh.read_text(encoding="utf-8"))]
    assert len(printed) == len(blocks)
    compared = [(fresh, shown or "") for (trains, _, shown), fresh in zip(blocks, printed) if not trains]
    assert [fresh for fresh, _ in compared] == [shown for _, shown in compared]
    assert sum(1 for fresh, _ in compared if fresh) >= 8


@pytest.mark.parametrize("document, packages", [("mlr3torch", ("mlr3torch", "mlr3", "mlr3tuning")), ("luz", ("luz",))])
def test_a_document_says_with_which_versions_and_when_training_printed_this(
    document: str, packages: tuple[str, ...]
) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^Printed on (.*)$", text, flags=re.MULTILINE)
    names = ("R", "LibTorch", "torch", *packages)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d with " + ", ".join(rf"{name} [\d.-]*\d" for name in names) + r"\.", line)


def test_the_recorded_output_of_luz_has_the_minimum_and_training_that_goes_on_as_if_it_had_not_stopped() -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "luz.md").read_text(encoding="utf-8"))
    metrics, fewest, fast, resumed = [shown for trains, _, shown in blocks if trains]
    assert len(blocks) == 4 and metrics.count("auc") == 6
    assert fewest == "fewest positive rows in a batch: 3\n"
    assert fast == resumed == "[1] TRUE\n"


def test_training_learns_and_every_block_that_trains_shows_what_it_printed() -> None:
    trained = [shown for trains, _, shown in BLOCK.findall(DOCUMENT.read_text(encoding="utf-8")) if trains]
    assert len(trained) == len(WITHOUT_TRAINING)
    areas = [
        float(area) for shown in trained for area in re.findall(r"^classif\.auc\n\s*([\d.]+)", shown, re.MULTILINE)
    ]
    assert len(areas) == 2 and min(areas) > 0.7


def shown_lines(text: str) -> list[str]:
    """The lines of a text that quote the document, each after `#>`."""
    return [line.rstrip() for line in re.findall(r"#> (.*)", text)]


def test_what_the_help_page_quotes_is_in_the_document() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    text = (ROOT / "rbridge/r/man/batch_sampler_stratified.Rd").read_text(encoding="utf-8")
    quoted = shown_lines(text)
    assert len(quoted) > 4
    assert [line for line in quoted if line not in document.splitlines()] == []
    (versions,) = re.findall(r"\(([^()]*R [\d.]+, torch [^()]*)\)", text)
    parts = versions.replace("\n", " ").split(", ")
    (printed,) = re.findall(r"^Printed on (.*)\.$", document, flags=re.MULTILINE)
    assert len(parts) == 4 and set(parts) <= set(re.split(", | with ", printed))
