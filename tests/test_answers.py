"""What a newcomer is likely to pass works, or the error says what to do."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import (
    BatchSampler,
    EpochSubsetBatchSampler,
    NegativePairBatchSampler,
    NoDuplicatesBatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    WeightedBatchSampler,
    bin_target,
    inverse_density_weights,
    repeat_factors,
)
from pystrat.stream import StratifiedStream

LABELS = [1] * 60 + [0] * 1940


def test_an_error_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="To repeat the rows of rare strata, which keeps the minimum, set 'rare' to"):
        StratifiedBatchSampler(LABELS, mean_batch_size=20)
    stream = StratifiedStream(["a"], 2, read=lambda source: [0, 1] * 4, stratum=int, strata=[0, 1], seed=1)
    with pytest.raises(ValueError, match="The DataLoader has a batch size.* Set its batch_size=None."):
        next(iter(DataLoader(stream)))


OF_ROWS: dict[str, Callable[[Any], BatchSampler]] = {
    "strata": lambda given: StratifiedBatchSampler(given, 1, seed=1),
    "a column of strata": lambda given: StratifiedBatchSampler({"stratum": given}, 1, seed=1),
    "groups": lambda given: StratifiedGroupBatchSampler([0, 1] * 6, 1, groups=given, seed=1),
    "keys": lambda given: NoDuplicatesBatchSampler(given, 3, seed=1),
    "weights": lambda given: WeightedBatchSampler(given, 3, seed=1),
    "weights by epoch": lambda given: WeightedBatchSampler({0: given}, 3, seed=1),
    "values": lambda given: WeightedBatchSampler(inverse_density_weights(given), 3, seed=1),
    "numbers for bins": lambda given: StratifiedBatchSampler(bin_target(given, n_bins=2), 1, seed=1),
    "classes": lambda given: WeightedBatchSampler(repeat_factors(given, threshold=1), 3, seed=1),
    "priorities": lambda given: updated(PrioritizedBatchSampler(12, 3, seed=1), given),
    "lengths": lambda given: EpochSubsetBatchSampler(12, 8, lengths=given, max_tokens=20, seed=1),
    "users": lambda given: NegativePairBatchSampler(given, [*range(6)] * 2, ratio=0.5, batch_size=4, seed=1),
    "losses": lambda given: reported(PerplexityBatchSampler(12, 8, batch_size=2, seed=1), given),
}


def updated(sampler: PrioritizedBatchSampler, priorities: Any) -> BatchSampler:
    sampler.update(range(12), priorities)
    return sampler


def reported(sampler: PerplexityBatchSampler, losses: Any) -> BatchSampler:
    sampler.report(range(12), losses)
    return sampler


@pytest.mark.parametrize("name", OF_ROWS)
def test_values_of_shape_n_1_are_one_value_per_row(name: str) -> None:
    values = [3, 3, 5, 4, 5, 6, 7, 8, 9, 9, 2, 3]
    expected = OF_ROWS[name](values).batches(0).rows.tolist()
    for form in (
        np.array(values)[:, None],
        np.ma.array(values)[:, None],
        torch.tensor(values)[:, None],
        [torch.tensor([value]) for value in values],
        [np.array([value]) for value in values],
        [[value] for value in values],
    ):
        assert OF_ROWS[name](form).batches(0).rows.tolist() == expected


@pytest.mark.parametrize("assign", ["proportional", "even"])
def test_the_batches_that_get_the_rows_of_a_rare_stratum_change_with_the_epoch(assign: str) -> None:
    sampler = StratifiedBatchSampler([0] * 2 + [1] * 98, mean_batch_size=10, rare="allow", assign=assign, seed=1)
    places = [
        frozenset(place for place, rows in enumerate(sampler.batches(epoch)) if min(rows) < 2) for epoch in range(40)
    ]
    assert len(set(places)) > 10
    assert set().union(*places) == set(range(10)), "every batch gets some"
