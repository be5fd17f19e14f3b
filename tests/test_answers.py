"""What a newcomer is likely to pass works, or the error says what to do."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest
import torch

from pystrat import (
    BatchesByLength,
    BatchSampler,
    DownsampledBatchSampler,
    FeatureLookup,
    NegativePairBatchSampler,
    NoDuplicatesBatchSampler,
    PairDataset,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TensorLoader,
    TreeBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    bin_target,
    correct_probabilities,
    decode_pairs,
    inverse_density_weights,
    repeat_factors,
    stratified_split,
)
from pystrat.corpus.mixture import weights_of_files

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
    "lengths": lambda given: BatchesByLength(UniformBatchSampler(12, 8, seed=1), given, max_tokens=20),
    "users": lambda given: NegativePairBatchSampler(given, [*range(6)] * 2, ratio=0.5, batch_size=4, seed=1),
    "losses": lambda given: reported(PerplexityBatchSampler(12, batch_size=2, seed=1), given),
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


LABELED = pd.Series([0, 1] * 6, index=range(12, 0, -1))
OTHERS = pd.Series([0, 0, 1, 1, 2, 2] * 2)

WITH_NAMES: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "minimums": (lambda m: StratifiedBatchSampler(LABELED, m, seed=1), pd.Series({1: 3, 0: 2}), {1: 3, 0: 2}),
    "multipliers": (lambda m: DownsampledBatchSampler(LABELED, m, 4, seed=1), pd.Series({1: 0.5}), {1: 0.5}),
    "weights of classes": (
        lambda weights: DownsampledBatchSampler(LABELED, {1: 0.5}, 4, weights=weights, seed=1).class_weights(),
        pd.Series({1: 2.0, 0: 1.0}),
        {1: 2.0, 0: 1.0},
    ),
    "rates": (
        lambda rates: correct_probabilities(pd.DataFrame({"a": [0.5], "b": [0.5]}), rates),
        pd.Series({"b": 0.25, "a": 1.0}),
        {"b": 0.25, "a": 1.0},
    ),
    "parts": (
        lambda sizes: sorted(stratified_split(LABELED, sizes, seed=1)),
        pd.Series({"train": 9, "test": 3}),
        {"train": 9, "test": 3},
    ),
    "features": (
        lambda features: PairDataset(2, 3, user_features=features, user_ids=["ann", "bob"])[[1, 7]]["user_features"],
        pd.Series({"bob": 1, "ann": 2}),
        np.array([2, 1]),
    ),
    "rows of features": (
        lambda features: PairDataset(2, 3, user_features=features)[[1, 7]]["user_features"],
        pd.DataFrame({"age": [5, 6]}, index=[1, 0]),
        np.array([[6], [5]]),
    ),
    "ids": (
        lambda ids: decode_pairs([1, 7], 3, user_ids=ids),
        pd.Series(["b", "a"], index=[1, 0]),
        np.array(["a", "b"], object),
    ),
    "weights of files": (
        lambda weights: weights_of_files(weights, ["web.de", "news.de"]),
        pd.Series({"news.de": 3, "web.de": 1}),
        [1, 3],
    ),
    "features by id": (
        lambda features: FeatureLookup(features)(["a", "b"]),
        pd.Series({"b": 1, "a": 2}),
        {"b": 1, "a": 2},
    ),
}


@pytest.mark.parametrize("name", WITH_NAMES)
def test_names_of_values_of_known_things_decide(name: str) -> None:
    call, series, expected = WITH_NAMES[name]
    assert str(call(series)) == str(call(expected))


OTHER_THINGS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: PairDataset(2, 3, user_features=pd.Series({"bob": 1, "eve": 2}), user_ids=["ann", "bob"]),
        "'user_features' .* must have each of 'ann', 'bob' once in its index, if it has one. Got 'eve' instead.",
    ),
    (
        lambda: decode_pairs([1], 3, item_ids=pd.Series(list("abc"), index=[0, 1, 1])),
        "'item_ids' .* must have each of 0, 1, 2 once in its index, if it has one. Got 1 twice instead.",
    ),
    (
        lambda: StratifiedGroupBatchSampler(LABELED, 1, groups=OTHERS),
        "'groups' .* must have the index of 'strata' if both have one. Got another one instead. If the rows are in",
    ),
    (lambda: stratified_split(LABELED, [6, 6], groups=OTHERS), "'groups' .* must have the index of 'strata'"),
    (
        lambda: NoDuplicatesBatchSampler(OTHERS, 3, strata=LABELED, min_samples_per_stratum=1),
        "'strata' .* must have the in",
    ),
    (lambda: StratifiedBatchSampler({"a": LABELED, "b": OTHERS}, 1), "'strata' .* must have one index. Got another"),
    (lambda: WeightedBatchSampler({0: LABELED, 1: OTHERS}, 3), "'weights' .* must have one index. Got another one"),
    (
        lambda: WeightedBatchSampler([1] * 12, 3).update(OTHERS, LABELED),
        "'weights' .* must have the index of 'rows' if",
    ),
    (
        lambda: TreeBatchSampler({"a": LABELED, "b": OTHERS}, {"column": "a", "value": 1}, 4, length=12),
        "'table' .* must have one index. Got another one instead.",
    ),
    (lambda: TensorLoader(LABELED, OTHERS, sampler=UniformBatchSampler(12, 3)), "'tensors' .* must have one index."),
]


@pytest.mark.parametrize(("call", "message"), OTHER_THINGS)
def test_names_of_other_things_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
