"""What golden vectors hold of samplers whose plan has bounds: groups, and batches with a few strata."""

from __future__ import annotations

from typing import Any, Iterable, Union

import numpy as np

from pystrat import StrataSubsetBatchSampler, StratifiedGroupBatchSampler
from tests.reference.golden_vectors import cut

Ranged = Union[StrataSubsetBatchSampler, StratifiedGroupBatchSampler]


def expected_of_ranged(sampler: Ranged, epochs: Iterable[int]) -> dict[str, Any]:
    """Return the plan of a sampler, and its batches in some epochs."""
    table = sampler.plan.named_table()
    return {
        "n_batches": len(sampler),
        "strata": list(table.index),
        **{name: column.tolist() for name, column in table.items()},
        "epochs": [
            {"sizes": cut(np.diff(sampler.batches(epoch).offsets)), "rows": cut(sampler.batches(epoch).rows)}
            for epoch in epochs
        ],
    }
