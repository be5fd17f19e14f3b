"""The cases of batches of a few strata."""

from __future__ import annotations

from typing import Any

from tests.reference.golden_vectors import columns_of, sizes_and_rows
from tests.reference.naive_subset import NaiveSubset


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    naive = NaiveSubset(columns_of(case["strata"]), case["parameters"])
    drawn = [sizes_and_rows(naive.batches(epoch)) for epoch in case["epochs"]]
    return {"n_batches": naive.n_batches, "strata": naive.names, **naive.table(), "epochs": drawn}
