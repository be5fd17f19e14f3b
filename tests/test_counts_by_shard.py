"""The table of counts by shard and stratum: names, orders, whoever held which shard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import bind_counts, gather_counts, shard_counts
from pystrat.counts_by_shard import read_counts

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


@given(SHARDS)
def test_each_cell_has_the_rows_of_its_stratum_in_its_shard(strata: dict[str, list[str]]) -> None:
    counts = shard_counts(strata)
    assert list(counts.index) == sorted(strata)
    assert list(counts.columns) == list(dict.fromkeys(label for shard in sorted(strata) for label in strata[shard]))
    assert all(counts.loc[shard, label] == strata[shard].count(label) for shard in strata for label in counts.columns)


@given(SHARDS, st.data())
def test_the_table_of_all_does_not_depend_on_who_holds_which_shard(strata: dict[str, list[str]], data: Any) -> None:
    holder = {shard: data.draw(st.integers(0, 3)) for shard in strata}
    parts = [{shard: own for shard, own in strata.items() if holder[shard] == process} for process in range(4)]
    bound = bind_counts(shard_counts(part) for part in parts if part)
    pd.testing.assert_frame_equal(bound, shard_counts(strata))


@pytest.mark.parametrize(
    "empty",
    [
        [],
        (),
        np.array([]),
        pd.Series([], dtype=object),
        pd.Categorical([]),
        {"x": [], "y": []},
        pd.DataFrame({"x": []}),
    ],
    ids=repr,
)
def test_a_shard_without_rows_has_zeros(empty: Any) -> None:
    counts = shard_counts({"b": ["x", "y"], "a": empty})
    assert counts.to_dict("index") == {"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 1}}
    assert bind_counts([counts, shard_counts({"c": ["z"]})]).loc["a"].tolist() == [0, 0, 0]
    assert gather_counts({"b": ["x", "y"], "a": empty}).equals(counts)
    assert refused(gather_counts, {"a": empty, "b": []}) == (
        "The 'strata' parameter of gather_counts must have at least one row. Got 0 rows instead."
    )


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


def test_strata_have_the_names_that_they_are_shown_with() -> None:
    counts = shard_counts({"a": [1, 2.5, 1], "b": {"x": [1, 1], "y": ["u", "v"]}, "c": [True, True]})
    assert list(counts.columns) == ["1", "2.5", "1, u", "1, v", "TRUE"]
    assert counts.loc["c"].tolist() == [0, 0, 0, 0, 2]


def test_a_grouped_table_is_read_as_it_is() -> None:
    rows = pd.DataFrame({"file": [2, 10, 2, 10, 2], "label": [1, 0, 1, 1, 0]})
    read = read_counts(rows.groupby(["file", "label"]).size().unstack(fill_value=0))
    assert (read.shards, read.strata, read.table.tolist()) == (("2", "10"), ("0", "1"), [[1, 2], [1, 1]])
    assert read.table.dtype == np.int64


def test_strata_without_rows_are_left_out_of_bound_tables() -> None:
    table = pd.DataFrame({"x": [0, 0], "y": [1, 2]}, index=["b", "a"])
    assert bind_counts([table]).to_dict("index") == {"a": {"y": 2}, "b": {"y": 1}}


def test_what_is_no_table_is_refused() -> None:
    grouped = pd.DataFrame({"x": [1, np.nan]}, index=["a", "b"])
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    assert refused(bind_counts, [grouped]) == (
        "The 'tables' parameter of bind_counts must hold whole numbers from 0 that add up to less than 2^53. "
        "Got NaN instead. Fill what is missing with 0."
    )
    assert "must hold whole numbers from 0" in refused(bind_counts, [pd.DataFrame({"x": [-1]})])
    saved = pd.DataFrame({"shard": ["a.csv"], "no": [1]})  # as pandas reads a table that it has written with its index
    advice = "values instead. If a column names the shards, make it the index."
    assert refused(bind_counts, [saved]).endswith(advice)
    assert "Got more rows instead." in refused(bind_counts, [pd.DataFrame({"x": [2**53 - 1], "y": [1]})])
    assert "Got bool values instead." in refused(bind_counts, [pd.DataFrame({"x": [True]})])
    assert "must name each stratum once. Got 'x' twice instead." in refused(bind_counts, [twice])
    both = [shard_counts({"a": ["x"]}), shard_counts({"a": ["y"]})]
    assert "must have each shard once. Got 'a' twice instead." in refused(bind_counts, both)
    assert "must have at least one row. Got 0 rows" in refused(bind_counts, [pd.DataFrame({"x": [0]})])


def test_what_cannot_be_counted_is_refused_in_the_name_of_the_shard() -> None:
    assert refused(shard_counts, {"a": ["x"], "b": [None, "x"]}) == (
        "The 'strata' parameter of shard 'b' of shard_counts must have no missing values. "
        "Got 1 missing of 2 rows instead. Leave these rows out of the dataset."
    )
    assert "must have strata of different names. Got '1' as" in refused(shard_counts, {"a": [1.0, 1 + 1e-15]})
    assert "must name each shard by a text. Got 1 instead." in refused(shard_counts, {1: ["x"]})
    assert "must map the name of each shard to the strata" in refused(shard_counts, [["x"]])
