"""The tree sampler in R: from Python's recipe, and declared in R with a table or a task; the same in both."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import TreeBatchSampler, TreeSampler
from rbridge._install import find_r
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
from tests.inside import recipe_of
from tests.reference.golden_vectors import GOLDEN

TABLE = pd.DataFrame(
    {
        "label": ["active", "inactive", None, "inactive"] * 10,
        "size": [1.0, 2.5, np.nan, 4.0, 0.5] * 8,
        "flag": [True, False] * 20,
        "day": pd.to_datetime(["2020-01-01", "2021-06-30"] * 20),
        "mass": np.arange(40) / 4,
    }
)
SPEC: dict[str, Any] = {
    "children": [
        {"name": "active", "column": "label", "value": "active", "weight": 0.3},
        {"name": "flagged", "column": "flag", "value": False, "row_weight": "mass", "weight": 0.2},
        {
            "name": "others",
            "column": "label",
            "op": "ne",
            "value": "active",
            "weight": "proportional(mass)",
            "children": [
                {"name": "each", "column": "size", "for_each": True, "missing": "stratum", "mode": "shuffle"},
                {"name": "early", "column": "day", "op": "in", "value": ["2020-01-01"], "prune": "individual"},
            ],
        },
    ],
    "auxiliary": {
        "angle": "uniform(-10, 10)",
        "side": "choice(['l', 'r'])",
        "flip": "cycle([true, false])",
        "self": "counter()",
    },
}

# The same specification as R writes it; R's dates cross as dates.
FROM_R = """
library(rbridge)
spec = list(
  children = list(
    list(name = "active", column = "label", value = "active", weight = 0.3),
    list(name = "flagged", column = "flag", value = FALSE, row_weight = "mass", weight = 0.2),
    list(name = "others", column = "label", op = "ne", value = "active", weight = "proportional(mass)",
      children = list(
        list(name = "each", column = "size", for_each = TRUE, missing = "stratum", mode = "shuffle"),
        list(name = "early", column = "day", op = "in", value = list(as.Date("2020-01-01")), prune = "individual")
      ))
  ),
  auxiliary = list(angle = "uniform(-10, 10)", side = "choice(['l', 'r'])", flip = "cycle([true, false])",
    self = "counter()")
)
table = data.frame(
  label = factor(rep(c("active", "inactive", NA, "inactive"), 10), levels = c("inactive", "unused", "active")),
  size = rep(c(1, 2.5, NA, 4, 0.5), 8),
  flag = rep(c(TRUE, FALSE), 20),
  day = rep(as.Date(c("2020-01-01", "2021-06-30")), 20),
  mass = (0:39) / 4
)
generator = batch_sampler_tree(spec, batch_size = 8, length = 50, table = table, seed = 7)
sampler = generator(NULL)
found = sampler$batches(2)
sampler$set_epoch(2)
batches = list()
following = sampler$.iter()
while (!coro::is_exhausted(batch <- following())) batches[[length(batches) + 1L]] = batch

task = mlr3::as_task_classif(cbind(table["flag"], x = 1, label = factor(rep(c("a", "b"), each = 20))), target = "label")
task$filter(11:30)
task$set_col_roles("flag", character())
yaml = "mode: sequential\\nchildren:\\n  - {name: each, column: flag, for_each: true, mode: sequential}\\n"
of_task = batch_sampler_tree(yaml, 4, "root", seed = 1)
of_task = tryCatch(of_task(NULL), error = conditionMessage)
ingress = mlr3torch::TorchIngressToken(features = "x", batchgetter = mlr3torch::batchgetter_num, shape = c(NA, 1))
dataset = mlr3torch::task_dataset(task, list(x = ingress))
by_task = batch_sampler_tree(yaml, 4, "root", seed = 1)(dataset)$batches(0)

