"""The golden vectors of batches with positives and negatives of each label, in JSON that every language reads.

``python -m tests.reference.golden_per_label`` writes ``tests/golden/per_label.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

import numpy as np

from pystrat import PerLabelBatchSampler
from tests.reference.golden_vectors import GOLDEN, cut

ABOUT = (
    "Batches with positives and negatives of each label. Row r of n_rows, from 0, has label i, from 0, if (r + 3 * i) "
    "modulo (i + 2) is 0. Numbers of rows and labels are 2 * (row * labels + label) + has, and long lists are cut as "
    "in batches.json. Written by tests/reference/golden_per_label.py."
)


def labels_of_case(n_rows: int, n_labels: int) -> np.ndarray:
    """Return the labels of a case."""
    row, label = np.indices((n_rows, n_labels))
    return np.asarray((row + 3 * label) % (label + 2) == 0)


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler gives."""
    sampler = PerLabelBatchSampler(labels_of_case(case["n_rows"], case["n_labels"]), **case["parameters"])
    epochs = [sampler.batches(epoch) for epoch in case["epochs"]]
    drawn = [{"sizes": cut(np.diff(batches.offsets)), "rows": cut(batches.rows)} for batches in epochs]
    return {"n_batches": len(sampler), "epochs": drawn}


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    yield _case("all labels", 12, 3, (0, 1, 40, 6_700_000), 2, 3)
    yield _case("some labels", 12, 5, (0, 1), 1, 1, labels_per_batch=2, n_batches=3)
    yield _case("most labels", 12, 5, (0, 7), 1, 2, labels_per_batch=4, n_batches=4, seed=2**31 - 2)
    yield _case("all positives of each", 12, 3, (3,), 3, 6, n_batches=2)
    yield _case("replicas", 60, 4, (2,), 2, 2, labels_per_batch=3, num_replicas=2)
    yield _case("many rows", 5000, 20, (1,), 4, 12, labels_per_batch=6)


def _case(
    name: str, n_rows: int, n_labels: int, epochs: tuple[int, ...], positives: int, negatives: int, **others: Any
) -> dict[str, Any]:
    parameters = {"positives_per_label": positives, "negatives_per_label": negatives, "seed": 1, **others}
    return {"name": name, "n_rows": n_rows, "n_labels": n_labels, "parameters": parameters, "epochs": list(epochs)}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "per_label.json").write_text(as_text(), encoding="utf-8")
