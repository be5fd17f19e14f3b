"""The R code of docs/streams.md prints what it says, and its stream has the batches of that of Python."""

from __future__ import annotations

import json
import re
from typing import Any, Callable

import pytest
from torch.utils.data import DataLoader

from tests.test_docs import blocks

ROWS = """
stream$set_epoch(0)
loader = torch::dataloader(stream, batch_size = NULL, collate_fn = identity)
rows = list()
coro::loop(for (batch in loader) rows = c(rows, list(batch)))
cat(jsonlite::toJSON(rows, dataframe = "values", digits = NA))
"""


def test_r_prints_what_the_document_says_and_has_the_rows_of_python(
    rscript: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {}
    exec(blocks("streams.md"), names)
    capsys.readouterr()
    code = blocks("streams.md", "r")
    printed = rscript(code + ROWS, TORCH_LOAD="0").splitlines()
    promised = [line.rstrip() for line in re.findall(r"^#> (.*)$", code, flags=re.MULTILINE)]
    assert promised and [line.rstrip() for line in printed[:-1]] == promised

    stream = names["stream"]
    stream.set_epoch(0)
    loader = DataLoader(stream, batch_size=None, collate_fn=list)
    expected = [[(row["label"], pytest.approx(row["x"])) for row in batch] for batch in loader]
    assert [[(label, x) for x, label in batch] for batch in json.loads(printed[-1])] == expected
