"""What a newcomer is likely to pass works, or the error says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import StratifiedBatchSampler
from pystrat.stream import StratifiedStream

LABELS = [1] * 60 + [0] * 1940


def test_an_error_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="To repeat the rows of rare strata, which keeps the minimum, set 'rare' to"):
        StratifiedBatchSampler(LABELS, mean_batch_size=20)
    stream = StratifiedStream(["a"], 2, read=lambda source: [0, 1] * 4, stratum=int, strata=[0, 1], seed=1)
    with pytest.raises(ValueError, match="The DataLoader has a batch size.* Set its batch_size=None."):
        next(iter(DataLoader(stream)))


@pytest.mark.parametrize("shaped", [np.array, torch.tensor])
def test_labels_of_one_column_are_labels(shaped: Any) -> None:
    expected = StratifiedBatchSampler(LABELS, 3, seed=1)
    for values in (shaped(LABELS), shaped(LABELS)[:, None]):
        assert StratifiedBatchSampler(values, 3, seed=1).batches(1).rows.tolist() == expected.batches(1).rows.tolist()


@pytest.mark.parametrize("assign", ["proportional", "even"])
def test_the_batches_that_get_the_rows_of_a_rare_stratum_change_with_the_epoch(assign: str) -> None:
    sampler = StratifiedBatchSampler([0] * 2 + [1] * 98, mean_batch_size=10, rare="allow", assign=assign, seed=1)
    places = [
        frozenset(place for place, rows in enumerate(sampler.batches(epoch)) if min(rows) < 2) for epoch in range(40)
    ]
    assert len(set(places)) > 10
    assert set().union(*places) == set(range(10)), "every batch gets some"
