"""The R code of these documents prints what it says, in workers of future and mirai, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

import pytest

DOCUMENTS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "name",
    [
        "batches.md",
        "beyond-one-machine.md",
        "contrastive.md",
        "corpus.md",
        "corpus-files.md",
        "datasets.md",
        "distributed-and-resume.md",
        "downsampling.md",
        "groups.md",
        "multilabel.md",
        "no-duplicates.md",
        "one-stratum.md",
        "pairs.md",
        "regression.md",
        "samplers.md",
        "splits.md",
        "tree.md",
        "weighted.md",
    ],
)
def test_a_document(name: str, rscript: Callable[..., str]) -> None:
    code = "\n".join(re.findall(r"```r\n(.*?)```", (DOCUMENTS / name).read_text(encoding="utf-8"), flags=re.DOTALL))
    promised = [line.rstrip() for line in re.findall(r"^#>(.*)$", code, flags=re.MULTILINE)]
    code = f"pdf(NULL)\n{code}"  # plots go nowhere
    printed = [line.rstrip() for line in rscript(code, TORCH_LOAD="0").splitlines()]
    assert printed == [line.removeprefix(" ") for line in promised]
