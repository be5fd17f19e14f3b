"""Trees in R: from Python's recipe, and declared in R with a table of R, the same in both."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import TreeBatchSampler
from rbridge.session import Session
from tests.bridge.recipes import assert_same_sampler

AUXILIARY = {
    "angle": "uniform(-10, 10)",
    "shift": "normal(0, 1)",
    "crop": "integers(-3, 3)",
    "side": "choice(['l', '\u00e9'])",
    "flip": "cycle([true, false])",
    "size": "choice([1, 2.5])",
    "self": "counter()",
}
DAY = pd.Timestamp("2020-01-01")
TIMES = pd.to_datetime(["2020-01-01 11:00:00", "2020-01-01 12:00:00.25", None]).tolist() * 8
TABLE = pd.DataFrame(
    {
        "label": ["active", "inactive", None, "inactive"] * 6,
        "size": ([1.0, 2.5, np.nan, 4.0, 0.5] * 5)[:24],
        "flag": [True, False] * 12,
        "day": pd.to_datetime(["2020-01-01", "2021-06-30"] * 12),
        "time": TIMES,
        "mass": np.arange(24) / 4,
    }
)
# The same table in R, with a level that no row has, and times of another zone.
IN_R = """
table = data.frame(
  label = factor(rep(c("active", "inactive", NA, "inactive"), 6), levels = c("inactive", "unused", "active")),
  size = rep(c(1, 2.5, NA, 4, 0.5), length.out = 24),
  flag = rep(c(TRUE, FALSE), 12),
  day = rep(as.Date(c("2020-01-01", "2021-06-30")), 12),
  time = rep(as.POSIXct("2020-01-01 12:00:00", tz = "Europe/Berlin") + c(0, 3600.25, NA), 8),
  mass = (0:23) / 4
)
"""
SPECIFICATIONS: list[dict[str, Any]] = [
    {
        "children": [
            {"name": "active", "column": "label", "value": "active", "weight": 0.3},
            {"name": "flagged", "column": "flag", "value": False, "row_weight": "mass", "weight": 0.2},
            {
                **{"name": "others", "column": "label", "op": "ne", "value": "active", "weight": "proportional(mass)"},
                "children": [
                    {"name": "each", "column": "size", "for_each": True, "missing": "stratum", "mode": "shuffle"},
                    {"name": "early", "column": "day", "op": "in", "value": [DAY], "prune": "individual"},
                ],
            },
        ],
        "auxiliary": AUXILIARY,
    },
    *(
        {"mode": "sequential", "column": "time", **condition}
        for condition in (
            {"value": TIMES[0]},
            {"op": "gt", "value": pd.Timestamp("2020-01-01 12:00:00.2")},
            {"op": "in", "value": TIMES[1::-1]},
            {"op": "between", "value": [DAY, pd.Timestamp("2020-01-01 11:30")]},
        )
    ),
    {},
]


def code_of(value: Any) -> str:
    """Return R code of a specification: lists, dates and times say the same as mappings."""
    if isinstance(value, (dict, list)):
        parts = (
            [f"{name} = {code_of(part)}" for name, part in value.items()]
            if isinstance(value, dict)
            else map(code_of, value)
        )
        return f"list({', '.join(parts)})"
    if isinstance(value, pd.Timestamp):
        return f"as.Date('{DAY.date()}')" if value == DAY else f"as.POSIXct('{value}', tz = 'UTC')"
    return json.dumps(value).upper() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("spec", SPECIFICATIONS)
def test_a_tree_declared_in_r_with_a_table_of_r_is_that_of_python(
    spec: dict[str, Any], r: Session, evaluated: Callable[[str], Any]
) -> None:
    sampler = TreeBatchSampler(TABLE, spec, 8, length=50, seed=7)
    given = f"{code_of(spec)}, batch_size = 8, length = 50, table = table, seed = 7"
    for made in (evaluated(f"{IN_R} rbridge::batch_sampler_tree({given})"), rbridge.as_torch_sampler(sampler)):
        instance = assert_same_sampler(r, sampler, made)
        told = list(r.call_function(instance["batches"], 3))[2:]  # nothing without auxiliary values
        found = {name: list(values) for aux in told for name, values in zip(aux.names, aux)}
        sampler.set_epoch(3)
        drawn = [row for batch in sampler for row in batch]
        assert found == {name: [row.aux[name] for row in drawn] for name in sampler.auxiliary_names}


def test_a_function_of_python_as_auxiliary_value_does_not_cross(tmp_path: Path) -> None:
    spec = {"mode": "shuffle", "auxiliary": {"own": lambda epoch, draw: draw}}
    sampler = TreeBatchSampler(TABLE, spec, 8, length=30, seed=7)
    text = "auxiliary values that R can draw. Got a function of Python instead. In R, give batch_sampler_tree() a"
    for cross in (rbridge.as_torch_sampler, lambda sampler: rbridge.export_r(sampler, tmp_path / "sampler.R")):
        with pytest.raises(ValueError, match=re.escape(f"The 'sampler' parameter must have {text}")):
            cross(sampler)
    assert not list(tmp_path.iterdir())
