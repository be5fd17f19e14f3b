"""The golden vectors of batches drawn by weights that follow the epoch, in JSON that every language reads.

``python -m tests.reference.golden_weights_by_epoch`` writes ``tests/golden/weights_by_epoch.json`` afresh. The R
package's tests draw the same rows with R's own generator and a sum tree in plain R.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_random import epoch_seed
from tests.reference.naive_sum_tree import NaiveTree

ABOUT = (
    "Rows are counted from 0. 'weights' has the weights of the rows by the first epoch in which they apply, 'drawn' the"
    " rows of all batches of the epochs 0, 1, ..., drawn as those of 'weighted' in weighted.json by the weights of the "
    "epoch. Written by tests/reference/golden_weights_by_epoch.py."
)
TABLES: list[dict[int, list[float]]] = [
    {0: [1, 0, 2, 0.5, 3]},
    {0: [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 2: [1, 1, 1, 1, 1, 1, 0, 0, 0, 0.25], 5: [i / 7 for i in range(10)]},
    {0: [float(i % 9) for i in range(70)], 1: [float(i % 9 == 1) for i in range(70)]},
]


def cases() -> Iterator[dict[str, Any]]:
    """Yield all cases."""
    for weights in TABLES:
        for replacement in (True, False):
            given = {"batch_size": 3, "replacement": replacement, "n_batches": 4, "seed": 5}
            drawn = []
            for epoch in range(7):
                of_epoch = weights[max(first for first in weights if first <= epoch)]
                tree = NaiveTree(of_epoch, len(of_epoch), epoch_seed(5, epoch))
                drawn.append([row for _ in range(4) for row in tree.sample(3, replacement)])
            yield {"weights": weights, **given, "drawn": drawn}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps(case) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "weights_by_epoch.json").write_text(as_text(), encoding="utf-8")
