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
from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    NoDuplicatesBatchSampler,
    OneStratumBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
)
from pystrat.recipe import make_recipe
from rbridge.session import Session
from tests.bridge.recipes import assert_same_recipe, assert_same_sampler

LABELS = [2.5, 1.0, 2.5, 1.0, 1.0, 1.0, 2.5, 3.0, 3.0, 3.0, 3.0]
MANY = np.arange(600.0) % 300


@pytest.mark.parametrize(
    "parameters",
    [
        {"strata_per_batch": 2, "min_samples_per_stratum": 1},
        {"strata_per_batch": 3, "min_samples_per_stratum": 2, "num_replicas": 1},
        {"strata_per_batch": 2, "min_samples_per_stratum": 2, "exact": True},
        {"strata_per_batch": 1, "min_samples_per_stratum": 4, "exact": True, "rare": "allow"},
        {"strata_per_batch": 1, "min_samples_per_stratum": 4, "rare": "allow", "num_replicas": 2},
        {"strata_per_batch": 2, "min_samples_per_stratum": 2, "balance": "mean"},
        {"strata_per_batch": 1, "min_samples_per_stratum": 4, "balance": 5, "rare": "allow"},
        {"strata_per_batch": 2, "mean_batch_size": 5, "rare": "allow"},
    ],
)
@pytest.mark.parametrize("labels", [LABELS, MANY], ids=["bytes", "integers"])
def test_strata_subset(parameters: dict[str, Any], labels: Any, r: Session) -> None:
    if labels is MANY and "min_samples_per_stratum" in parameters:  # two rows of each stratum
        parameters = {**parameters, "min_samples_per_stratum": min(2, parameters["min_samples_per_stratum"])}
    sampler = StrataSubsetBatchSampler(labels, seed=7, **parameters)
    generator = r.call("batch_sampler_strata_subset", strata=np.array(labels, dtype=np.float64), seed=7, **parameters)
    assert_same_sampler(r, sampler, generator)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_per_stratum": 1},
        {"min_samples_per_stratum": 2, "num_replicas": 1},
        {"min_samples_per_stratum": 10**12, "rare": "allow", "missing": "stratum"},
        {"min_samples_per_stratum": 1, "keep": "apart"},
        {"min_samples_per_stratum": 1, "keep": "together"},
        {"mean_batch_size": 1, "rare": "allow", "keep": "together"},
        {"mean_batch_size": 4, "rare": "allow", "num_replicas": 2},
        {"mean_batch_size": 1, "rare": "allow", "keep": "apart"},
    ],
)
@pytest.mark.parametrize("labels", [LABELS, MANY], ids=["bytes", "integers"])
def test_grouped(parameters: dict[str, Any], labels: Any, r: Session) -> None:
    groups = [3.5, 2, 3.5, 2, 2, 7, 4, 5, 6, 6, 6] if labels is LABELS else np.arange(600.0)
    if "keep" in parameters:  # groups may have rows of several strata
        groups = np.arange(len(labels)) % 4 / 2
    sampler = StratifiedGroupBatchSampler(labels, groups=groups, seed=7, **parameters)
    strata, groups_in_r = np.array(labels, dtype=np.float64), np.array(groups, dtype=np.float64)
    generator = r.call("batch_sampler_stratified_group", strata=strata, groups=groups_in_r, seed=7, **parameters)
    assert_same_sampler(r, sampler, generator)


def by_text(r: Session, numbers: dict[Any, Any]) -> Any:
    """Return numbers of strata as R has them, whose names are text."""
    return r.named_list(**{str(label): number for label, number in numbers.items()})


@pytest.mark.parametrize("parameters", [{}, {"order": "round_robin"}, {"shuffle": False}, {"num_replicas": 4}])
@pytest.mark.parametrize("labels", [LABELS, MANY], ids=["bytes", "integers"])
def test_one_stratum(parameters: dict[str, Any], labels: Any, r: Session) -> None:
    sampler = OneStratumBatchSampler(labels, 2, seed=7, **parameters)
    strata = np.array(labels, dtype=np.float64)
    generator = r.call("batch_sampler_one_stratum", 2, strata=strata, seed=7, **parameters)
    crossed = rbridge.as_torch_sampler(sampler)
    for made in (generator, crossed):
        assert_same_recipe(r, sampler, made)
        delivered = rbridge.collect_rows(made, n_rows=len(labels))
        assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
        assert delivered.offsets.tolist() == sampler.batches(0).offsets.tolist()


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


