"""Strata from labels, columns and tables: the same for all input types."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from typing import Any, Sequence

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler
from pystrat.messages import show_number
from pystrat.strata import encode_strata
from pystrat.value_names import exact_name_of

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
        ((3, 1, 3), ["3", "1"]),
        ([3, 1.0, 3.0], ["3", "1"]),
        (np.ma.array([3, 1, 3]), ["3", "1"]),
        (np.array([3, 1, 3], dtype=np.int8), ["3", "1"]),
        (np.array([3, 1, 3], dtype=np.uint64), ["3", "1"]),
        (np.array([3, 1, 3], dtype=">f8"), ["3", "1"]),
        (np.array([3, 1, 3], dtype=np.float16), ["3", "1"]),
        (np.array([3, 1, 3], dtype=np.longdouble), ["3", "1"]),
        (np.array([3, 0, 1, 0, 3, 0])[::2], ["3", "1"]),
        (pd.Series([3, 1, 3], index=[7, 7, 2]), ["3", "1"]),
        (pd.Series([3, 1, 3], dtype="Int64"), ["3", "1"]),
        (pd.Series([3, 1, 3], dtype="Float64"), ["3", "1"]),
        (torch.tensor([3, 1, 3]), ["3", "1"]),
        (torch.tensor([3.0, 1.0, 3.0]), ["3", "1"]),
        (torch.tensor([3.0, 1.0, 3.0]).to(torch.bfloat16), ["3", "1"]),
        ([0.1 + 0.2, 0.3, 0.1 + 0.2], ["0.3", "0.3"]),
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
    ],
    ids=["frame", "odd index", "multiple index", "dict", "mixed forms"],
)
def test_of_several_columns_every_combination_that_occurs_is_a_stratum(table: Any) -> None:
    assert numbered(table) == ([0, 1, 2, 0], ["b, 1", "a, 1", "b, 2"], [2, 1, 1])


def test_columns_of_the_same_name_are_all_used() -> None:
    table = pd.DataFrame([[1, 1], [1, 2], [1, 1]], columns=["x", "x"])
    assert numbered(table) == ([0, 1, 0], ["1, 1", "1, 2"], [2, 1])


def test_negative_zero_is_zero() -> None:
    assert numbered([0.0, -0.0, 0]) == ([0, 0, 0], ["0"], [3])
    assert numbered([-0.0, 0.0]) == ([0, 0], ["0"], [2])


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


@pytest.mark.parametrize(
    "strata",
    [
        np.array(["2017-06-30", "NaT"], dtype="datetime64[s]"),
        [True, None],
        pd.Series([True, None], dtype="boolean"),
        pd.Series([3, None], dtype="Int64"),
        [b"x", None],
        pd.Categorical([b"x", None]),
        np.ma.masked_array([3, 4], mask=[False, True]),
        np.ma.masked_array(["x", "y"], mask=[False, True]),
        pd.arrays.SparseArray([3.0, np.nan]),
        *([np.array(["x", None], dtype=STRING_DTYPE(na_object=None))] if STRING_DTYPE else []),
        [DAY, None],
        [NOON, pd.NaT],
        np.array([np.datetime64("2017-06-30"), None], dtype=object),
        pd.Series([NOON, None], dtype="datetime64[ns, UTC]"),
    ],
)
def test_missing_in_every_kind_of_column(strata: Any) -> None:
    codes, names, counts = numbered(strata, "stratum")
    assert (codes, names[1], counts) == ([0, 1], "NA", [1, 1])


def test_exact_names_tell_all_values_of_a_kind_apart() -> None:
    def names(strata: Any) -> tuple[str, ...]:
        return tuple(map(exact_name_of, encode_strata(strata, missing="stratum").values))

    assert names([0.3, 0.1 + 0.2, None]) == ("0.3", "0.30000000000000004", "NA")
    assert names([2.0**50, 2**50 + 1, 1e22, -0.0]) == ("1125899906842624", "1125899906842625", "1e+22", "0")
    assert names([NOON, NOON.replace(microsecond=10)]) == ("2017-06-30T12:00:00", "2017-06-30T12:00:00.000010")
    assert names(["a, b", '"', None]) == ("a, b", '"', "NA")
    assert names({"x": ["a, b", '"', None], "y": [1, 2, 3]}) == ('"a, b", 1', '"""", 2', "NA, 3")


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_exact_names_of_numbers_are_the_numbers(numbers: list[float]) -> None:
    encoded = encode_strata(numbers, name="numbers")  # no warning that they are measurements
    names = [*map(exact_name_of, encoded.values)]
    assert [float(names[code]) for code in encoded.codes] == numbers


