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
from tests.refused import refusals

TABLE = pd.DataFrame(
    {
        "text": ["a", "b", None, "a", "c"],
        "number": [1.0, 2.0, np.nan, 4.0, -1.0],
        "flag": [True, False, True, True, False],
        "day": pd.to_datetime(["2020-01-01", "2020-06-01", None, "2021-01-01", "2020-01-01"]),
        "mass": [1.0, 0.0, 2.0, 5.0, 1.0],
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
    """Return the rows of the first child of the root."""
    tree = sampler_of(spec, table).tree
    return tree.options[tree.offsets[1] : tree.offsets[2]].tolist()


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        ({"column": "text", "op": "not in", "value": ["b", "zz"]}, [0, 3, 4]),  # the golden vectors have more of text
        ({"column": "day", "value": datetime.date(2020, 1, 1)}, [0, 4]),
        ({"column": "day", "op": "gt", "value": pd.Timestamp("2020-01-01")}, [1, 3]),
        ({"column": "group", "value": "u"}, [0, 2, 3]),
        ({"column": "group", "op": "lt", "value": "v"}, [0, 2, 3]),  # by code point, not by category
        ({"column": "size", "op": "lt", "value": "mid"}, [0, 1, 4]),
    ],
)
def test_conditions_select_the_rows_and_missing_matches_only_isnull(keys: dict[str, Any], rows: list[int]) -> None:
    assert rows_of(leaf(**keys)) == rows


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, asked: value in asked,
    "not in": lambda value, asked: value not in asked,
    "between": lambda value, asked: asked[0] <= value <= asked[1],
}


def test_rows_are_those_whose_values_compare_so_for_all_pairs_of_values() -> None:
    numbers = [0.25, -np.inf, 1e300, -3.0, 2.0, np.inf, 0.0]
    values: list[Any] = [*numbers, 0.1, -1e301, 7, 10**30]
    for name, compare in COMPARISONS.items():
        is_list = name in ("in", "not in", "between")
        for asked in [[first, second] for first in values for second in values] if is_list else values:
            rows = [row for row, value in enumerate(numbers) if compare(value, asked)]
            selecting = {"column": "x", "op": name, "value": asked, "prune": "individual", "mode": "shuffle"}
            spec = {"children": [{"name": "some", **selecting}, {"name": "all"}]}
            assert rows_of(spec, {"x": numbers}) == (rows or list(range(len(numbers)))), (name, asked)


@pytest.mark.parametrize(
    ("moments", "value"),
    [
        ([datetime.date(2020, 1, 1), datetime.date(9999, 12, 31)], None),  # beyond what nanoseconds reach
        ([datetime.datetime(1960, 1, 1, 12, 0, 0, microsecond) for microsecond in (499_999, 500_000)], None),
        (np.array(["2020-01-01", "2020-01-01T00:00:00.000000001"], dtype="M8[ns]"), None),
        (np.array(["1959", "1960"], dtype="M8[Y]"), datetime.date(1960, 1, 1)),
        # One without a zone counts as UTC.
        (pd.to_datetime(["2020-01-01", "2020-07-01"]).tz_localize("Asia/Tokyo"), datetime.datetime(2020, 6, 30, 15)),
    ],
)
def test_moments_are_compared_exactly_whatever_their_type_and_year(moments: Any, value: Any) -> None:
    sought = moments[1] if value is None else value
    for name, rows in (("eq", {1}), ("lt", {0}), ("ge", {1}), ("not in", {0})):
        condition = {"column": "t", "op": name, "value": [sought] if name == "not in" else sought}
        sampler = TreeBatchSampler({"t": moments}, {"mode": "sequential", **condition}, 1, length="root", seed=1)
        assert set(sampler.batches(0).rows.tolist()) == rows


def test_a_node_without_a_name_is_named_by_its_value_or_its_place() -> None:
    """The golden vectors have more of them."""
    days = {"column": "day", "value": datetime.date(2020, 1, 1)}
    pruned = {"name": "empty", "column": "text", "value": "zz", "prune_method": "individual"}
    tree = sampler_of({"children": [{"column": "flag", "value": True}, days, {"children": [{}]}, pruned]}).tree
    assert [tree.path(node) for node in range(len(tree))] == ["root", "root/TRUE", "root/2", "root/3", "root/3/1"]


def test_clones_follow_the_first_appearance_among_the_parent_s_rows() -> None:
    table = {"outer": list("xyxyxy"), "inner": list("cabcab")}
    spec = leaf(column="outer", for_each=True, children=[{"name": "in", "column": "inner", "for_each": True}])
    tree = sampler_of(spec, table).tree
    assert " ".join(tree.path(node).removeprefix("root/") for node in range(1, len(tree))) == (
        "leaf[x] leaf[x]/in[c] leaf[x]/in[b] leaf[x]/in[a] leaf[y] leaf[y]/in[a] leaf[y]/in[c] leaf[y]/in[b]"
    )
    for missing, labels in (("drop", ["a", "b", "c"]), ("stratum", ["a", "b", "NA", "c"])):
        tree = sampler_of(leaf(column="text", for_each=True, missing=missing)).tree
        assert [tree.label(node) for node in range(1, len(tree))] == [f"leaf[{label}]" for label in labels]


