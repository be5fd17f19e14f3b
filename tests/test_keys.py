"""The values of the strata are the keys: of what is returned, and of the mappings that a user passes."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from pystrat import (
    ShardedStratifiedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    batch_counts,
    bind_counts,
    shard_counts,
    sharded_plan,
)

DAYS = [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)]
PAIRS: dict[str, list[Any]] = {
    "ints": [1, 0],
    "negative ints": [3, -2],
    "floats": [0.1 + 0.2, 0.3],
    "bools": [True, False],
    "text": ["b", "B"],
    "days": DAYS,
    "times": [datetime.datetime(2020, 1, 1, 12), datetime.datetime(2020, 1, 1)],
    "missing": ["a", None],
}
LABELS: dict[str, Any] = {name: [pair[0]] * 10 + [pair[1]] * 40 for name, pair in PAIRS.items()}
CODES = np.repeat([1, 0], [10, 40])
LABELS |= {
    "narrow ints": CODES.astype(np.int8),
    "narrow floats": (CODES / 2).astype(np.float32),
    "numpy times": np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[s]")[CODES],
    "tensor": torch.as_tensor(CODES),
    "series": pd.Series(CODES, index=range(100, 150)),
    "nullable": pd.Series(CODES, dtype="Int64"),
    "text with missing values": pd.Series(np.array(["a", None])[CODES]),
    "nullable text with missing values": pd.Series(np.array(["a", None])[CODES], dtype="string"),
    "zoned times": pd.Series(pd.to_datetime(["2020-01-02", "2020-01-01"]).tz_localize("UTC")[CODES]),
    "categories": pd.Categorical(np.array(["b", "a"])[CODES], categories=["c", "b", "a"]),
    "ordered categories": pd.Categorical(np.array(["low", "high"])[CODES], ["low", "unused", "high"], ordered=True),
    "bins": pd.cut(CODES, [-1, 0, 1]),
    "two columns": pd.DataFrame({"x": CODES, "y": np.array(["b", "a"])[CODES]}),
    "two columns in a dict": {"x": CODES.tolist(), "y": [None if code else "a" for code in CODES]},
}
# Shards have no missing values, and their tables no intervals.
UNCOUNTED = {name for name in LABELS if "missing" in name} | {"bins", "two columns in a dict"}


def series_of(labels: Any) -> pd.Series:
    """Return the labels as a user has them in pandas, one value or tuple per row."""
    if isinstance(labels, (dict, pd.DataFrame)):
        return pd.Series(list(pd.DataFrame(labels).itertuples(index=False, name=None)))
    return pd.Series(np.asarray(labels) if isinstance(labels, torch.Tensor) else labels)


def looked_up(table: pd.Series, labels: Any) -> list[float]:
    if isinstance(table.index, pd.MultiIndex):
        return list(table.reindex(pd.MultiIndex.from_frame(pd.DataFrame(labels))))
    return [float(weight) for weight in series_of(labels).map(table)]


@pytest.mark.parametrize("name", LABELS)
def test_the_values_of_the_rows_are_the_keys_of_all_tables(name: str) -> None:
    labels = LABELS[name]
    sampler = StratifiedBatchSampler(labels, mean_batch_size=10, balance="under", missing="stratum", seed=1)
    assert set(sampler.weights()) == {1, 4}
    assert looked_up(sampler.class_weights(), labels) == sampler.weights().tolist()
    assert looked_up(1 / sampler.plan.keep_rates, labels) == sampler.weights().tolist()
    assert looked_up(sampler.plan.minimums, labels) == [5] * 50
    assert sampler.plan.composition().columns.equals(sampler.plan.keep_rates.index)
    counts = batch_counts(sampler, labels)
    assert counts.equals(sampler.plan.composition()) and (counts == 5).all(axis=None)
    for plan in (
        StrataSubsetBatchSampler(labels, 1, 2, missing="stratum").plan,
        StratifiedGroupBatchSampler(labels, 2, groups=range(50), missing="stratum").plan,
    ):
        assert sorted(looked_up(plan.table()["rows"], labels)) == [10] * 10 + [40] * 40


@pytest.mark.parametrize("name", sorted(set(LABELS) - UNCOUNTED))
def test_the_values_are_the_columns_of_tables_of_counts(name: str) -> None:
    labels = LABELS[name]
    counts = shard_counts({"b": labels, "a": labels})
    assert looked_up(counts.loc["a"], labels) == [10] * 10 + [40] * 40
    pd.testing.assert_frame_equal(bind_counts([shard_counts({shard: labels}) for shard in "ab"]), counts)
    plan = sharded_plan(counts, 5)
    assert looked_up(plan.table()["fewest"], labels) == [5] * 10 + [20] * 40
    assert looked_up(plan.counts.loc["b"], labels) == [10] * 10 + [40] * 40
    assert plan.counts.columns.equals(plan.table().index)
    assert len(ShardedStratifiedBatchSampler(labels, 5, counts=counts, shards=["a"], seed=1)) == 4


@pytest.mark.parametrize("name", [name for name in LABELS if name != "two columns in a dict"])
def test_mappings_take_the_values_of_the_rows_as_keys(name: str) -> None:
    keys = list(dict.fromkeys(series_of(LABELS[name])))
    sampler = StratifiedBatchSampler(
        LABELS[name], mean_batch_size=8, shares={keys[0]: 1, keys[1]: 3}, missing="stratum", seed=1
    )
    assert (sampler.plan.counts / sampler.plan.n_batches).tolist() == [2, 6]
    assert list(sampler.parameters["shares"].values()) == [1, 3]


def test_tables_are_sorted_as_classes_are_in_the_order_of_categories_with_missing_last() -> None:
    for name in ("negative ints", "floats", "bools", "text"):
        sampler = StratifiedBatchSampler(LABELS[name], 1, seed=1)
        assert sampler.class_weights().index.tolist() == np.unique(np.asarray(LABELS[name])).tolist()
    ordered = StratifiedBatchSampler(LABELS["ordered categories"], 1).class_weights().index
    assert ordered.tolist() == ["low", "high"]
    assert StratifiedBatchSampler(LABELS["categories"], 1).class_weights().index.tolist() == ["a", "b"]
    missing = StratifiedBatchSampler([None, "b", "a"], 1, missing="stratum").class_weights().index
    assert missing[:2].tolist() == ["a", "b"] and pd.isna(missing[2])


@pytest.mark.parametrize(
    ("labels", "key", "advice"),
    [
        (CODES, "1", "name one of the strata, 1, 0. Got '1' instead. Use 1 instead, the value itself."),
        (CODES, 2, "name one of the strata, 1, 0. Got 2 instead."),
        (CODES == 1, 1, "name one of the strata, True, False. Got 1 instead."),
        (LABELS["two columns"], "1, a", "(1, 'a'), (0, 'b'). Got '1, a' instead. Use (1, 'a') instead"),
        (LABELS["two columns"], 1, "(1, 'a'), (0, 'b'). Got 1 instead."),
    ],
)
def test_other_keys_are_refused(labels: Any, key: Any, advice: str) -> None:
    with pytest.raises(ValueError) as error:
        StratifiedBatchSampler(labels, mean_batch_size=10, shares={key: 1})
    assert advice in str(error.value)
