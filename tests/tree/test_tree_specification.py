"""Valid specifications: conditions, weights, pruning; and the messages for invalid ones."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        ({"column": "text", "value": "a"}, [0, 3]),
        ({"column": "text", "op": "ne", "value": "a"}, [1, 4]),
        ({"column": "text", "op": "!=", "value": "a"}, [1, 4]),
        ({"column": "text", "op": "in", "value": ["b", "c", "zz"]}, [1, 4]),
        ({"column": "text", "op": "not in", "value": ["b", "zz"]}, [0, 3, 4]),
        ({"column": "text", "op": "isnull"}, [2]),
        ({"column": "text", "op": ">", "value": "a"}, [1, 4]),
        ({"column": "number", "value": 1}, [0]),
        ({"column": "number", "op": "lt", "value": 2}, [0, 4]),
        ({"column": "number", "op": "<=", "value": 2}, [0, 1, 4]),
        ({"column": "number", "op": "ge", "value": 2.0}, [1, 3]),
        ({"column": "number", "op": "between", "value": [-1, 2]}, [0, 1, 4]),
        ({"column": "number", "op": "isnull"}, [2]),
        ({"column": "flag", "value": True}, [0, 2, 3]),
        ({"column": "day", "value": datetime.date(2020, 1, 1)}, [0, 4]),
        ({"column": "day", "op": "gt", "value": pd.Timestamp("2020-01-01")}, [1, 3]),
        ({"column": "group", "value": "u"}, [0, 2, 3]),
        ({"column": "group", "op": "lt", "value": "v"}, [0, 2, 3]),  # by code point, not by category
        ({"column": "size", "op": "lt", "value": "mid"}, [0, 1, 4]),
    ],
)
def test_conditions_select_the_rows_and_missing_matches_only_isnull(keys: dict[str, Any], rows: list[int]) -> None:
    tree = sampler_of(leaf(**keys)).tree
    assert tree.options[tree.offsets[1] : tree.offsets[2]].tolist() == rows


@pytest.mark.parametrize(
    ("column", "value", "got"),
    [
        ("text", 1, "must be a text as column 'text' holds. Got 1 instead"),
        ("text", True, "Got True instead"),
        ("number", "1", "must be a number as column 'number' holds. Got '1' instead"),
        ("number", True, "Got True instead"),
        ("flag", 1, "must be a logical value as column 'flag' holds. Got 1 instead"),
        ("day", "2020-01-01", "must be a date as column 'day' holds. Got '2020-01-01' instead"),
        ("text", None, "Got nothing instead. Missing values are found by 'op: isnull'."),
        ("number", float("nan"), "Got NaN instead. Missing values are found by 'op: isnull'."),
    ],
)
def test_a_value_of_another_kind_than_its_column_is_an_error(column: str, value: Any, got: str) -> None:
    message = refused(leaf(column=column, value=value))
    assert message.startswith("The 'value' parameter of node 'root/leaf' must be")
    assert got in message


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
    for operator, rows in (("eq", {1}), ("lt", {0}), ("ge", {1}), ("not in", {0})):
        condition = {"column": "t", "op": operator, "value": [sought] if operator == "not in" else sought}
        sampler = TreeBatchSampler({"t": moments}, {"mode": "sequential", **condition}, 1, length="root", seed=1)
        assert set(sampler.batches(0).rows.tolist()) == rows


def test_logical_values_have_no_order() -> None:
    assert "The 'op' parameter of node 'root/leaf'" in refused(leaf(column="flag", op="lt", value=True))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (leaf(colunm="text", value="a"), ["node 'root/leaf'", "Got 'colunm'", "The nearest one is 'column'."]),
        ({"weight": 1}, ["node 'root'", "Got 'weight'"]),
        (leaf(mode="random"), ["'mode'", "'replacement', 'sequential', 'shuffle'", "'random'"]),
        (leaf(op="=~", column="text", value="a"), ["'op'", "'=~'"]),
        (
            leaf(value="a", weight=2),
            [
                "'column' parameter of node 'root/leaf'",
                "be given with 'value'. Got {name: 'leaf', value: 'a', weight: 2}",
            ],
        ),
        (leaf(for_each=True), ["'column'", "be given with 'for_each'. Got {name: 'leaf', for_each: TRUE} instead."]),
        (
            leaf(value="for_each"),
            ["'column'", "be given with 'for_each'. Got {name: 'leaf', value: 'for_each'} instead."],
        ),
        ({"op": "eq"}, ["'column' parameter of node 'root'", "be given with 'op'. Got {op: 'eq'} instead."]),
        (
            leaf(column="text", weight=0.3),
            [
                "'value' parameter of node 'root/leaf'",
                "be given with 'column', unless 'op' is 'isnull'.",
                "Got {name: 'leaf', column: 'text', weight: 0.3} instead.",
            ],
        ),
        (
            {"column": "number", "op": "between"},
            ["'value' parameter of node 'root'", "'isnull'. Got {column: 'number', op: 'between'} instead."],
        ),
        ({"column": "text", "value": "for_each"}, ["node 'root'", "have no keys but", "Got 'for_each'"]),
        (leaf(column="text", value="for_each", missing="all"), ["'missing'", "'error', 'stratum', 'drop'"]),
        (leaf(for_each=True, column="text", value="a"), ["'value'", "be left out with 'for_each'"]),
        (leaf(for_each="yes", column="text"), ["'for_each'", "be true or false"]),
        (leaf(missing="drop", column="text", value="a"), ["'missing'", "be left out without 'for_each'"]),
        (leaf(column="text", op="in", value="a"), ["'value'", "be a list of values"]),
        (leaf(column="number", op="between", value=[1]), ["be a list of two values"]),
        (leaf(column="number", op="isnull", value=1), ["be left out with 'op: isnull'"]),
        (leaf(weight=-1), ["'weight'", "Got -1 instead"]),
        (leaf(weight=True), ["'weight'", "Got True instead"]),
        (leaf(weight="__import__('os')"), ["'weight'", "proportional(COLUMN)"]),
        (leaf(repeat=0), ["'repeat'", "Got 0 instead"]),
        (leaf(prune="all"), ["'prune'", "'individual', 'parent'"]),
        (leaf(prune="parent", prune_method="parent"), ["'prune'", "be given once"]),
        (leaf(row_weight="mass", mode="shuffle"), ["'row_weight'", "unless 'mode' is 'replacement'"]),
        ({"row_weight": "mass", **leaf()}, ["'row_weight'", "be given at a leaf"]),
        ({"children": []}, ["'children'", "be a list of nodes"]),
        ({"children": [{"name": "a"}, {"name": "a"}]}, ["have names of their own", "'a' twice"]),
        ({"children": [{"name": None}]}, ["'name' parameter of node 'root/1'", "be a text. Got nothing"]),
        ({"children": [{"name": ""}]}, ["'name' parameter of node 'root/1'", "be a text. Got ''"]),
        (
            {"children": [{"column": "text", "value": "a"}, {"column": "group", "value": "a"}]},
            ["'children' parameter of node 'root'", "have names of their own. Got 'a' twice"],
        ),
        ({"children": [{"nmae": "a"}]}, ["node 'root/1'", "Got 'nmae' instead. The nearest one is 'name'."]),
        (leaf(weight=10**401), ["'weight' parameter of node 'root/leaf'", "Got Inf instead"]),
        ({"children": ["leaf"]}, ["'node' parameter of node 'root/1'", "be a mapping"]),
        ([1, 2], ["'spec' parameter must be a mapping"]),
        (leaf(column="nowhere", value="a"), ["have one column 'nowhere'", "it has 'text', 'number'"]),
        ({"auxiliary": {"x": "system('ls')"}}, ["'x' parameter of 'auxiliary'", "Got 'system('ls')' instead"]),
        ({"auxiliary": {"": "counter()"}}, ["'auxiliary' parameter", "must map names to functions"]),
        ({"auxilary": {"x": "counter()"}}, ["Got 'auxilary' instead. The nearest one is 'auxiliary'."]),
        ({"auxiliary": {"x": "uniform(2, 1)"}}, ["Got 'uniform(2, 1)' instead"]),
        ({"auxiliary": {"x": "choice([1, 'a'])"}}, ["values of one kind"]),
        ({"auxiliary": {"x": "uniform(open, 1)"}}, ["'uniform(open, 1)'"]),
        ({"auxiliary": {"x": f"uniform(0, 1{'0' * 400})"}}, ["'x' parameter", "no number beyond 1e+300"]),
        ({"auxiliary": {"x": "uniform(-1.7e308, 1.7e308)"}}, ["'x' parameter", "no number beyond 1e+300"]),
        ({"auxiliary": {"x": "normal(0, 1.7e308)"}}, ["'x' parameter", "no number beyond 1e+300"]),
    ],
)
def test_what_is_wrong_is_told_with_its_node(spec: Any, words: list[str]) -> None:
    message = refused(spec)
    for word in words:
        assert word in message


def test_the_specification_is_validated_before_the_table() -> None:
    assert "'mode'" in refused({"children": [{"name": "a", "column": "nowhere", "value": 1}, {"name": "b", "mode": 1}]})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("mode: shuffle\nmode: sequential\n", "have every key once. Got 'mode' again in line 2"),
        ("children:\n  - &x {name: a}\n  - *x\n", "have no aliases. Got '*x' in line 3"),
        ("mode: !!python/object/apply:os.getcwd []\n", "be YAML"),
        ("children: [\n", "be YAML"),
        ("shuffle\n", "be a mapping"),
        ("!!map foo\n", "be YAML. Got what PyYAML refuses (expected a mapping node"),
        ("column: day\nvalue: 2020-02-30\n", "hold valid values. Got the timestamp '2020-02-30' in line 2 instead."),
        ("column: flag\nvalue: !!bool maybe\n", "hold valid values. Got the bool 'maybe' in line 2 instead."),
    ],
)
def test_yaml_is_read_strictly_and_safely(text: str, word: str) -> None:
    assert word in refused(text)


@pytest.mark.parametrize("kind", ["bool", "int"])
def test_a_long_value_of_yaml_is_cut_in_the_message(kind: str) -> None:
    value = {"bool": "m" * 5000, "int": "9" * 5000 + "x"}[kind]
    assert f"hold valid values. Got the {kind} '{value[:100]}...' in line 2 instead." in refused(
        f"column: flag\nvalue: !!{kind} {value}\n"
    )


def test_yaml_without_pyyaml_is_an_error_that_tells_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="PyYAML, which reads the specification, is not installed. Install it: pip"):
        sampler_of("mode: shuffle\n")
    assert len(sampler_of({"mode": "shuffle"})) == 10


def test_yaml_text_a_file_and_a_dict_are_one(tmp_path: Path) -> None:
    text = "mode: shuffle\nchildren:\n  - {name: each, column: group, for_each: true, mode: shuffle}\n"
    file = tmp_path / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    spec = {
        "mode": "shuffle",
        "children": [{"name": "each", "column": "group", "for_each": True, "mode": "shuffle"}],
    }
    expected = sampler_of(spec).batches(0).rows.tolist()
    for form in (text, file, str(file)):
        assert sampler_of(form).batches(0).rows.tolist() == expected


def test_a_node_without_a_name_is_named_by_its_value_or_its_place() -> None:
    children = [
        {"column": "text", "value": "a"},
        {"column": "number", "value": 2.0, "weight": 3},
        {"column": "flag", "value": True},
        {"column": "text", "op": "in", "value": ["b", "c"], "children": [{"mode": "shuffle"}]},
        {"column": "day", "value": datetime.date(2020, 1, 1)},
        {"column": "group", "value": "for_each"},
        {"column": "number", "op": "isnull"},
    ]
    tree = sampler_of({"children": children}).tree
    paths = [tree.path(node) for node in range(1, len(tree))]
    assert paths == [
        *("root/a", "root/2", "root/TRUE", "root/4", "root/4/1", "root/5", "root/group[u]", "root/group[v]", "root/7")
    ]
    assert "'mode' parameter of node 'root/b'" in refused({"children": [{"column": "text", "value": "b", "mode": 1}]})


def test_value_for_each_is_for_each() -> None:
    spec = leaf(column="text", value="for_each", missing="drop", mode="shuffle")
    expected = leaf(column="text", for_each=True, missing="drop", mode="shuffle")
    assert sampler_of(spec).batches(0).rows.tolist() == sampler_of(expected).batches(0).rows.tolist()
    table = {"x": ["for_each", "b", "for_each"]}
    for keys in ({"op": "eq"}, {"for_each": False}):
        tree = sampler_of(leaf(column="x", value="for_each", **keys), table).tree
        assert tree.options[tree.offsets[1] : tree.offsets[2]].tolist() == [0, 2], "compared as a text"


def test_for_each_refuses_missing_values_unless_told() -> None:
    message = refused(leaf(column="text", for_each=True))
    assert "node 'root/leaf'" in message and "Got 1 missing of 5 rows instead" in message
    labels = {}
    for missing in ("drop", "stratum"):
        tree = sampler_of(leaf(column="text", for_each=True, missing=missing)).tree
        labels[missing] = [tree.label(node) for node in range(1, len(tree))]
    assert labels["drop"] == ["leaf[a]", "leaf[b]", "leaf[c]"]
    assert labels["stratum"] == ["leaf[a]", "leaf[b]", "leaf[NA]", "leaf[c]"]


def test_clones_follow_the_first_appearance_among_the_parent_s_rows() -> None:
    table = {"outer": list("xyxyxy"), "inner": list("cabcab")}
    spec = leaf(column="outer", for_each=True, children=[{"name": "in", "column": "inner", "for_each": True}])
    tree = sampler_of(spec, table).tree
    assert [tree.path(node) for node in range(1, len(tree))] == [
        "root/leaf[x]",
        "root/leaf[x]/in[c]",
        "root/leaf[x]/in[b]",
        "root/leaf[x]/in[a]",
        "root/leaf[y]",
        "root/leaf[y]/in[a]",
        "root/leaf[y]/in[c]",
        "root/leaf[y]/in[b]",
    ]


def test_empty_nodes_without_prune_show_the_chain() -> None:
    empty = {"name": "empty", "column": "text", "value": "zz"}
    message = refused({"children": [{"name": "full"}, empty]})
    assert "Got no rows at 'root/empty' instead." in message
    inner = {"name": "inner", "column": "group", "for_each": True, "children": [{**empty, "prune": "parent"}]}
    message = refused({"children": [{"name": "full"}, inner]})
    assert "Got no rows at 'root/inner[u]/empty', which takes 'root/inner[u]' with it instead." in message
    message = refused({"children": [{"name": "full"}, {**inner, "prune": "parent"}]})
    assert "at 'root/inner[u]/empty', which takes 'root/inner[u]' with it, which takes 'root' with it" in message
    message = refused({"children": [{**empty, "prune": "individual"}]})
    assert "Got no children left at 'root' instead." in message
    assert "Got no rows at 'root' instead." in refused({"column": "text", "value": "zz"})


def test_prune_has_its_published_name_too() -> None:
    pruned = {"name": "empty", "column": "text", "value": "zz", "prune_method": "individual"}
    tree = sampler_of({"children": [pruned, {"name": "full"}]}).tree
    assert [tree.label(node) for node in range(len(tree))] == ["root", "full"]


def test_weights_are_computed_after_pruning_and_clones_carry_theirs() -> None:
    empty = {"name": "empty", "column": "text", "value": "zz", "prune": "individual", "weight": 7}
    each = {"name": "each", "column": "group", "for_each": True, "weight": 3}
    nodes = sampler_of({"children": [empty, each, {"name": "rest", "weight": 4}]}).describe().nodes
    expected = {"root": 1.0, "root/each[u]": 0.3, "root/each[v]": 0.3, "root/rest": 0.4}
    assert dict(zip(nodes["path"], nodes["probability"])) == pytest.approx(expected)


def test_proportional_weights_are_sums_over_the_rows_of_surviving_leaves() -> None:
    def inner(name: str, weight: str) -> dict[str, Any]:
        some = {"name": "some", "column": "text", "op": "in", "value": ["a", "c"]}
        return {"name": name, "weight": weight, "children": [some]}

    spec = {"children": [inner("first", "proportional(mass)"), {"name": "second", "weight": "proportional(count)"}]}
    nodes = sampler_of(spec).describe().nodes
    probability = dict(zip(nodes["path"], nodes["probability"]))
    assert probability["root/first"] == pytest.approx(7 / 12), "the rows 0, 3 and 4 weigh 1, 5 and 1"
    assert probability["root/second"] == pytest.approx(5 / 12)


def test_proportional_weights_look_at_no_row_but_those_of_the_node() -> None:
    table = {"x": list("aabbcc"), "y": list("dedede"), "mass": [1.0, 3.0, np.nan, np.nan, 2.0, np.nan]}
    proportional = {"name": "a", "column": "x", "value": "a", "weight": "proportional(mass)"}
    whole = {"name": "b", "column": "x", "value": "b", "weight": 3}
    nodes = sampler_of({"children": [proportional, whole]}, table).describe().nodes
    assert nodes["probability"].tolist() == pytest.approx([1, 4 / 7, 3 / 7])
    left = {"name": "left", "column": "y", "value": "d"}
    part = {"name": "c", "column": "x", "value": "c", "weight": "proportional(mass)", "children": [left]}
    nodes = sampler_of({"children": [proportional, whole, part]}, table).describe().nodes
    assert nodes["probability"].tolist() == pytest.approx([1, 4 / 9, 3 / 9, 2 / 9, 2 / 9])
    for weight in (proportional, part):
        below = {**weight, "name": "below", "value": "b", "children": [{"name": "all"}]}
        message = refused({"children": [proportional, below]}, table)
        assert "at node 'root/below' must have finite non-negative weights in column 'mass'. Got NaN" in message


def test_row_weights_are_the_chances_of_the_rows() -> None:
    sampler = sampler_of(leaf(row_weight="mass"), length=100_000)
    assert sampler.describe().row_probabilities() == pytest.approx(np.array([1, 0, 2, 5, 1]) / 9)
    found = np.bincount(sampler.batches(0).rows, minlength=5) / 100_000
    assert found[1] == 0
    assert found == pytest.approx(np.array([1, 0, 2, 5, 1]) / 9, abs=0.008)


@pytest.mark.parametrize("column", [[1.0, -1.0], [1.0, np.nan], [1.0, np.inf], [0.0, 0.0]])
def test_weights_must_be_finite_and_not_negative_and_not_all_zero(column: list[float]) -> None:
    assert "weight" in refused(leaf(row_weight="w"), {"w": column})
    children = [{"name": "a", "weight": "proportional(w)"}]
    assert "weight" in refused({"children": children}, {"w": column})


def test_a_weight_without_effect_is_told_with_its_node() -> None:
    spec = {"mode": "shuffle", "children": [{"name": "a", "weight": 2}]}
    with pytest.warns(UserWarning, match="The 'weight' of node 'root/a' has no effect: its parent 'root' has the mode"):
        sampler = sampler_of(spec)
    assert any("'root/a' has no effect" in message for message in sampler.describe().warnings)


def test_warnings_point_at_who_called() -> None:
    spec = {"mode": "shuffle", "repeat": 2, "children": [{"name": "a", "weight": 2}]}
    with pytest.warns(UserWarning) as told:
        TreeBatchSampler(TABLE, spec, 3, length=6)
        TreeSampler(TABLE, spec, length=6)
    assert [warning.filename for warning in told] == [__file__] * 3


@pytest.mark.parametrize("table", [{}, {"x": []}, {"x": [1], "y": [1, 2]}, 3, [[1]]])
def test_tables_are_checked(table: Any) -> None:
    assert "The 'table' parameter must" in refused({}, table)


@pytest.mark.parametrize("column", [3, "abc", np.array(3), np.ones((3, 2)), {1, 2, 3}])
def test_columns_are_vectors_and_named_where_they_are_not(column: Any) -> None:
    message = refused({"column": "x", "value": 1}, {"x": column})
    assert message.startswith("The 'table' parameter must hold a vector in column 'x'. Got ")


@pytest.mark.parametrize("column", [3, "abc", np.array(3)])
def test_columns_that_are_not_used_have_a_length(column: Any) -> None:
    assert "'table' parameter must hold a vector in column 'y'" in refused({}, {"y": column})


def test_length_must_be_a_number_or_a_known_name() -> None:
    spec = {"mode": "shuffle", **leaf(mode="shuffle")}
    for length in (0, -1, 1.5, True, []):
        assert "'length'" in refused(spec, length=length)
    assert "Got 'laef' instead. The nearest name is 'leaf'." in refused(spec, length="laef")


TOO_NESTED = (
    "The 'spec' parameter must have at most 1000000 mappings and lists, nested at most 128 deep. " "Got more instead."
)


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": "leaf"}
    for level in range(depth):
        node = {"name": f"node{level}", "children": [node]}
    return node


def in_brackets(depth: int) -> str:
    return "{name: a, children: [" * depth + "{name: leaf}" + "]}" * depth


def containing_itself(width: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": "a"}
    node["children"] = [node] * width
    return node


def repeating_its_parts(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": "a"}
    for _ in range(depth):
        node = {"name": "b", "children": [node, {**node, "name": "c"}]}
    return node


def list_in_itself() -> list[Any]:
    values: list[Any] = []
    values.append(values)
    return values


@pytest.mark.parametrize("spec", [nested(63), in_brackets(63)], ids=["dict", "YAML"])
def test_64_nodes_below_one_another_are_a_tree(spec: Any) -> None:
    assert len(TreeSampler({"x": [1, 2]}, spec, length=3, seed=1).tree) == 64


@pytest.mark.parametrize(
    "spec",
    [
        nested(64),
        nested(10_000),
        in_brackets(64),
        in_brackets(200),
        "[" * 5000,
        "- " * 5000,
        containing_itself(1),
        containing_itself(2),
        repeating_its_parts(60),
        list_in_itself(),
        {"children": list_in_itself()},
        {"column": "x", "op": "in", "value": list_in_itself()},
    ],
    ids=range(12),
)
def test_deep_and_endless_specifications_are_refused(spec: Any) -> None:
    with pytest.raises(ValueError) as refused:
        TreeSampler({"x": [1, 2]}, spec, length=3, seed=1)
    assert str(refused.value) == TOO_NESTED


@pytest.mark.parametrize("text", ["choice(" + "[" * 150 + "]" * 150 + ")", "choice(" + "-" * 10**5 + "1)"])
def test_a_deep_auxiliary_function_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"The 'a' parameter of 'auxiliary' must be uniform\(a, b\), "):
        TreeSampler({"x": [1, 2]}, {"auxiliary": {"a": text}}, length=3, seed=1)
