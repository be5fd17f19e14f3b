"""The table of counts by shard and stratum: names, orders, whoever held which shard."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import ShardedStratifiedBatchSampler, bind_counts, gather_counts, shard_counts
from pystrat.core.counts_by_shard import bound, count_shards, read_counts
from pystrat.stream import StratifiedStream, count_sources

SHARDS = st.dictionaries(
    st.text("abc\u00e9\U0001f40d", min_size=1, max_size=3),
    st.lists(st.sampled_from("xyzu"), min_size=1, max_size=6),
    min_size=1,
    max_size=8,
)


def refused(call: Any, *arguments: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        call(*arguments)
    return str(error.value)


@given(SHARDS, st.data())
def test_the_table_of_all_does_not_depend_on_who_holds_which_shard(strata: dict[str, list[str]], data: Any) -> None:
    holder = {shard: data.draw(st.integers(0, 3)) for shard in strata}
    parts = [{shard: own for shard, own in strata.items() if holder[shard] == process} for process in range(4)]
    counts = bind_counts(shard_counts(part) for part in parts if part)
    pd.testing.assert_frame_equal(counts, shard_counts(strata))
    assert list(counts.index) == sorted(strata)
    assert list(counts.columns) == list(dict.fromkeys(label for shard in sorted(strata) for label in strata[shard]))
    assert all(counts.loc[shard, label] == strata[shard].count(label) for shard in strata for label in counts.columns)


@pytest.mark.parametrize("empty", [[], pd.Categorical([]), {"x": [], "y": []}], ids=repr)
def test_a_shard_without_rows_has_zeros(empty: Any) -> None:
    counts = shard_counts({"b": ["x", "y"], "a": empty})
    assert counts.to_dict("index") == {"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 1}}
    assert bind_counts([counts, shard_counts({"c": ["z"]})]).loc["a"].tolist() == [0, 0, 0]
    assert gather_counts({"b": ["x", "y"], "a": empty}).equals(counts)
    assert "must have at least one row. Got 0 rows instead." in refused(gather_counts, {"a": empty, "b": []})


def test_shards_without_any_rows_are_bound_with_those_of_other_processes() -> None:
    none, some = shard_counts({"c": [], "a": []}), shard_counts({"b": ["x"]})
    assert none.shape == (2, 0)
    for tables in ([none, some], [some, none]):
        assert bind_counts(tables).to_dict("index") == {"a": {"x": 0}, "b": {"x": 1}, "c": {"x": 0}}
    assert "must have at least one row. Got 0 rows" in refused(bind_counts, [none])
    with pytest.raises(
        ValueError, match="one stratum. Got 2 x 0 values instead. Bind it with the tables of other processes."
    ):
        read_counts(none)


NOON = datetime.datetime(2020, 1, 1, 12)
DIFFERENT = [
    ([2**50], [2**50 + 1], [2**50, 2**50 + 1]),
    ([0.3], [0.1 + 0.2], [0.3, 0.1 + 0.2]),
    ([np.float32(0.1)], [0.1], [float(np.float32(0.1)), 0.1]),
    ([NOON], [NOON.replace(microsecond=5)], [NOON, NOON.replace(microsecond=5)]),
    (
        pd.Series([pd.Timestamp("2020-01-01T00:00:00.000000005")]),
        np.array(["2020-01-01T00:00:00.1"], dtype="datetime64[ms]"),
        [pd.Timestamp("2020-01-01T00:00:00.000000005"), pd.Timestamp("2020-01-01T00:00:00.1")],
    ),
    ({"x": ["a, b"], "y": ["c"]}, {"x": ["a"], "y": ["b, c"]}, [("a, b", "c"), ("a", "b, c")]),
    ({"x": ["a"], "y": ['"b']}, {"x": ["a"], "y": ["b"]}, [("a", '"b'), ("a", "b")]),
]


@pytest.mark.parametrize(("left", "right", "values"), DIFFERENT)
def test_different_values_of_different_shards_are_different_strata(left: Any, right: Any, values: list[Any]) -> None:
    counts = shard_counts({"a": left, "b": right})
    assert list(counts.columns) == values and counts.to_numpy().tolist() == [[1, 0], [0, 1]]
    assert bind_counts([shard_counts({"a": left}), shard_counts({"b": right})]).equals(counts)
    parts = [count_shards({"a": left}), count_shards({"b": right})]
    assert bound(parts, "strata").to_frame().equals(counts)


DAY = NOON.date()
MIDNIGHT = datetime.datetime(2020, 1, 1)


@pytest.mark.parametrize(
    ("left", "right", "name"),
    [
        ([1], ["1"], "1"),
        ([True], ["TRUE"], "TRUE"),
        (["1, 2"], {"x": [1], "y": [2]}, "1, 2"),
        ([DAY], np.array(["2020-01-01"], dtype="datetime64[ns]"), "2020-01-01"),
        ([NOON], [NOON.replace(tzinfo=datetime.timezone.utc)], "2020-01-01T12:00:00"),
        (pd.Categorical([NOON]), pd.Series([NOON]).dt.tz_localize("UTC").astype("category"), "2020-01-01T12:00:00"),
        ({"x": [DAY], "y": [1]}, {"x": [MIDNIGHT], "y": [1]}, "2020-01-01, 1"),
    ],
)
def test_different_values_of_one_name_are_refused_across_shards_and_processes(left: Any, right: Any, name: str) -> None:
    got = f"must have strata of different names. Got '{name}' as the name of two instead. Recode them."
    assert refused(shard_counts, {"a": left, "b": right}).endswith(got)
    with pytest.raises(ValueError, match=f"{got}$"):
        bound([count_shards({"a": left}), count_shards({"b": right})], "strata")
    if not isinstance(left, dict) and not isinstance(right, dict):
        sources = {"a": left, "b": right}
        assert refused(lambda: count_sources(sources, read=list, stratum=lambda row: row)).endswith(got)


def test_rows_of_a_sampler_and_of_a_stream_are_matched_by_their_values() -> None:
    counts = shard_counts({"a": [0.3, 0.1 + 0.2]})
    sampler = ShardedStratifiedBatchSampler([0.1 + 0.2, 0.3], 1, counts=counts, shards="a".split(), seed=1)
    assert list(sampler) == [[1, 0]]
    for wrong in (2**50, 0.30000000000000016):
        with pytest.raises(ValueError, match=f"name one of the strata, '0.3', '0.30000000000000004'. Got '{wrong}'"):
            ShardedStratifiedBatchSampler([0.3, wrong], 1, counts=counts, shards=["a"], seed=1)
    stream = StratifiedStream({"a": [0.1 + 0.2, 0.3]}, 1, read=iter, stratum=float, counts=counts, shuffle=False)
    assert list(stream) == [[0.3, 0.1 + 0.2]]


def test_what_is_no_table_is_refused() -> None:
    saved = pd.DataFrame({"shard": ["a.csv"], "no": [1]})  # as pandas reads a table that it has written with its index
    both = [shard_counts({"a": ["x"]}), shard_counts({"a": ["y"]})]
    for tables, text in (
        ([pd.DataFrame({"x": [1, np.nan]}, index=["a", "b"])], "Got NaN instead. Fill what is missing with 0."),
        ([pd.DataFrame({"x": [-1]})], "must hold whole numbers from 0 that add up to less than 2^53. Got -1 instead."),
        ([pd.DataFrame({"x": [2**53]})], "add up to less than 2^53. Got 9.00719925474099e+15 instead."),
        ([saved], "values instead. If a column names the shards, make it the index."),
        ([pd.DataFrame({"x": [2**52]}, index=[shard]) for shard in "ab"], "Got more rows instead."),
        ([pd.DataFrame({"x": [True]})], "Got bool values instead."),
        ([pd.DataFrame([[1, 2]], columns=["x", "x"])], "must name each stratum once. Got 'x' twice instead."),
        (both, "must have each shard once. Got 'a' twice instead."),
        ([pd.DataFrame({"x": [0]})], "must have at least one row. Got 0 rows"),
    ):
        assert text in refused(bind_counts, tables)


def test_what_cannot_be_counted_is_refused_in_the_name_of_the_shard() -> None:
    assert refused(shard_counts, {"a": ["x"], "b": [None, "x"]}) == (
        "The 'strata' parameter of shard 'b' must have no missing values. "
        "Got 1 missing of 2 rows instead. Leave these rows out of the dataset."
    )
    assert "must name each shard by a text. Got 1 instead." in refused(shard_counts, {1: ["x"]})
    assert "must map the name of each shard to the strata" in refused(shard_counts, [["x"]])
