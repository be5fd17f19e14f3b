"""Trees in R: from Python's recipe, and declared in R with a table of R, the same in both."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbridge
from pystrat import TreeBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe, columns_of, instance_of
from tests.reference.golden_vectors import GOLDEN

TABLE = {"label": ["active", "inactive"] * 12}


@pytest.mark.parametrize("auxiliary", [{}, {"auxiliary": {"step": "counter()", "u": "uniform(0, 1)"}}])
def test_epochs_without_an_end_go_on_alike_in_r(auxiliary: dict[str, Any], r: Session) -> None:
    sampler = TreeBatchSampler(TABLE, {"mode": "shuffle", **auxiliary}, 8, length=None, seed=7)
    instance = instance_of(r, sampler)
    r.call_function(instance["set_epoch"], 2)
    sampler.set_epoch(2)
    next_batch = r.call_function(instance[".iter"])
    for rows in islice(sampler, 3000):
        delivered = r.call_function(next_batch)
        assert (as_array(delivered) - 1).tolist() == rows
    if auxiliary:
        found = columns_of(r.rinterface.baseenv["attr"](delivered, "aux"))
        assert {name: list(values) for name, values in found.items()} == {
            name: [row.aux[name] for row in rows] for name in ("step", "u")
        }


def test_a_function_of_python_as_auxiliary_value_does_not_cross(tmp_path: Path) -> None:
    spec = {"mode": "shuffle", "auxiliary": {"own": lambda epoch, draw: draw}}
    sampler = TreeBatchSampler(TABLE, spec, 8, length=30, seed=7)
    text = "auxiliary values that R can draw. Got a function of Python instead. In R, give batch_sampler_tree() a"
    for cross in (rbridge.as_torch_sampler, lambda sampler: rbridge.export_r(sampler, tmp_path / "sampler.R")):
        with pytest.raises(ValueError, match=re.escape(f"The 'sampler' parameter must have {text}")):
            cross(sampler)
    assert not list(tmp_path.iterdir())


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
    """Golden vectors compare rows, not recipes. A specification crosses as text, since JSON is YAML."""
    cases = drawn_cases()
    assert len(cases) > 100
    for case in cases:
        spec, parameters = case["spec"], case["parameters"]
        sampler = TreeBatchSampler(case["table"], spec, **parameters)
        table = r.named_list(**{name: vector_in_r(r, values) for name, values in case["table"].items()})
        text = spec if isinstance(spec, str) else json.dumps(spec, ensure_ascii=False)
        assert_same_recipe(r, sampler, r.call("batch_sampler_tree", text, table=table, **parameters))
