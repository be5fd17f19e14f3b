"""The R code of docs/fast-epochs.md runs, up to the batches, which need LibTorch."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

DOCUMENT = Path(__file__).parents[2] / "docs" / "fast-epochs.md"


def test_the_document(rscript: Callable[..., str]) -> None:
    loader, learner, predicting = re.findall(r"```r\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert rscript(loader, TORCH_LOAD="0") == "[1] 20\n"
    for code in (learner, learner + predicting):
        assert rscript(f"{code}cat(learner$callbacks[[1]]$id)", TORCH_LOAD="0").endswith("rbridge.tensor_loader")
