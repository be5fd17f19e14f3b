"""What a newcomer is likely to pass works, or the error says what to do."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

from pystrat import (
    DownsampledBatchSampler,
    NoDuplicatesBatchSampler,
    PairDataset,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TensorLoader,
    TreeBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    decode_pairs,
    stratified_split,
)

LABELED = pd.Series([0, 1] * 6, index=range(12, 0, -1))
OTHERS = pd.Series([0, 0, 1, 1, 2, 2] * 2)
BOTH_COLUMNS = {"children": [{"name": name, "column": name, "value": 1} for name in "ab"]}

WITH_NAMES: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "minimums": (lambda m: StratifiedBatchSampler(LABELED, m, seed=1), pd.Series({1: 3, 0: 2}), {1: 3, 0: 2}),
    "multipliers": (lambda m: DownsampledBatchSampler(LABELED, m, 4, seed=1), pd.Series({1: 0.5}), {1: 0.5}),
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
        lambda: TreeBatchSampler({"a": LABELED, "b": OTHERS}, BOTH_COLUMNS, 4, length=12),
        "'table' .* must have one index. Got another one instead.",
    ),
    (lambda: TensorLoader(LABELED, OTHERS, sampler=UniformBatchSampler(12, 3)), "'tensors' .* must have one index."),
]


@pytest.mark.parametrize(("call", "message"), OTHER_THINGS)
def test_names_of_other_things_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
