"""Weights of rows undo how often epochs take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pystrat import DownsampledBatchSampler, StrataSubsetBatchSampler, StratifiedBatchSampler

LABELS = [1] * 6 + [0] * 20 + [2] * 12
CYCLE = 60  # epochs, after which rows of the same stratum were taken equally often

SAMPLERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "repeats": (StratifiedBatchSampler, {"min_samples_per_stratum": 3, "mean_batch_size": 9, "rare": "repeat"}),
    "shares": (StratifiedBatchSampler, {"mean_batch_size": 10, "shares": {1: 1, 0: 1, 2: 2}}),
    "temperature": (StratifiedBatchSampler, {"mean_batch_size": 10, "temperature": 2}),
    "a cap": (StratifiedBatchSampler, {"mean_batch_size": 10, "cap": 12}),
    "balance by repeats": (StratifiedBatchSampler, {"mean_batch_size": 10, "balance": "over"}),
    "balance by leaving out": (StratifiedBatchSampler, {"mean_batch_size": 9, "balance": "under"}),
    "a number of rows": (StratifiedBatchSampler, {"mean_batch_size": 10, "balance": 15}),
    "batches of one size": (StratifiedBatchSampler, {"mean_batch_size": 10, "drop": "balanced"}),
    "one pass": (StratifiedBatchSampler, {"min_samples_per_stratum": 2}),
    "exact subsets": (StrataSubsetBatchSampler, {"strata_per_batch": 2, "min_samples_per_stratum": 3, "exact": True}),
    "balanced subsets": (
        StrataSubsetBatchSampler,
        {"strata_per_batch": 2, "min_samples_per_stratum": 3, "balance": "over"},
    ),
    "downsampling": (DownsampledBatchSampler, {"multiplier": {0: 0.5, 2: 0.25}, "batch_size": 8}),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_weight_times_how_often_a_row_is_taken_is_the_same_for_all_rows(name: str) -> None:
    kind, arguments = SAMPLERS[name]
    sampler = kind(LABELS, **arguments, seed=1)
    taken = np.zeros(len(LABELS))
    for epoch in range(CYCLE):
        np.add.at(taken, sampler.batches(epoch).rows, 1 / CYCLE)
    labels = np.array(LABELS)
    means = np.array([taken[labels == label].mean() for label in labels])
    assert sampler.weights() * means == pytest.approx(1), "of the mean over the rows of a stratum"
    assert sampler.weights() == pytest.approx(sampler.class_weights().loc[labels].to_numpy())
    assert sampler.weights(normalize=True) @ taken == pytest.approx(taken.sum())
