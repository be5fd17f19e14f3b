"""Strata from labels, columns and tables: the same for all input types."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler
from pystrat.core.strata import encode_strata
from pystrat.core.value_names import name_of

DAY = datetime.date(2017, 6, 30)
NOON = datetime.datetime(2017, 6, 30, 12)
STRING_DTYPE = getattr(getattr(np, "dtypes", None), "StringDType", None)  # of numpy 2


def numbered(strata: Any, missing: str = "error") -> tuple[list[int], list[str], list[int]]:
    encoded = encode_strata(strata, missing=missing)
    return encoded.codes.tolist(), list(encoded.names), encoded.counts.tolist()


def refused(strata: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        encode_strata(strata)
    return str(error.value)


@pytest.mark.parametrize(
    ("strata", "names"),
    [
        ([3, 1, 3], ["3", "1"]),
        ([3, 1.0, 3.0], ["3", "1"]),
        (pd.Series([3, 1, 3], index=[7, 7, 2]), ["3", "1"]),
        (pd.Series([3, 1, 3], dtype="Float64"), ["3", "1"]),
        ([0.1 + 0.2, 0.3, 0.1 + 0.2], ["0.3", "0.3"]),
        ([-0.0, 1, 0.0], ["0", "1"]),
        ([True, False, True], ["TRUE", "FALSE"]),
        (np.array([True, False, True]), ["TRUE", "FALSE"]),
        (pd.Series([True, False, True], dtype="boolean"), ["TRUE", "FALSE"]),
        (["b", "a", "b"], ["b", "a"]),
        (np.array(["b", "a", "b"]), ["b", "a"]),
        (np.array([b"b", b"a", b"b"]), ["b", "a"]),
        (["é".encode(), b"a", "é".encode()], ["é", "a"]),
        (pd.Series(["b", "a", "b"], dtype="string"), ["b", "a"]),
        (pd.Series(["b", "a", "b"], dtype=object).array, ["b", "a"]),
        *([(np.array(["b", "a", "b"], dtype=STRING_DTYPE()), ["b", "a"])] if STRING_DTYPE else []),
        (["", " ", ""], ["", " "]),
        (["é", "e\u0301", "é"], ["é", "e\u0301"]),
        (pd.Categorical(["b", "a", "b"], categories=["z", "a", "b"], ordered=True), ["b", "a"]),
        (pd.Series(pd.Categorical([3, 1, 3])), ["3", "1"]),
        (pd.cut(pd.Series([5, 1, 5]), [0, 2, 8]), ["(2, 8]", "(0, 2]"]),
        ([DAY, DAY + datetime.timedelta(1), DAY], ["2017-06-30", "2017-07-01"]),
        (np.array(["2017-06-30", "2017-07-01", "2017-06-30"], dtype="datetime64[D]"), ["2017-06-30", "2017-07-01"]),
        ([DAY.replace(year=99), DAY, DAY.replace(year=99)], ["0099-06-30", "2017-06-30"]),
        ([NOON.replace(year=99), NOON, NOON.replace(year=99)], ["0099-06-30T12:00:00", "2017-06-30T12:00:00"]),
        (pd.Series([NOON, DAY, NOON], dtype="datetime64[ns]"), ["2017-06-30T12:00:00", "2017-06-30"]),
        (
            pd.Series([NOON, DAY, NOON], dtype="datetime64[ns]").dt.tz_localize("Europe/Zurich"),
            ["2017-06-30T10:00:00", "2017-06-29T22:00:00"],
        ),
        (pd.arrays.SparseArray([3, 0, 3]), ["3", "0"]),
        (pd.Categorical([b"b", b"a", b"b"]), ["b", "a"]),
        (pd.Categorical(pd.to_datetime([NOON, DAY, NOON])), ["2017-06-30T12:00:00", "2017-06-30"]),
        ([NOON, pd.Timestamp(DAY), pd.Timestamp(NOON)], ["2017-06-30T12:00:00", "2017-06-30"]),
        ([float("inf"), float("-inf"), float("inf")], ["Inf", "-Inf"]),
    ],
)
def test_every_form_of_one_column_is_numbered_by_first_appearance(strata: Any, names: list[str]) -> None:
    """Of numbers, tests/test_arrays.py has the other forms."""
    assert numbered(strata) == ([0, 1, 0], names, [2, 1])


@pytest.mark.parametrize(
    ("values", "n_values"),
    [
        (np.arange(400) / 8, 400),
        (np.arange(400) // 10 / 8, 40),
        ({"site": ["a", "b"] * 200, "age": list(np.arange(400) / 8)}, 400),
        (np.array([0.5, np.nan] * 20 + [float(x) + 0.5 for x in range(30)]), 30),
    ],
)
def test_measurements_as_strata_are_warned_of(values: Any, n_values: int) -> None:
    expected = f"'strata' parameter has {n_values} different numbers in .* rows, and each is a stratum. .* bin_target"
    with pytest.warns(UserWarning, match=expected) as caught:
        StratifiedBatchSampler(values, 1, missing="drop")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"x": ["b", "a", "b", "b"], "y": [1, 1, 2, 1]}),
        pd.DataFrame({"x": ["b", "a", "b", "b"], "y": [1, 1, 2, 1]}, index=[9, 9, 1, 0]),
        pd.MultiIndex.from_arrays([["b", "a", "b", "b"], [1, 1, 2, 1]]),
        {"x": ["b", "a", "b", "b"], "y": np.array([1.0, 1.0, 2.0, 1.0])},
        {"x": pd.Categorical(["b", "a", "b", "b"]), "y": torch.tensor([1, 1, 2, 1])},
        pd.DataFrame([["b", 1], ["a", 1], ["b", 2], ["b", 1]], columns=["x", "x"]),
    ],
)
def test_of_several_columns_every_combination_that_occurs_is_a_stratum(table: Any) -> None:
    assert numbered(table) == ([0, 1, 2, 0], ["b, 1", "a, 1", "b, 2"], [2, 1, 1])


@pytest.mark.parametrize(
    "strata",
    [
        [1.5, None, float("nan"), 1.5, pd.NA],
        np.array([1.5, np.nan, np.nan, 1.5, np.nan]),
        np.ma.array([1.5, 0.0, 7.0, 1.5, 9.0], mask=[0, 1, 1, 0, 1]),
        pd.Series([1.5, None, None, 1.5, None], dtype="Float64"),
        pd.Categorical([1.5, None, np.nan, 1.5, None]),
        ["1.5", None, float("nan"), "1.5", pd.NaT],
        [1.5, pd.NaT, pd.NA, 1.5, None],
        pd.Series(["1.5", None, None, "1.5", None], dtype="string"),
    ],
)
def test_missing_is_one_value(strata: Any) -> None:
    assert numbered(strata, "stratum") == ([0, 1, 1, 0, 1], ["1.5", "NA"], [2, 3])
    assert numbered(strata, "drop") == ([0, 1, 1, 0, 1], ["1.5"], [2])
    assert "3 missing of 5 rows" in refused(strata)


def test_exact_names_tell_all_values_of_a_kind_apart() -> None:
    def names(strata: Any) -> tuple[str, ...]:
        return tuple(name_of(value, exact=True) for value in encode_strata(strata, missing="stratum").values)

    assert names([0.3, 0.1 + 0.2, None]) == ("0.3", "0.30000000000000004", "NA")
    assert names([2.0**50, 2**50 + 1, 1e22, -0.0]) == ("1125899906842624", "1125899906842625", "1e+22", "0")
    assert names([NOON, NOON.replace(microsecond=10)]) == ("2017-06-30T12:00:00", "2017-06-30T12:00:00.000010")
    assert names(["a, b", '"', None]) == ("a, b", '"', "NA")
    assert names({"x": ["a, b", '"', None], "y": [1, 2, 3]}) == ('"a, b", 1', '"""", 2', "NA, 3")


