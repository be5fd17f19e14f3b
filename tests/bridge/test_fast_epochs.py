"""The R code of docs/fast-epochs.md runs, up to the batches, which need LibTorch; so does that of docs/task-rows.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

DOCUMENTS = Path(__file__).parents[2] / "docs"


def code_of(name: str) -> list[str]:
    return re.findall(r"```r\n(.*?)```", (DOCUMENTS / name).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_fast_epochs(rscript: Callable[..., str]) -> None:
    loader, learner, predicting = code_of("fast-epochs.md")
    assert rscript(loader, TORCH_LOAD="0") == "[1] 20\n"
    for code in (learner, learner + predicting):
        assert rscript(f"{code}cat(learner$callbacks[[1]]$id)", TORCH_LOAD="0").endswith("rbridge.tensor_loader")


def test_the_minimal_example_for_mlr3(rscript: Callable[..., str]) -> None:
    _, example = code_of("task-rows.md")
    printed = rscript(example.replace("2e4, 2e5, 1e6", "2e3, 2e4"))
    assert re.fullmatch(r"( *20+ rows: +[\d.]+ ms for 100 of them\n){2}", printed)