def test_missing_text_is_not_the_empty_text_nor_the_letters_na() -> None:
    assert numbered(["", None, "NA"], "stratum") == ([0, 1, 2], ["", "NA", "NA"], [1, 1, 1])


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
        (np.array([1], dtype="timedelta64[s]"), "timedelta64[s] values"),
        (np.zeros(2, dtype="i4,i4"), "[('f0', '<i4'), ('f1', '<i4')] values"),
        ({"x": [1, 2], "y": [1, "a"]}, "a mix of kinds in column 'y'"),
        (np.array([1 / np.longdouble(3)]), f"{np.dtype(np.longdouble)} numbers that no double holds exactly"),
        ([2**53 + 1, 1], "the integer 9007199254740993, which no double holds exactly,"),
        (np.array([2**64 - 1], dtype=np.uint64), "the integer 18446744073709551615, which no double holds exactly,"),
        (["a\0b"], r"text with a NUL character, 'a\x00b',"),
        (pd.Categorical(["a\0b"]), r"text with a NUL character, 'a\x00b',"),
        (["a", "\ud800"], r"text that is not Unicode, with '\ud800',"),
        ([b"\xff"], r"bytes that are not UTF-8, b'\xff',"),
    ],
)
def test_refused_values(strata: Any, got: str) -> None:
    advice = " Pass such numbers as text." if "the integer" in got else ""
    assert refused(strata) == (
        "The 'strata' parameter must hold logical values, numbers, text or dates, one kind per "
        f"column. Got {got} instead.{advice}"
    )


TEXT_FORMS = [list, np.array, pd.Series, pd.Index, lambda texts: pd.Series(texts, dtype="string"), pd.array]


@pytest.mark.parametrize("form", TEXT_FORMS)
@pytest.mark.parametrize("texts", [["a"] * 8 + ["a\0b"] * 2, ["a\0b"] * 2 + ["a"] * 8])
def test_text_with_nul_is_refused_beside_the_text_before_the_nul(form: Any, texts: list[str]) -> None:
    """pandas compares C strings, which end at a NUL."""
    assert r"Got text with a NUL character, 'a\x00b', instead." in refused(form(texts))
    table = {"x": range(10), "y": form(texts)}
    assert r"Got text with a NUL character, 'a\x00b', in column 'y' instead." in refused(table)


def test_text_of_a_subclass_is_the_text() -> None:
    class Label(str, enum.Enum):
        YES = "yes"

    class Same(str):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, str)

        def __hash__(self) -> int:
            return 1

    assert numbered([Label.YES, "yes", np.str_("yes"), "no"]) == ([0, 0, 0, 1], ["yes", "no"], [3, 1])
    assert numbered([Same("yes"), Same("no")]) == ([0, 1], ["yes", "no"], [1, 1])
    assert numbered(pd.Categorical([Label.YES, "no"])) == ([0, 1], ["yes", "no"], [1, 1])


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
        ({"x": pd.MultiIndex.from_tuples([(1, 2), (1, 3)])}, "an index of 2 levels"),
    ],
)
def test_refused_forms(strata: Any, got: str) -> None:
    message = refused(strata)
    assert message.startswith("The 'strata' parameter must be a vector or a table of columns.")
    assert f"Got {got} instead." in message