def test_missing_values_of_several_columns() -> None:
    table = {"x": [None, "a", "a", None], "y": [1, None, 1, 1]}
    assert numbered(table, "stratum") == ([0, 1, 2, 0], ["NA, 1", "a, NA", "a, 1"], [2, 1, 1])
    assert numbered(table, "drop") == ([1, 1, 0, 1], ["a, 1"], [1])


@pytest.mark.parametrize(
    ("strata", "got"),
    [
        ([True, 1], "a mix of kinds"),
        ([1, "1"], "a mix of kinds"),
        (pd.Categorical([1, "1"]), "a mix of kinds"),
        (["a", b"a"], "a mix of kinds"),
        ([DAY, NOON], "a mix of kinds"),
        ([NOON, NOON.replace(tzinfo=datetime.timezone.utc)], "a mix of kinds"),
        ([DAY, pd.Timestamp(DAY)], "a mix of kinds"),
        ([uuid.UUID(int=1), None], "UUID values"),
        ([decimal.Decimal(1)], "decimal values"),
        (pd.period_range("2017", periods=2, freq="Y"), "period values"),
        ([[1], [2, 3]], "list values"),
        ([(1, 2), (3, 4)], "tuple values"),
        ([1 + 2j], "complex values"),
        (np.array([1], dtype="timedelta64[s]"), "timedelta values"),
        (np.zeros(2, dtype="i4,i4"), "tuple values"),
        ({"x": [1, 2], "y": [1, "a"]}, "a mix of kinds in column 'y'"),
        ([2**53 + 1, 1], "the integer 9007199254740993, which no double holds exactly,"),
        (np.array([2**64 - 1], dtype=np.uint64), "the integer 18446744073709551615, which no double holds exactly,"),
        # pandas compares C strings, which end at a NUL.
        (["a", "a\0b"], r"text with a NUL character, 'a\x00b',"),
        (np.array(["a\0b", "a"]), r"text with a NUL character, 'a\x00b',"),
        (pd.Series(["a", "a\0b"], dtype="string"), r"text with a NUL character, 'a\x00b',"),
        (pd.Categorical(["a\0b"]), r"text with a NUL character, 'a\x00b',"),
        ([b"\xff"], r"bytes that are not UTF-8, b'\xff',"),
    ],
)
def test_refused_values(strata: Any, got: str) -> None:
    advice = " Pass such numbers as text." if "the integer" in got else ""
    assert refused(strata) == (
        "The 'strata' parameter must hold logical values, numbers, text or dates, one kind per "
        f"column. Got {got} instead.{advice}"
    )


