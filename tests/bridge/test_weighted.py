"""Uniform, weighted and prioritized batches in R: drawn by R itself, from the recipe, with the feedback so far."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import rbridge
from pystrat import PrioritizedBatchSampler, UniformBatchSampler
from pystrat.base import epoch_seed
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
from tests.bridge.training import TRAIN, WEIGHTS, evaluated, prioritized, trained_in_python, weighted
from tests.inside import recipe_of


def ranked() -> PrioritizedBatchSampler:
    return prioritized(method="rank")


MAKERS: dict[str, Callable[[], Any]] = {
    "weighted": weighted,
    "without replacement": lambda: weighted(replacement=False),
    "weighted replicas": lambda: weighted(num_replicas=3),
    "prioritized": prioritized,
    "prioritized replicas": lambda: prioritized(stratified=False, num_replicas=2),
    "ranked": lambda: prioritized(method="rank", alpha=1.5),
    "ranked replicas": lambda: prioritized(method="rank", stratified=False, num_replicas=2),
}
SAMPLERS = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))


def instance_of(r: Session, sampler: Any) -> Any:
    return r.call_function(rbridge.as_torch_sampler(sampler), None)


@SAMPLERS
def test_a_sampler_crosses_with_what_it_was_told(make: Callable[[], Any], r: Session, base: Any) -> None:
    sampler = make()
    trained_in_python(sampler, 1)
    rows = as_array(r.call_function(evaluated(base, TRAIN), rbridge.as_torch_sampler(sampler), 2))
    sampler.set_epoch(0)
    assert (rows - 1).tolist() == trained_in_python(sampler, 2)


def test_the_sampler_in_python_is_neither_asked_nor_changed(r: Session) -> None:
    sampler = weighted()
    instance = instance_of(r, sampler)
    iterator = r.call_function(instance[".iter"])
    assert float(instance["epoch"][0]) == 0 and int(r.call_function(instance[".length"])[0]) == 7
    first = as_array(r.call_function(iterator)) - 1
    assert first.tolist() == weighted().batches(0)[0].tolist()
    r.call_function(instance["update"], np.arange(1, 9, dtype=np.int32), np.eye(8)[6])
    assert as_array(r.call_function(iterator)).tolist() == [7, 7, 7]
    assert float(instance["epoch"][0]) == 1
    assert sampler.epoch == 0 and sampler.weights().tolist() == WEIGHTS


def test_values_cross_exactly_and_rows_count_from_1(r: Session) -> None:
    instance = instance_of(r, weighted())
    assert as_array(r.call_function(instance["weights"])).tolist() == WEIGHTS
    values = np.array([1 / 3, 5e-324, 1e300])
    r.call_function(instance["update"], np.array([8, 1, 2], dtype=np.int32), values)
    found = as_array(r.call_function(instance["weights"], np.array([8.0, 1.0, 2.0])))
    assert found.tolist() == values.tolist()
    buffer = instance_of(r, PrioritizedBatchSampler(0, 2, capacity=3, seed=1))
    assert as_array(r.call_function(buffer["append"], 2)).tolist() == [1, 2]
    assert as_array(r.call_function(buffer["append"])).tolist() == [3]


def test_errors_are_in_the_words_of_r(r: Session) -> None:
    instance = instance_of(r, weighted())
    of = "parameter must"
    with pytest.raises(rbridge.RError, match=f"The 'rows' {of} hold row positions from 1 to 8, counted from 1. Got 0 "):
        r.call_function(instance["update"], np.array([1, 0], dtype=np.int32), np.ones(2))
    with pytest.raises(rbridge.RError, match=f"The 'weights' {of} hold finite numbers, none below 0. Got -1 instead."):
        r.call_function(instance["update"], np.array([1], dtype=np.int32), np.array([-1.0]))
    r.call_function(instance["update"], np.arange(1, 9, dtype=np.int32), np.zeros(8))
    with pytest.raises(rbridge.RError, match="must not all be 0 when rows are drawn"):
        r.call_function(r.call_function(instance[".iter"]))


@SAMPLERS
@pytest.mark.parametrize("consumed", [1, 2, 4])
def test_a_resumed_sampler_goes_on_in_r(make: Callable[[], Any], consumed: int, r: Session, base: Any) -> None:
    """In the middle of an epoch, with the batches that were drawn for replicas but not trained on."""
    sampler, resumed = make(), make()
    iterator = iter(sampler)
    for _ in range(consumed):
        rows = next(iterator)
        sampler.update(rows, [1.5] * len(rows))
    state = sampler.state_dict(batches_consumed=consumed)
    resumed.load_state_dict(state)
    generator = rbridge.as_torch_sampler(resumed)
    assert_same_recipe(r, resumed, generator)
    rows = as_array(r.call_function(evaluated(base, TRAIN), generator, 2))
    assert (rows - 1).tolist() == trained_in_python(resumed, 2)
    instance = r.call_function(generator, None)
    r.call_function(instance["set_epoch"], 1)
    first = as_array(r.call_function(r.call_function(instance[".iter"]))) - 1
    assert first.tolist() == sampler.batches(1)[0].tolist(), "another epoch begins at its first batch"


@SAMPLERS
def test_samples_outside_epochs_are_those_of_python_and_go_on_in_r(make: Callable[[], Any], r: Session) -> None:
    sampler = make()
    instance = instance_of(r, sampler)
    found = [as_array(r.call_function(instance["sample"], k)) - 1 for k in (3, 1, 6, 2)]
    assert [rows.tolist() for rows in found] == [sampler.sample(k).tolist() for k in (3, 1, 6, 2)]
    sampler.update([0, 1], [2.5, 0.5])
    generator = rbridge.as_torch_sampler(sampler)
    assert_same_recipe(r, sampler, generator)
    rows = as_array(r.call_function(r.call_function(generator, None)["sample"], 5)) - 1
    assert rows.tolist() == sampler.sample(5).tolist()


# Parts of states, of a weighted sampler, of a prioritized one, and of one by ranks.
IMPOSSIBLE: list[tuple[Callable[[], Any], dict[str, Any], str]] = [
    (weighted, {"weights": np.ones(3)}, "have 8 doubles as 'weights'. Got 3 values instead."),
    (weighted, {"weights": np.ones(8, dtype=np.int32)}, "have 8 doubles as 'weights'. Got 8 values instead."),
    (weighted, {"batch": 8.0}, "have an integer from 0 to 7 as 'batch'. Got 8 instead."),
    (weighted, {"generator": None}, "have a place in an epoch as"),
    (weighted, {"sample_generator": np.zeros(9, dtype=np.int32)}, "have the 625 words of a generator as"),
    (weighted, {"sample_generator": np.full(625, 625, dtype=np.int32)}, "have the 625 words of a generator as"),
    (weighted, {"drawn": np.zeros(2, dtype=np.int32)}, "have whole batches of integers as 'drawn'. Got 2 values"),
    (weighted, {"drawn": np.full(3, 8, dtype=np.int32)}, "have rows from 0 to 7 as 'drawn'. Got 8 instead."),
    (weighted, {"drawn": np.full(3, -(2**31), dtype=np.int32)}, "have rows from 0 to 7 as 'drawn'. Got NA instead."),
    (prioritized, {"weights": np.zeros(8)}, "have finite numbers above 0 as 'weights'"),
    (prioritized, {"weights": np.ones(9)}, "have from 0 to 8 doubles as 'weights'. Got 9 values instead."),
    (prioritized, {"next_position": 8.0}, "have an integer from 0 to 7 as 'next_position'. Got 8 instead."),
    (prioritized, {"largest": -1.0}, "have a finite number of at least 0 as 'largest'. Got -1 instead."),
    (ranked, {"priorities": np.ones(9)}, "have from 0 to 8 doubles as 'priorities'. Got 9 values instead."),
    (ranked, {"priorities": np.array([1.0, np.nan])}, "have finite numbers, none below 0, as 'priorities'. Got others"),
    (ranked, {"priorities": np.array([1.0, -1.0])}, "have finite numbers, none below 0, as 'priorities'. Got others"),
    (ranked, {"next_position": 8.0}, "have an integer from 0 to 7 as 'next_position'. Got 8 instead."),
]


@pytest.mark.parametrize(("make", "changed", "text"), IMPOSSIBLE)
def test_a_state_that_cannot_be_is_refused(
    make: Callable[[], Any], changed: dict[str, Any], text: str, r: Session
) -> None:
    resumed, sampler = make(), make()
    next(iter(sampler))
    resumed.load_state_dict(sampler.state_dict(batches_consumed=1))
    recipe = recipe_of(resumed)
    state = {name: value for name, value in {**recipe.state, **changed}.items() if value is not None}
    vectors = [r.named_list(**part) for part in (recipe.parts, state, recipe.labels)]
    with pytest.raises(rbridge.RError, match=text):
        r.call("generator_from_python", recipe.kind, 5, *vectors)


def test_a_beta_that_is_a_function_of_python_is_asked_there(r: Session) -> None:
    asked: list[int] = []

    def beta(batch: int) -> float:
        asked.append(batch)
        return batch / 4

    sampler = prioritized(alpha=1, beta=beta, epsilon=0.5)
    sampler.update(range(8), [0, 0.5, 1.5, 3.5, 0, 0, 0, 0])
    instance = instance_of(r, sampler)
    found = r.call_function(instance["importance_weights"], np.arange(1, 5, dtype=np.int32), 4)
    assert as_array(found).tolist() == [1, 0.5, 0.25, 0.125] and asked == [4]
    with pytest.raises(rbridge.RError, match="'batch' parameter must be given if 'beta'"):
        r.call_function(instance["importance_weights"], 1)
    failing = instance_of(r, prioritized(beta=lambda batch: 1 / batch))
    with pytest.raises(rbridge.RError, match="ZeroDivisionError: division by zero"):
        r.call_function(failing["importance_weights"], 1, 0)


FROM_R = """
pystrat = reticulate::import("pystrat")
train = {train}
weighted = function() pystrat$WeightedBatchSampler(c({weights}), 3, n_batches = 7, seed = 5)
prioritised = pystrat$PrioritizedBatchSampler(8, 3, n_batches = 7, seed = 5, stratified = TRUE)
reticulate::py_run_string("beta = lambda batch: batch / 4")
with_beta = pystrat$PrioritizedBatchSampler(8, 3, alpha = 1, epsilon = 0.5, beta = reticulate::py_eval("beta", FALSE))
with_beta$update(0:1, c(0, 3.5))
sampler = rbridge::batch_sampler_python(weighted())(NULL)
sampler$update(2, 1 / 3)
resumed = weighted()
resumed$load_state_dict(weighted()$state_dict())
cat(jsonlite::toJSON(digits = NA, list(
  weighted = train(rbridge::batch_sampler_python(weighted()), 2) - 1L,
  prioritised = train(rbridge::batch_sampler_python(prioritised), 2) - 1L,
  resumed = train(rbridge::batch_sampler_python(resumed), 2) - 1L,
  weights = sampler$weights(2),
  importance = rbridge::batch_sampler_python(with_beta)(NULL)$importance_weights(1:2, 4),
  class = class(sampler)[1L]
)))
"""


def test_from_r_through_reticulate(rscript: Callable[..., str]) -> None:
    code = FROM_R.format(train=TRAIN, weights=", ".join(map(str, WEIGHTS)))
    told = json.loads(rscript(code, RETICULATE_PYTHON=sys.executable))
    assert told["weighted"] == told["resumed"] == trained_in_python(weighted(), 2)
    assert told["prioritised"] == trained_in_python(prioritized(), 2)
    assert told["weights"] == [0.333333333333333]
    assert told["importance"] == [1, 0.125]
    assert told["class"] == ["batch_sampler_weighted"]


def test_exported_samplers_go_on_without_python(rscript: Callable[..., str], tmp_path: Path) -> None:
    scripts, expected = [], []
    for name, make in MAKERS.items():
        sampler = make()
        trained_in_python(sampler, 1)
        scripts.append(str(rbridge.export_r(sampler, tmp_path / f"{name}.R")))
        sampler.set_epoch(0)
        expected.append(trained_in_python(sampler, 2))
    code = f"""
    train = {TRAIN}
    trained = lapply(c({", ".join(map(repr, scripts))}), function(script) train(source(script)$value, 2) - 1L)
    stopifnot(!"reticulate" %in% loadedNamespaces())
    cat(jsonlite::toJSON(trained))
    """
    assert json.loads(rscript(code)) == expected


def test_uniform_batches_are_those_of_a_live_r(base: Any) -> None:
    for n, k, epoch in ((10, 3, 0), (70_000, 100, 2), (70_000, 70_000, 1)):
        sampler = UniformBatchSampler(n, k, n_batches=3, seed=9)
        draws = "function(s, n, k) { set.seed(s); unlist(lapply(1:3, function(i) sample.int(n, k, useHash = FALSE))) }"
        kept = base["RNGkind"]()
        base["RNGkind"]("Mersenne-Twister", "Inversion", "Rejection")
        found = as_array(evaluated(base, draws)(epoch_seed(9, epoch), n, k)) - 1
        base["RNGkind"](*kept)
        assert sampler.batches(epoch).rows.tolist() == found.tolist()
        delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n)
        assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()
