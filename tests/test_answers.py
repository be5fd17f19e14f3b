"""What a newcomer is likely to pass works, or the error says what to do."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import (
    FeatureLookup,
    MultilabelBatchSampler,
    PerplexityBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    SumTree,
)
from pystrat.stream import StratifiedStream

LABELS = [1] * 60 + [0] * 1940


def stream() -> StratifiedStream:
    def read(source: str) -> Iterator[dict[str, int]]:
        return ({"x": row, "y": row % 2} for row in range(8))

    return StratifiedStream(["a"], 2, read=read, stratum="y", strata=[0, 1], seed=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: StratifiedBatchSampler(LABELS, mean_batch_size=20),
            "To repeat the rows of rare strata, which keeps the minimum, set 'rare' to",
        ),
        (
            lambda: StratifiedBatchSampler(LABELS, mean_batch_size=20, balance=True),  # type: ignore[arg-type]
            "must be 'over', 'under' or a positive integer. Got True instead.",
        ),
        (
            lambda: StratifiedBatchSampler([0, 1] * 3, 1, num_replicas=8, seed=1),
            "must be at most 3, the number of batches. Got 8 instead.",
        ),
        (lambda: next(iter(DataLoader(stream()))), "The DataLoader has a batch size.* Set its batch_size=None."),
    ],
)
def test_an_error_says_what_to_do(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_a_data_loader_without_a_batch_size_delivers_the_batches_of_a_stream() -> None:
    batch = next(iter(DataLoader(stream(), batch_size=None)))
    assert sorted(row["y"] for row in batch) == [0] * 4 + [1] * 4


def test_two_columns_of_text_are_labels() -> None:
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "w"] * 25})
    sampler = MultilabelBatchSampler(table, 1, seed=1)
    for batch in sampler.batches(0):
        assert set(table["a"].iloc[batch]) == {"x", "y"} and set(table["b"].iloc[batch]) == {"u", "v", "w"}


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


def test_methods_and_defaults_are_those_of_r_and_plans_show_no_address() -> None:
    assert PerplexityBatchSampler(4, 2, 2, seed=1).perplexities().tolist() == [15] * 4
    assert len(SumTree([1.0, 2.0], seed=1).sample()) == 1
    assert FeatureLookup({"bob": 54, "ann": 31}, default=0.5)(["ann", "eve"]).tolist() == [31, 0.5]
    plan = StratifiedGroupBatchSampler([0, 1] * 6, 1, groups=[0, 0, 1, 1, 2, 2] * 2, seed=1).plan
    assert repr(plan).startswith("GroupPlan(n_batches=") and "object at" not in repr(plan)
