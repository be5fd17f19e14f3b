"""The recipes that Python and R make from the same call: the same vectors."""

from __future__ import annotations

import datetime
import re
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import BatchSampler, StrataSubsetBatchSampler
from pystrat.recipe import make_recipe
from rbridge.session import Session
from tests.bridge.recipes import assert_same_recipe


TYPED: dict[str, tuple[Any, str]] = {
    "integers": ([1, 0], "c(1L, 0L)"),
    "wide integers": ([2**40, 3], "c(2^40, 3)"),
    "numbers": ([1.5, None], "c(1.5, NA)"),
    "numbers with more digits": ([0.1 + 0.2, 1.0], "c(0.1 + 0.2, 1)"),
    "logical values": ([True, False], "c(TRUE, FALSE)"),
    "text": (["b", None], "list(c('b', NA))"),
    "days": ([datetime.date(2020, 1, 2), None], "as.Date(c('2020-01-02', NA))"),
    "times": (
        [datetime.datetime(2020, 1, 2, 12), datetime.datetime(2020, 1, 1)],
        "as.POSIXct(c('2020-01-02T12:00:00', '2020-01-01T00:00:00'), 'UTC', '%Y-%m-%dT%H:%M:%S')",
    ),
    "ordered categories": (
        pd.Categorical(["low", "high", None], ["low", "high"], ordered=True),
        "factor(c('low', 'high', NA), levels = c('low', 'high'), ordered = TRUE)",
    ),
    "several columns": (pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}), "data.frame(x = 1:2, y = c('a', 'b'))"),
}


@pytest.mark.parametrize("name", TYPED)
def test_tables_of_strata_in_r_have_columns_of_the_types_of_the_labels(name: str, r: Session) -> None:
    labels, in_r = TYPED[name]
    base = r.rinterface.baseenv
    strata = base["eval"](base["str2lang"](in_r), base["baseenv"]())
    sampler = StrataSubsetBatchSampler(labels, 1, 1, missing="stratum", seed=7)
    generator = r.call("batch_sampler_strata_subset", 1, 1, strata=strata, missing="stratum", seed=7)
    crossed = rbridge.as_torch_sampler(sampler)
    tables = []
    for made in (generator, crossed):
        assert_same_recipe(r, sampler, made)
        tables.append(r.call_function(r.call_function(made, None)["plan"]))
    assert base["identical"](*tables)[0]
    if name == "integers":
        column = base["[["](tables[1], "stratum")
        assert isinstance(column, r.rinterface.IntSexpVector) and list(column) == [1, 0]


def test_a_recipe_takes_plain_values_only() -> None:
    recipe = make_recipe("any", seed=1, parts={"flag": True, "number": 3, "text": "a", "none": None})
    found = {name: list(vector) for name, vector in recipe.parts.items()}
    assert found == {"flag": [1], "number": [3.0], "text": ["a"]}
    assert [getattr(vector, "dtype", None) for vector in recipe.parts.values()] == [np.int32, np.float64, None]
    for wrong in (np.arange(3), np.zeros((2, 2)), object()):
        with pytest.raises(TypeError, match="vector 'wrong' of a recipe cannot be"):
            make_recipe("any", seed=1, parts={"wrong": wrong})


class Unknown(BatchSampler):
    def _epoch_batches(self, epoch: int) -> Any:
        return []

    def _global_length(self) -> int:
        return 0


def test_a_subclass_gives_a_recipe_or_a_fingerprint() -> None:
    with warnings.catch_warnings(), pytest.raises(NotImplementedError, match="neither _recipe"):
        Unknown(seed=1).state_dict()


def test_the_example_for_r_in_the_documents(rscript: Callable[..., str]) -> None:
    document = Path(__file__).parents[2] / "docs" / "batches.md"
    printed = rscript(document.read_text(encoding="utf-8").split("```r\n")[1].split("```")[0])
    assert "100, of 20 rows, each with at least 5 rows of every stratum" in printed
    assert re.search(r"positive +500 +60 +5 +5\n +negative +1500 +1940 +15 +15", printed)
