"""The recipes of samplers that Python made and of those that R made from the same call: the same vectors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rbridge
from pystrat import BatchSampler, DownsampledBatchSampler, StratifiedBatchSampler
from pystrat.recipe import make_recipe
from rbridge.session import Session
from tests.bridge.recipes import assert_same_recipe

LABELS = [2.5, 1.0, 2.5, 1.0, 1.0, 1.0, 2.5, 3.0, 3.0, 3.0, 3.0]
MANY = np.arange(600) % 300 / 4


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
        {"multiplier": {"1": 1, "3": 0.75}, "batch_size": 4, "walk": True, "num_replicas": 2},
    ],
)
def test_downsampled(parameters: dict[str, Any], r: Session) -> None:
    in_python, in_r = dict(parameters), dict(parameters)
    if isinstance(parameters["multiplier"], dict):
        in_python["multiplier"] = {float(name): value for name, value in parameters["multiplier"].items()}
        in_r["multiplier"] = r.named_list(**parameters["multiplier"])
    sampler = DownsampledBatchSampler(LABELS, seed=7, **in_python)
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
