"""The golden vectors of epoch subsets of rows by epoch, in JSON that every language reads.

``python -m tests.reference.golden_rows_by_epoch`` writes ``tests/golden/rows_by_epoch.json`` afresh. The R package's
tests draw the same rows with R's own generator.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_random import NaiveStream, epoch_seed

ABOUT = (
    "Rows are counted from 0. 'rows' has the rows that epochs visit a part of, by first epoch; 'drawn' the rows of the "
    "epochs 0, 1, ... With R's set.seed() of the epoch's seed, the places among them are sample.int(n, sample, replace "
    "= TRUE), or for 'uniform_without_replacement' sample.int(n, sample, useHash = FALSE); 'partition' takes them in "
    "turn, beginning anew in the first epoch of each list. Written by tests/reference/golden_rows_by_epoch.py."
)
TABLES: list[dict[int, list[int]]] = [
    {0: [4]},
    {0: [9, 2, 5, 7], 2: [4, 11, 1, 3, 8], 5: list(range(12))},
    {0: list(range(11, -1, -1)), 1: [0, 6, 3, 10]},
]


def naive_rows(rows: dict[int, list[int]], sample: int, method: str, epoch: int) -> list[int]:
    """Return the rows of an epoch."""
    first = max(begin for begin in rows if begin <= epoch)
    among = rows[first]
    if method == "partition":
        step = max(1, len(among) // sample)
        line = [row for begin in range(step) for row in among[begin::step]]
        return [line[((epoch - first) * sample + place) % len(line)] for place in range(sample)]
    stream = NaiveStream(epoch_seed(5, epoch))
    draw: Any = stream.indices if method == "uniform" else stream.permutation
    return [among[place] for place in draw(len(among), sample)]


def cases() -> Iterator[dict[str, Any]]:
    """Yield all cases."""
    for rows in TABLES:
        for method in ("uniform", "uniform_without_replacement", "partition"):
            sample = min(map(len, rows.values()))
            drawn = [naive_rows(rows, sample, method, epoch) for epoch in range(7)]
            yield {"n_rows": 12, "sample": sample, "method": method, "seed": 5, "rows": rows, "drawn": drawn}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps(case) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "rows_by_epoch.json").write_text(as_text(), encoding="utf-8")
