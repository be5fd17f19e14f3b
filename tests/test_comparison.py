"""What docs/comparison.md says about other samplers, checked for those that are installed."""

from __future__ import annotations

import numpy as np
import torch
from imblearn.tensorflow import balanced_batch_generator
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import WeightedRandomSampler

LABELS = np.repeat([1, 0], [600, 19_400])


def test_weighted_random_sampler_repeats_rows_and_misses_others() -> None:
    weights = np.where(LABELS == 1, 1 / 600, 1 / 19_400)
    rows = np.array(list(WeightedRandomSampler(weights, 20_000, generator=torch.Generator().manual_seed(1))))
    positives = LABELS[rows].reshape(200, 100).sum(axis=1)
    assert 48 < positives.mean() < 52 and positives.min() < positives.max()
    assert len(np.unique(rows)) < 20_000


def test_balanced_batch_generator_leaves_rows_out_and_its_batches_vary() -> None:
    inputs = np.arange(20_000).reshape(-1, 1)
    generator, steps = balanced_batch_generator(inputs, LABELS, batch_size=100, random_state=1)
    batches = [next(generator) for _ in range(2 * steps)]
    positives = [int(labels.sum()) for _, labels in batches]
    assert steps == 12 and min(positives) < max(positives)
    assert len(np.unique(np.concatenate([rows for rows, _ in batches]))) == 1_200


def test_the_test_folds_of_stratified_k_fold_are_as_even_as_the_batches_here() -> None:
    folds = [test for _, test in StratifiedKFold(20, shuffle=True, random_state=1).split(LABELS, LABELS)]
    assert {(int(LABELS[fold].sum()), len(fold)) for fold in folds} == {(30, 1_000)}
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(20_000))


def test_the_rule_in_fractions_breaks_the_promise_by_rounding() -> None:
    rank, n, minimum, n_batches = np.arange(1, 601), 600, 3, 200
    batch = np.ceil(rank / n * (n_batches * minimum) / minimum)
    assert np.unique(np.bincount(batch.astype(int))[1:], return_counts=True)[1].tolist() == [11, 178, 11]
