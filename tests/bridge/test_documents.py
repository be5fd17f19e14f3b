"""The R code of these documents prints what it says, in workers of future and mirai, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# Documents of learners, which test_trained_documents.py reads, and those with tests of their own.
OF_OTHER_TESTS = {"fast-epochs.md", "luz.md", "mlr3torch.md", "streams.md", "task-rows.md"}
DOCUMENTS = [
    page.name
    for page in sorted(DOCS.glob("*.md"))
    if page.name not in OF_OTHER_TESTS and "\n```r\n" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document(name: str, rscript: Callable[..., str]) -> None:
    code = "\n".join(re.findall(r"```r\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), flags=re.DOTALL))
    promised = [line.rstrip() for line in re.findall(r"^#>(.*)$", code, flags=re.MULTILINE)]
    code = f"pdf(NULL)\n{code}"  # plots go nowhere
    printed = [line.rstrip() for line in rscript(code, TORCH_LOAD="0").splitlines()]
    assert printed == [line.removeprefix(" ") for line in promised]