@pytest.mark.parametrize(
    ("strata", "got"),
    [
        (None, "nothing"),
        (5, "5"),
        ("autism", "'autism'"),
        (np.zeros((2, 2)), "an array of shape 2x2"),
        (torch.zeros(2, 3), "an array of shape 2x3"),
        (np.zeros((2, 1, 1)), "an array of shape 2x1x1"),
        (np.array(3), "a scalar"),
        ({"x": 5}, "5"),
        ((row for row in [1, 2]), "a value of class 'generator'"),
    ],
)
def test_refused_forms(strata: Any, got: str) -> None:
    message = refused(strata)
    assert message.startswith("The 'strata' parameter must be a vector or a table of columns.")
    assert f"Got {got} instead." in message


def test_tables_of_pyarrow_are_tables() -> None:
    arrow = pytest.importorskip("pyarrow", reason="Debian 12 and 13 do not have pyarrow")
    columns = {
        "whole": [1, None, 1, 2],
        "flag": [True, False, None, True],
        "text": ["a", "b", "a", None],
        "number": [0.5, None, 0.5, 1.5],
        "day": [datetime.date(2026, 1, 1), None, datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)],
    }
    table = arrow.table({**columns, "coded": arrow.array(["x", "y", None, "x"]).dictionary_encode()})
    for name in columns:
        listed = numbered({name: columns[name]}, "stratum")
        assert numbered(table.select([name]), "stratum") == listed
        if hasattr(pd, "ArrowDtype"):
            assert numbered(table.select([name]).to_pandas(types_mapper=pd.ArrowDtype), "stratum") == listed
    assert numbered(table.select(["coded"]), "stratum")[1] == ["x", "y", "NA"]
    assert numbered(table.select(["whole", "text"]), "drop")[1] == ["1, a"]
    with pytest.raises(TypeError, match="Got .* in column 'nested' instead."):
        encode_strata(arrow.table({"nested": [[1], [2]]}))


def test_too_many_rows_are_refused_before_any_work() -> None:
    endless = np.broadcast_to(np.uint8(0), 2**31)  # takes one byte
    assert "at most 2147483647 rows. Got 2147483648 rows" in refused(endless)


values = st.one_of(
    st.lists(st.one_of(st.none(), st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))),
    st.lists(st.one_of(st.none(), st.floats(allow_nan=True), st.integers(-(2**53), 2**53))),
    st.lists(st.one_of(st.none(), st.booleans())),
)


@pytest.mark.filterwarnings("ignore:.*bin_target")  # many different numbers are strata all the same
@given(values)
def test_any_column_is_numbered_as_a_dictionary_would(column: list) -> None:
    if not column:
        return
    missing = [value is None or value != value for value in column]
    keys = [None if is_missing else value for value, is_missing in zip(column, missing)]
    first: dict = {}
    expected = [first.setdefault(key, len(first)) for key in keys]
    assert encode_strata(column, missing="stratum").codes.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_any_columns_are_numbered_as_a_dictionary_of_tuples_would(rows: list[tuple[int, int, int]]) -> None:
    first: dict = {}
    expected = [first.setdefault(row, len(first)) for row in rows]
    columns = dict(zip("xyz", map(list, zip(*rows))))
    assert encode_strata(columns).codes.tolist() == expected