class ColumnOfFile(Sequence[int]):
    """A column that reads its file for each item, and once for a slice, as that of a Hugging Face dataset does."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.reads = 0

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, place: Any) -> Any:
        self.reads += 1
        return [row % 3 for row in range(*place.indices(self.n_rows))] if isinstance(place, slice) else place % 3


def test_a_column_of_a_file_is_read_at_once() -> None:
    column = ColumnOfFile(9)
    assert encode_strata(column).counts.tolist() == [3, 3, 3]
    assert column.reads == 1


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
    for names in ([name] for name in columns):
        read = encode_strata(table.select(names), missing="stratum")
        listed = encode_strata({name: columns[name] for name in names}, missing="stratum")
        assert (read.names, read.codes.tolist()) == (listed.names, listed.codes.tolist())
    assert encode_strata(table.select(["coded"]), missing="stratum").names == ("x", "y", "NA")
    assert encode_strata(table.select(["whole", "text"]), missing="drop").names == ("1, a",)
    with pytest.raises(TypeError, match="Got .* in column 'nested' instead."):
        encode_strata(arrow.table({"nested": [[1], [2]]}))


# Arrow-backed columns, known here by what pandas asks of every extension array; pyarrow is not needed -----------------


class ArrowLikeDtype(pd.api.extensions.ExtensionDtype):
    """A dtype like pandas.ArrowDtype: text, bytes, days and lists are all of kind O, missing is pandas.NA."""

    na_value = pd.NA
    type: Any = None
    kind = ""
    name = ""

    def __init__(self, held: Any) -> None:
        self.type = held
        self.kind = {bool: "b", int: "i", float: "f", datetime.datetime: "M"}.get(held, "O")
        self.name = f"{held.__name__}[like arrow]"

    @property
    def _is_boolean(self) -> bool:
        return self.kind == "b"

    @property
    def _is_numeric(self) -> bool:
        return self.kind in "if"

    @classmethod
    def construct_array_type(cls) -> Any:
        return ArrowLikeArray


class ArrowLikeArray(pd.api.extensions.ExtensionArray):
    """An extension array of any values, which says of itself no more than its dtype does."""

    dtype: Any = None

    def __init__(self, values: Any, dtype: ArrowLikeDtype) -> None:
        self.values = pd.Series(list(values), dtype=object).to_numpy()
        self.dtype = dtype

    @classmethod
    def _from_sequence(cls, values: Any, *, dtype: Any = None, copy: bool = False) -> "ArrowLikeArray":
        return cls(values, dtype)

    @classmethod
    def _from_factorized(cls, values: Any, original: "ArrowLikeArray") -> "ArrowLikeArray":
        return cls(values, original.dtype)

    def _values_for_factorize(self) -> tuple[Any, None]:
        return np.where(self.isna(), None, self.values), None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, item: Any) -> Any:
        found = self.values[item]
        return ArrowLikeArray(found, self.dtype) if isinstance(found, np.ndarray) else found

    def isna(self) -> Any:
        return np.array([value is pd.NA for value in self.values], dtype=bool)

    def take(self, indices: Any, **ignored: Any) -> "ArrowLikeArray":
        return ArrowLikeArray(self.values.take(indices), self.dtype)

    def copy(self) -> "ArrowLikeArray":
        return ArrowLikeArray(self.values, self.dtype)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["é", "a"], ["é", "a"]),
        ([True, False], ["TRUE", "FALSE"]),
        ([3, 1], ["3", "1"]),
        ([0.3, 1.0], ["0.3", "1"]),
        ([DAY, DAY + datetime.timedelta(1)], ["2017-06-30", "2017-07-01"]),
        ([NOON, NOON + datetime.timedelta(1)], ["2017-06-30T12:00:00", "2017-07-01T12:00:00"]),
        (["é".encode(), b"a"], ["é", "a"]),
    ],
)
def test_an_arrow_backed_column_is_numbered_as_its_values_are(values: list, names: list[str]) -> None:
    column = ArrowLikeArray([values[0], values[1], values[0], pd.NA], ArrowLikeDtype(type(values[0])))
    assert numbered(column, "stratum") == ([0, 1, 0, 2], [*names, "NA"], [2, 1, 1])
    assert numbered(column, "drop")[:2] == ([0, 1, 0, 2], names)
    assert numbered({"x": column, "y": [1, 1, 1, 1]}, "drop")[1] == [f"{name}, 1" for name in names]
    assert "1 missing of 4 rows" in refused(column)


def test_too_many_rows_are_refused_before_any_work() -> None:
    endless = np.broadcast_to(np.uint8(0), 2**31)  # takes one byte
    assert "at most 2147483647 rows. Got 2147483648 rows" in refused(endless)


@pytest.mark.parametrize("n_strata", [2, 255, 256, 257, 65_536, 65_537])
@pytest.mark.parametrize("dropped", [False, True])
def test_codes_take_the_smallest_type(n_strata: int, dropped: bool) -> None:
    values = pd.Series(np.arange(n_strata), dtype="Int64")
    if dropped:
        values = pd.concat([values, pd.Series([None], dtype="Int64")])
    codes = encode_strata(values, missing="drop").codes
    n_codes = n_strata + dropped
    assert codes.dtype == (np.uint8 if n_codes <= 256 else np.uint16 if n_codes <= 65_536 else np.int32)
    assert codes.tolist() == list(range(n_codes))


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


@pytest.mark.parametrize("n_strata", [511, 512, 513, 2_048, 2_049, 100_000])
@pytest.mark.parametrize("apart", [1, -3, 2**32, 2**32 + 1, 2**36])
def test_integers_are_numbered_by_first_appearance_however_many_and_far_apart(n_strata: int, apart: int) -> None:
    """The table of hashes grows with the strata."""
    values = np.random.default_rng(1).integers(0, n_strata, 2 * n_strata) * apart
    codes, distinct = pd.factorize(values)
    encoded = encode_strata(values)
    assert encoded.codes.tolist() == codes.tolist() and encoded.counts.tolist() == np.bincount(codes).tolist()
    assert encoded.names == tuple(show_number(value) for value in distinct)
