"""Valid specifications: conditions, names, weights, pruning; and what is refused of values that only Python has.

The golden vectors of trees (tests/golden/tree.json) have the messages of all other refusals.
"""

from __future__ import annotations

import datetime
import operator
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

from pystrat import TreeBatchSampler, TreeSampler

TABLE = pd.DataFrame(
    {
        "text": ["a", "b", None, "a", "c"],
        "number": [1.0, 2.0, np.nan, 4.0, -1.0],
        "flag": [True, False, True, True, False],
        "day": pd.to_datetime(["2020-01-01", "2020-06-01", None, "2021-01-01", "2020-01-01"]),
        "group": pd.Categorical(["u", "v", "u", "u", "v"], categories=["v", "w", "u"]),
        "size": pd.Categorical(["low", "high", "mid", "mid", "high"], categories=["low", "mid", "high"], ordered=True),
    }
)


def sampler_of(spec: Any, table: Any = TABLE, **parameters: Any) -> TreeBatchSampler:
    return TreeBatchSampler(table, spec, 1, **{"length": 10, "seed": 1, **parameters})


def refused(spec: Any, table: Any = TABLE, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        sampler_of(spec, table, **parameters)
    return str(error.value)


def leaf(**keys: Any) -> dict[str, Any]:
    return {"children": [{"name": "leaf", **keys}]}


def rows_of(spec: Any, table: Any = TABLE) -> list[int]:
    """Return the rows that can be drawn; none if there is nothing to draw."""
    try:
        return np.flatnonzero(sampler_of(spec, table).describe().row_probabilities()).tolist()
    except ValueError as error:
        assert "must leave something to draw" in str(error)
        return []


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        ({"column": "text", "op": "not in", "value": ["b", "zz"]}, [0, 3, 4]),  # the golden vectors have more of text
        ({"column": "day", "value": datetime.date(2020, 1, 1)}, [0, 4]),
        ({"column": "day", "value": "2020-01-01"}, [0, 4]),
        ({"column": "day", "op": ">=", "value": "2020-06-01T02:00:00+02:00"}, [1, 3]),
        ({"column": "group", "value": "u"}, [0, 2, 3]),
        ({"column": "group", "op": "lt", "value": "v"}, [0, 2, 3]),  # by code point, not by category
        ({"column": "size", "op": "lt", "value": "mid"}, [0, 1, 4]),
    ],
)
def test_conditions_select_the_rows_and_missing_matches_only_isnull(keys: dict[str, Any], rows: list[int]) -> None:
    assert rows_of(leaf(**keys)) == rows


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    "in": lambda value, asked: value in asked,
    "not in": lambda value, asked: value not in asked,
    "between": lambda value, asked: asked[0] <= value <= asked[1],
}


def test_rows_are_those_whose_values_compare_so_for_all_pairs_of_values() -> None:
    numbers = [0.25, -np.inf, 1e300, -3.0, 2.0, np.inf, 0.0]
    values: list[Any] = [*numbers, 0.1, 7, 10**30]
    for name, compare in COMPARISONS.items():
        is_list = name in ("in", "not in", "between")
        for asked in [[first, second] for first in values for second in values] if is_list else values:
            rows = [row for row, value in enumerate(numbers) if compare(value, asked)]
            assert rows_of(leaf(column="x", op=name, value=asked), {"x": numbers}) == rows, (name, asked)


@pytest.mark.parametrize(
    ("moments", "value"),
    [
        ([datetime.datetime(1960, 1, 1, 12, 0, 0, microsecond) for microsecond in (499_999, 500_000)], None),
        (np.array(["1959", "1960"], dtype="M8[Y]"), datetime.date(1960, 1, 1)),
        # One without a zone counts as UTC.
        (pd.to_datetime(["2020-01-01", "2020-07-01"]).tz_localize("Asia/Tokyo"), datetime.datetime(2020, 6, 30, 15)),
    ],
)
def test_moments_are_compared_exactly_whatever_their_type(moments: Any, value: Any) -> None:
    sought = moments[1] if value is None else value
    for name, rows in (("eq", [1]), ("lt", [0]), ("ge", [1]), ("not in", [0])):
        assert (
            rows_of({"column": "t", "op": name, "value": [sought] if name == "not in" else sought}, {"t": moments})
            == rows
        )


def test_weights_are_read_of_surviving_leaves_alone() -> None:
    table = {"x": list("aabbcc"), "y": list("dedede"), "mass": [1.0, 3.0, np.nan, np.nan, 2.0, np.nan]}
    proportional = {"name": "a", "column": "x", "value": "a", "weight": "proportional(mass)"}
    left = {"name": "left", "column": "y", "value": "d"}
    part = {"name": "c", "column": "x", "value": "c", "weight": "proportional(mass)", "children": [left]}
    assert sampler_of({"children": [proportional, part]}, table).describe().nodes["weight"][2] == pytest.approx(2 / 6)
    below = {**part, "name": "below", "value": "b", "children": [{"name": "all"}]}
    message = refused({"children": [proportional, below]}, table)
    assert "must name a column of finite non-negative numbers at 'root/below'. Got NaN" in message


def test_warnings_point_at_who_called() -> None:
    spec = {"mode": "shuffle", "repeat": 2, "children": [{"name": "a", "weight": 2}]}
    with pytest.warns(UserWarning) as told:
        sampler = TreeBatchSampler(TABLE, spec, 3, length=6)
        TreeSampler(TABLE, spec, length=6)
    assert [warning.filename for warning in told] == [__file__] * 3
    assert any("'root/a' has no effect" in message for message in sampler.describe().warnings)


def test_yaml_text_a_file_and_a_dict_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "mode: shuffle\nchildren:\n  - {name: each, column: group, for_each: true, mode: shuffle}\n"
    file = tmp_path / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    spec = {"mode": "shuffle", "children": [{"name": "each", "column": "group", "for_each": True, "mode": "shuffle"}]}
    expected = sampler_of(spec).batches(0).rows.tolist()
    for form in (text, file, str(file)):
        assert sampler_of(form).batches(0).rows.tolist() == expected
    assert "must be YAML. Got what PyYAML refuses (could not" in refused("mode: !!python/object/apply:os.getcwd []\n")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="yaml"):
        sampler_of(text)
    assert sampler_of(spec).batches(0).rows.tolist() == expected
