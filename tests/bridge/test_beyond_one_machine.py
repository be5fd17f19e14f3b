"""The R code of docs/beyond-one-machine.md prints what it says, in workers of future and mirai, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

DOCUMENT = Path(__file__).parents[2] / "docs" / "beyond-one-machine.md"


def test_the_document(rscript: Callable[..., str]) -> None:
    code = "\n".join(re.findall(r"```r\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL))
    promised = [line.rstrip() for line in re.findall(r"^#>(.*)$", code, flags=re.MULTILINE)]
    printed = [line.rstrip() for line in rscript(code, TORCH_LOAD="0").splitlines()]
    assert printed == [line.removeprefix(" ") for line in promised]
