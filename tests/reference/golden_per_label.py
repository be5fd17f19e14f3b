"""The cases of batches with positives and negatives of each label."""

from __future__ import annotations

from typing import Any

from tests.reference.golden_vectors import sizes_and_rows
from tests.reference.naive_exposure import naive_per_label


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
    drawn = [sizes_and_rows(next(naive_per_label(*shared, epoch))) for epoch in case["epochs"]]
    return {"n_batches": shared[1], "epochs": drawn}
