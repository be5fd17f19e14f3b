"""The golden vectors of batches with positives and negatives of each label, in JSON that every language reads.

``python -m tests.reference.golden_per_label`` writes ``tests/golden/per_label.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN, cut, joined
from tests.reference.naive_exposure import naive_per_label

ABOUT = (
    "Batches with positives and negatives of each label. Row r of n_rows, from 0, has label i, from 0, if (r + 3 * i) "
    "modulo (i + 2) is 0. Numbers of rows and labels are 2 * (row * labels + label) + has, and long lists are cut as "
    "in batches.json. Written by tests/reference/golden_per_label.py."
)


def labels_of_case(case: dict[str, Any]) -> list[list[int]]:
    """Return the labels of a case."""
    columns = range(case["n_labels"])
    return [[int((row + 3 * label) % (label + 2) == 0) for label in columns] for row in range(case["n_rows"])]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    parameters = case["parameters"]
    each = parameters["positives_per_label"], parameters["negatives_per_label"]
    labels_per_batch = parameters.get("labels_per_batch", case["n_labels"])
    n_batches = parameters.get("n_batches", max(1, case["n_rows"] // (labels_per_batch * sum(each))))
    replicas = parameters.get("num_replicas", 1)
    shared = (labels_of_case(case), n_batches // replicas * replicas, labels_per_batch, each, parameters["seed"])
    epochs = [next(naive_per_label(*shared, epoch)) for epoch in case["epochs"]]
    drawn = [{"sizes": cut(list(map(len, batches))), "rows": cut(joined(batches))} for batches in epochs]
    return {"n_batches": shared[1], "epochs": drawn}


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