@pytest.mark.parametrize(
    "columns, parameters",
    [
        (1, {}),
        (1, {"strata": LABELS, "min_samples_per_stratum": 1}),
        (2, {"num_replicas": 2}),
        (2, {"across_columns": True}),
        (3, {}),
    ],
)
@pytest.mark.filterwarnings("ignore:Rows that share values")
def test_no_duplicates(columns: int, parameters: dict[str, Any], r: Session) -> None:
    numbers = [np.array(LABELS), np.arange(11) % 4 + 0.5, np.arange(11.0)]
    keys = dict(zip("abc", numbers[3 - columns :]))
    given = {name: np.array(value) if name == "strata" else value for name, value in parameters.items()}
    sampler = NoDuplicatesBatchSampler(keys, 4, seed=7, **parameters)
    generator = r.call("batch_sampler_no_duplicates", 4, keys=r.named_list(**keys), seed=7, **given)
    crossed = rbridge.as_torch_sampler(sampler)
    for made in (generator, crossed):
        assert_same_recipe(r, sampler, made)
        delivered = rbridge.collect_rows(made, n_rows=11)
        assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_per_stratum": {1: 2, 2.5: 1}},
        {"mean_batch_size": 4, "shares": {1: 1.5, 2.5: 1, 3: 0.5}},
        {"mean_batch_size": 4, "temperature": 3, "cap": 5},
        {"mean_batch_size": 3, "balance": "over"},
        {"mean_batch_size": 3, "balance": 7, "num_replicas": 2},
        {"min_samples_per_stratum": 2, "mean_batch_size": 7, "rare": "repeat"},
        {"mean_batch_size": 5, "drop": "balanced"},
    ],
)
def test_what_is_wanted_in_a_batch(parameters: dict[str, Any], shuffle: bool, r: Session) -> None:
    sampler = StratifiedBatchSampler(LABELS, seed=7, shuffle=shuffle, **parameters)
    in_r = {name: by_text(r, value) if isinstance(value, dict) else value for name, value in parameters.items()}
    strata = np.array(LABELS, dtype=np.float64)
    generator = r.call("batch_sampler_stratified", strata=strata, seed=7, shuffle=shuffle, **in_r)
    assert_same_recipe(r, sampler, generator)
    crossed = rbridge.as_torch_sampler(sampler)
    assert_same_recipe(r, sampler, crossed)
    for made in (generator, crossed):
        delivered = rbridge.collect_rows(made, n_rows=len(LABELS))
        assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
        assert delivered.offsets.tolist() == sampler.batches(0).offsets.tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_per_stratum": 1},
        {"min_samples_per_stratum": 2, "assign": "even", "num_replicas": 1},
        {"mean_batch_size": 4, "rare": "allow", "missing": "drop"},
        {"mean_batch_size": 4, "shuffle": False, "rare": "allow"},
    ],
)
@pytest.mark.parametrize("labels", [LABELS, MANY], ids=["bytes", "integers"])
def test_stratified(parameters: dict[str, Any], labels: Any, r: Session) -> None:
    sampler = StratifiedBatchSampler(labels, seed=7, **parameters)
    strata = np.array(labels, dtype=np.float64)
    generator = r.call("batch_sampler_stratified", strata=strata, seed=7, **parameters)
    assert_same_recipe(r, sampler, generator)
    assert_same_recipe(r, sampler, rbridge.as_torch_sampler(sampler))


@pytest.mark.parametrize(
    "parameters",
    [
        {"multiplier": 0.5, "batch_size": 6, "majority": 1.0},
        {"multiplier": {1: 1, 3: 0.75}, "batch_size": 4, "in_turn": True, "num_replicas": 2},
    ],
)
def test_downsampled(parameters: dict[str, Any], r: Session) -> None:
    in_r = {name: by_text(r, value) if isinstance(value, dict) else value for name, value in parameters.items()}
    sampler = DownsampledBatchSampler(LABELS, seed=7, **parameters)
    generator = r.call("batch_sampler_downsampled", strata=np.array(LABELS), seed=7, **in_r)
    assert_same_recipe(r, sampler, generator)
    assert_same_recipe(r, sampler, rbridge.as_torch_sampler(sampler))


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