def test_proportional_weights_are_sums_over_the_rows_of_surviving_leaves_and_look_at_no_others() -> None:
    table = {"x": list("aabbcc"), "y": list("dedede"), "mass": [1.0, 3.0, np.nan, np.nan, 2.0, np.nan]}
    proportional = {"name": "a", "column": "x", "value": "a", "weight": "proportional(mass)"}
    whole = {"name": "b", "column": "x", "value": "b", "weight": 3}
    left = {"name": "left", "column": "y", "value": "d"}
    part = {"name": "c", "column": "x", "value": "c", "weight": "proportional(mass)", "children": [left]}
    nodes = sampler_of({"children": [proportional, whole, part]}, table).describe().nodes
    assert nodes["probability"].tolist() == pytest.approx([1, 4 / 9, 3 / 9, 2 / 9, 2 / 9])
    nodes = sampler_of({"children": [{**part, "weight": "proportional(count)"}, whole]}, table).describe().nodes
    assert nodes["probability"].tolist() == pytest.approx([1, 1 / 4, 1 / 4, 3 / 4])
    below = {**part, "name": "below", "value": "b", "children": [{"name": "all"}]}
    message = refused({"children": [proportional, below]}, table)
    assert "at node 'root/below' must have finite non-negative weights in column 'mass'. Got NaN" in message


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
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="PyYAML, which reads the specification, is not installed. Install it: pip"):
        sampler_of(text)
    assert sampler_of(spec).batches(0).rows.tolist() == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("mode: shuffle\nmode: sequential\n", "have every key once. Got 'mode' again in line 2"),
        ("children:\n  - &x {name: a}\n  - *x\n", "have no aliases. Got '*x' in line 3"),
        ("mode: !!python/object/apply:os.getcwd []\n", "be YAML"),
        ("!!map foo\n", "be YAML. Got what PyYAML refuses (expected a mapping node"),
        ("column: day\nvalue: 2020-02-30\n", "hold valid values. Got the timestamp '2020-02-30' in line 2 instead."),
        (f"column: flag\nvalue: !!bool {'m' * 5000}\n", f"Got the bool '{'m' * 100}...' in line 2 instead."),
        (f"column: flag\nvalue: !!int {'9' * 5000}x\n", f"Got the int '{'9' * 100}...' in line 2 instead."),
    ],
)
def test_yaml_is_read_strictly_and_safely(text: str, word: str) -> None:
    assert word in refused(text)


test_values_that_only_python_has_are_refused = refusals(
    sampler_of,
    [
        ({"spec": leaf(column="number", value=float("nan"))}, "Got NaN instead. Missing values are found by 'op: "),
        ({"spec": leaf(weight=10**401)}, "'weight' parameter of node 'root/leaf' must be "),
        ({"spec": [1, 2]}, "'spec' parameter must be a mapping"),
        ({"spec": {"children": [{"name": None}]}}, "'name' parameter of node 'root/1' must be a text. Got nothing"),
        ({"spec": {"auxiliary": {"": "counter()"}}}, "'auxiliary' parameter must map names to functions"),
        ({"spec": {"auxiliary": {"a": "choice(" + "[" * 150 + "]" * 150 + ")"}}}, "'a' parameter of 'auxiliary' must"),
        (
            {"spec": {"auxiliary": {"a": "choice(" + "-" * 10**5 + "1)"}}},
            "'a' parameter of 'auxiliary' must be ",
        ),
    ],
)


def test_tables_have_columns_that_are_vectors_also_if_they_are_not_used() -> None:
    for table in (3, [[1]]):
        assert "The 'table' parameter must" in refused({}, table)
    for column in (3, "abc", np.array(3), np.ones((3, 2)), {1, 2, 3}):
        message = refused({"column": "x", "value": 1}, {"x": column})
        assert message.startswith("The 'table' parameter must hold a vector in column 'x'. Got ")
    assert "'table' parameter must hold a vector in column 'y'" in refused({}, {"y": "abc"})


TOO_NESTED = (
    "The 'spec' parameter must have at most 1000000 mappings and lists, nested at most 128 deep. Got more instead."
)


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": "leaf"}
    for level in range(depth):
        node = {"name": f"node{level}", "children": [node]}
    return node


def in_brackets(depth: int) -> str:
    return "{name: a, children: [" * depth + "{name: leaf}" + "]}" * depth


def endless_list() -> list[Any]:
    nodes: list[Any] = [{"name": "a"}]
    nodes[0]["children"] = nodes
    return nodes


@pytest.mark.parametrize("spec", [nested(63), in_brackets(63)], ids=["dict", "YAML"])
def test_64_nodes_below_one_another_are_a_tree(spec: Any) -> None:
    assert len(TreeSampler({"x": [1, 2]}, spec, length=3, seed=1).tree) == 64


@pytest.mark.parametrize("spec", [nested(64), in_brackets(64), "[" * 5000, "- " * 5000, endless_list()], ids=range(5))
def test_deep_and_endless_specifications_are_refused(spec: Any) -> None:
    with pytest.raises(ValueError) as refused:
        TreeSampler({"x": [1, 2]}, {"children": spec} if isinstance(spec, list) else spec, length=3, seed=1)
    assert str(refused.value) == TOO_NESTED