times = data.frame(time = rep(as.POSIXct("2020-01-01 12:00:00", tz = "Europe/Berlin") + c(0, 3600.25, NA), 8))
of_times = function(...) {
  spec = list(mode = "sequential", column = "time", ...)
  batch_sampler_tree(spec, 4, "root", table = times, seed = 1)(NULL)$batches(0)$rows
}
message_of = function(code) tryCatch(code, error = conditionMessage)
pairs = list(mode = "shuffle", `repeat` = 2, children = list(
  list(name = "protein", column = "protein", for_each = TRUE, mode = "sequential", prune = "individual",
    children = list(
      list(name = "active", column = "label", value = "active", mode = "shuffle", prune = "parent"),
      list(name = "inactive", column = "label", value = "inactive", mode = "shuffle", prune = "parent")
    ))
))
proteins = data.frame(
  label = rep(c("active", "inactive", "inactive"), 10), protein = rep(letters[1:7], length.out = 30)
)
cat(jsonlite::toJSON(digits = NA, list(
  equal_time = of_times(value = as.POSIXct("2020-01-01 11:00:00", tz = "UTC")),
  later_time = of_times(op = ">", value = as.POSIXct("2020-01-01 12:00:00.2", tz = "UTC")),
  listed_time = of_times(op = "in", value = times$time[2:1]),
  from_midnight = of_times(op = "between",
    value = list(as.Date("2020-01-01"), as.POSIXct("2020-01-01 11:30", tz = "UTC"))),
  empty_root = batch_sampler_tree(list(), 4, 12, table = times, seed = 1)(NULL)$batches(0)$rows,
  empty_auxiliary = is.null(
    batch_sampler_tree(list(auxiliary = list()), 4, 12, table = times, seed = 1)(NULL)$batches(0)$aux
  ),
  empty_children = message_of(batch_sampler_tree(list(children = list()), 4, 12)),
  warned = tryCatch(
    batch_sampler_tree(
      list(mode = "shuffle", children = list(list(name = "a", weight = 2))), 4, 12, table = times
    )(NULL),
    warning = conditionMessage
  ),
  bad_value = message_of(batch_sampler_tree(list(column = "time", value = 1), 4, 12, table = times)(NULL)),
  missing_value = message_of(batch_sampler_tree(list(column = "time", value = NA), 4, 12)),
  pairs = batch_sampler_tree(pairs, 4, "root", table = proteins, seed = 3)(NULL)$batches(1)$rows,
  no_spec = message_of(batch_sampler_tree(list(pairs = pairs)$piars, 4, 12, table = proteins)),
  counted = found$aux$self,
  rows = found$rows, offsets = found$offsets, angle = found$aux$angle, side = found$aux$side, flip = found$aux$flip,
  iterated = unlist(batches), iterated_side = unlist(lapply(batches, function(batch) attr(batch, "aux")$side)),
  delivered = collect_rows(generator, 40)$rows,
  class = class(generator), length = sampler$.length(), python = "reticulate" %in% loadedNamespaces(),
  without_task = of_task, by_task = by_task$rows,
  bad_spec = tryCatch(batch_sampler_tree(list(mode = "random"), 4, 10), error = conditionMessage),
  bad_length = tryCatch(
    batch_sampler_tree(list(mode = "shuffle"), 4, "rot", table = table)(NULL), error = conditionMessage
  ),
  no_column = tryCatch(
    batch_sampler_tree(list(column = "nowhere", value = 1), 4, 10, table = table)(NULL), error = conditionMessage
  )
)))
"""


def sampler_of(**parameters: Any) -> TreeBatchSampler:
    spec = json.loads(json.dumps(SPEC))
    spec["children"][2]["children"][1]["value"] = [pd.Timestamp("2020-01-01")]
    return TreeBatchSampler(TABLE, spec, 8, **{"length": 50, "seed": 7, **parameters})


def test_from_python_with_auxiliary_values(r: Session) -> None:
    sampler = sampler_of()
    generator = rbridge.as_torch_sampler(sampler)
    delivered = rbridge.collect_rows(generator, len(TABLE))
    assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
    assert np.diff(delivered.offsets).tolist() == [8, 8, 8, 8, 8, 8, 2]
    instance = r.call_function(generator, None)
    found = r.call_function(r.rinterface.baseenv["$"](instance, "batches"), 3.0)
    aux = dict(zip(found[2].names, found[2]))
    expected = sampler.auxiliary_values(3)
    assert as_array(aux["angle"]).tolist() == expected["angle"].tolist()
    assert list(aux["side"]) == expected["side"].tolist()
    assert [bool(value) for value in aux["flip"]] == expected["flip"].tolist()
    assert as_array(aux["self"]).tolist() == list(range(50)), "any name will do"


def test_single_rows_from_python_are_batches_of_one() -> None:
    sampler = TreeSampler(TABLE, {"mode": "shuffle"}, length=30, seed=7)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), len(TABLE))
    assert [batch.tolist() for batch in delivered] == [[row] for row in sampler]


@pytest.mark.parametrize("auxiliary", [{}, {"auxiliary": {"step": "counter()", "u": "uniform(0, 1)"}}])
def test_epochs_without_an_end_go_on_alike_in_r(auxiliary: dict[str, Any], r: Session) -> None:
    sampler = TreeBatchSampler(TABLE, {"mode": "shuffle", **auxiliary}, 8, length=None, seed=7)
    generator = rbridge.as_torch_sampler(sampler)
    instance = r.call_function(generator, None)
    r.call_function(instance["set_epoch"], 2)
    sampler.set_epoch(2)
    next_batch = r.call_function(instance[".iter"])
    for rows in islice(sampler, 3000):
        delivered = r.call_function(next_batch)
        assert (as_array(delivered) - 1).tolist() == rows
    if auxiliary:
        values = r.rinterface.baseenv["attr"](delivered, "aux")
        found = dict(zip(values.names, (as_array(column).tolist() for column in values)))
        assert found == {name: [row.aux[name] for row in rows] for name in ("step", "u")}


def test_a_function_of_python_as_auxiliary_value_does_not_cross(tmp_path: Path) -> None:
    spec = {"mode": "shuffle", "auxiliary": {"own": lambda epoch, draw: draw}}
    sampler = TreeBatchSampler(TABLE, spec, 8, length=30, seed=7)
    text = "have auxiliary values that R can draw. Got a function of Python instead. In R, give batch_sampler_tree() a"
    for name, call in (
        ("as_torch_sampler", lambda: rbridge.as_torch_sampler(sampler)),
        ("export_r", lambda: rbridge.export_r(sampler, tmp_path / "sampler.R")),
    ):
        with pytest.raises(ValueError, match=re.escape(f"The 'sampler' parameter must {text}")):
            call()
    assert not list(tmp_path.iterdir())


def test_auxiliary_values_of_every_kind_are_in_both_recipes(r: Session) -> None:
    auxiliary = {
        "angle": "uniform(-1, 2.5)",
        "shift": "normal(0, 1)",
        "crop": "integers(-3, 3)",
        "side": "choice(['l', 'é'])",
        "flip": "cycle([true, false])",
        "size": "choice([1, 2.5])",
        "step": "counter()",
    }
    sampler = TreeBatchSampler({"x": [1.0, 2.0]}, {"auxiliary": auxiliary}, 2, length=4, seed=1)
    table = r.named_list(x=np.array([1.0, 2.0]))
    generator = r.call("batch_sampler_tree", json.dumps({"auxiliary": auxiliary}), 2, 4, table=table, seed=1)
    assert_same_recipe(r, sampler, generator)
    recipe = recipe_of(sampler)
    assert recipe.parts["kinds"] == ["number", "number", "number", "text", "logical", "number", "number"]
    assert recipe.parts["texts"] == ["l", "é"]


@pytest.fixture(scope="module")
def from_r(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    script = tmp_path_factory.mktemp("tree") / "tree.R"
    script.write_text(FROM_R, encoding="utf-8")
    program = find_r("Rscript")
    assert program is not None, "Rscript was not found"
    done = subprocess.run([program, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_declared_in_r_with_a_table_of_r(from_r: dict[str, Any]) -> None:
    sampler = sampler_of()
    expected = sampler.batches(2)
    assert [row - 1 for row in from_r["rows"]] == expected.rows.tolist()
    assert from_r["offsets"] == expected.offsets.tolist()
    values = sampler.auxiliary_values(2)
    assert from_r["angle"] == pytest.approx(values["angle"].tolist(), rel=1e-14)  # 15 digits cross as JSON
    assert from_r["side"] == values["side"].tolist()
    assert from_r["flip"] == values["flip"].tolist()
    assert from_r["counted"] == values["self"].tolist()
    assert from_r["class"] == ["batch_sampler_tree", "batch_sampler_generator", "torch_sampler"]
    assert from_r["python"] == [False]
    assert from_r["length"] == [7]
    assert [row - 1 for row in from_r["delivered"]] == sampler.batches(0).rows.tolist()


def test_a_batch_in_r_carries_its_auxiliary_values(from_r: dict[str, Any]) -> None:
    assert from_r["iterated"] == from_r["rows"]
    assert from_r["iterated_side"] == from_r["side"]


def test_declared_in_r_for_a_task_of_mlr3torch(from_r: dict[str, Any]) -> None:
    spec = {"mode": "sequential", "children": [{"name": "e", "column": "x", "for_each": True, "mode": "sequential"}]}
    sampler = TreeBatchSampler({"x": [True, False] * 10}, spec, 4, length="root", seed=1)
    assert [row - 1 for row in from_r["by_task"]] == sampler.batches(0).rows.tolist()
    assert "'table' parameter must be given if the dataset has no task" in str(from_r["without_task"])


def test_times_of_r_are_compared_in_utc_to_the_microsecond(from_r: dict[str, Any]) -> None:
    first, second = list(range(1, 25, 3)), list(range(2, 25, 3))
    assert from_r["equal_time"] == from_r["from_midnight"] == first
    assert from_r["later_time"] == second
    assert from_r["listed_time"] == sorted(first + second)


def test_an_empty_list_of_r_is_a_root_without_keys(from_r: dict[str, Any]) -> None:
    expected = TreeBatchSampler({"x": range(24)}, {}, 4, length=12, seed=1).batches(0)
    assert [row - 1 for row in from_r["empty_root"]] == expected.rows.tolist()
    assert from_r["empty_auxiliary"] == [True]
    assert "The 'children' parameter of node 'root' must be a list" in from_r["empty_children"][0]


def test_siamese_pairs_as_a_list_of_r(from_r: dict[str, Any]) -> None:
    table = {"label": ["active", "inactive", "inactive"] * 10, "protein": list("abcdefg" * 5)[:30]}
    spec = Path(__file__).parents[2] / "examples" / "tree" / "6-siamese-pairs.yaml"
    sampler = TreeBatchSampler(table, spec, 4, length="root", seed=3)
    assert [row - 1 for row in from_r["pairs"]] == sampler.batches(1).rows.tolist()


def test_no_specification_in_r_is_refused(from_r: dict[str, Any]) -> None:
    expected = "The 'spec' parameter must be a mapping: the root node. Got nothing instead."
    assert from_r["no_spec"] == [expected]


def test_a_weight_without_effect_is_warned_of_in_r(from_r: dict[str, Any]) -> None:
    assert from_r["warned"] == [
        "The 'weight' of node 'root/a' has no effect: its parent 'root' has the mode 'shuffle', not 'replacement'."
    ]


def test_missing_values_in_a_specification_of_r_are_refused(from_r: dict[str, Any]) -> None:
    assert "must have no missing values. Got NA in 'value' instead." in from_r["missing_value"][0]


def test_refusals_in_r_are_in_the_words_of_python(from_r: dict[str, Any]) -> None:
    assert "The 'mode' parameter of node 'root' must be one of" in from_r["bad_spec"][0]
    assert "Got 'rot' instead. The nearest name is 'root'." in from_r["bad_length"][0]
    assert "The 'value' parameter of node 'root' must be a date" in from_r["bad_value"][0]
    assert "must have one column 'nowhere'" in from_r["no_column"][0]


def vector_in_r(r: Session, values: list[Any]) -> Any:
    """Return a column of a table as a vector in R; a missing value among texts or logical values has a type there."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str}:
        return r.rinterface.StrSexpVector([r.rinterface.NA_Character if value is None else value for value in values])
    if kinds == {bool}:
        return r.rinterface.BoolSexpVector([r.rinterface.NA_Logical if value is None else value for value in values])
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def drawn_cases() -> list[dict[str, Any]]:
    """Return the inputs of golden vectors that have something to draw, and no days or times."""
    cases = json.loads((GOLDEN / "tree.json").read_text(encoding="utf-8"))["cases"]
    drawn = [case["input"] for case in cases if "error" not in case["expected"] and case["input"]["epochs"]]
    return [case for case in drawn if not re.search("day|time", json.dumps([case["table"], case["spec"]]))]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_nodes_that_both_languages_make_of_a_specification_are_the_same(r: Session) -> None:
    """Golden vectors compare rows, not saved states. A specification crosses as text, since JSON is YAML."""
    cases = drawn_cases()
    assert len(cases) > 100
    for case in cases:
        spec, parameters = case["spec"], case["parameters"]
        sampler = TreeBatchSampler(case["table"], spec, **parameters)
        table = r.named_list(**{name: vector_in_r(r, values) for name, values in case["table"].items()})
        text = spec if isinstance(spec, str) else json.dumps(spec, ensure_ascii=False)
        assert_same_recipe(r, sampler, r.call("batch_sampler_tree", text, table=table, **parameters))
