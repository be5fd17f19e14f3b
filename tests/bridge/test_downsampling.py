"""Downsampling in R: the native sampler, with the same rows, weights and errors, independent of Python."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbridge
from pystrat import DownsampledBatchSampler, correct_probabilities
from rbridge.session import Session, as_array
from tests.bridge.training import evaluated

LABELS = np.random.default_rng(1).permutation(np.repeat(["yes", "no", "perhaps", "self"], [30, 400, 90, 150]))
PARAMETERS: list[dict[str, Any]] = [
    {"multiplier": 0.35, "batch_size": 20, "majority": "no"},
    {"multiplier": {"no": 2.5, "perhaps": 1}, "batch_size": 19, "in_turn": True},
    {"multiplier": {"self": 2.5}, "batch_size": 24, "num_replicas": 4},
    {"multiplier": 0.35, "batch_size": 20, "majority": "no", "weights": {"no": 0.3, "self": 4}},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_the_native_sampler_has_the_same_rows_and_weights(r: Session, base: Any, parameters: dict[str, Any]) -> None:
    sampler = DownsampledBatchSampler(LABELS, seed=7, **parameters)
    generator = rbridge.as_torch_sampler(sampler)
    assert list(base["class"](generator)) == ["batch_sampler_downsampled", "batch_sampler_generator", "torch_sampler"]
    instance = r.call_function(generator, None)
    for epoch in (0, 1, 6_700_000):
        rows, offsets = (as_array(part) for part in r.call_function(instance["batches"], epoch))
        expected = sampler.batches(epoch)
        assert np.array_equal(rows - 1, expected.rows) and np.array_equal(offsets, expected.offsets)
    weights = r.call_function(instance["class_weights"])
    by_text = {str(label): weight for label, weight in sampler.class_weights().items()}
    assert dict(zip(weights.names, as_array(weights))) == by_text
    assert np.array_equal(as_array(r.call_function(instance["weights"])), sampler.weights())
    rates = r.call_function(instance["keep_rates"])
    assert dict(zip(rates.names, as_array(rates))) == {str(label): rate for label, rate in sampler.keep_rates.items()}


def test_normalised_weights_of_many_classes_are_those_of_r(r: Session) -> None:
    labels = np.repeat(np.arange(40), np.arange(40) + 30)
    given = {code: 1 / (code + 3) for code in range(40)}
    sampler = DownsampledBatchSampler(labels, {39: 1.5}, 200, weights=given, seed=1)
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    found = as_array(r.call_function(instance["class_weights"], True))
    assert found.tolist() == sampler.class_weights(normalize=True).tolist()


@pytest.mark.parametrize("n_classes", [2, 3, 10, 40])
def test_corrected_probabilities_have_the_digits_of_r(n_classes: int, r: Session, base: Any) -> None:
    random = np.random.default_rng(1)
    probabilities = random.dirichlet(np.ones(n_classes), 1000)
    rates = random.random(n_classes) + 0.01
    code = "function(values, rates) rbridge::correct_probabilities(matrix(values, ncol = length(rates)), rates)"
    found = as_array(r.call_function(evaluated(base, code), probabilities.ravel(order="F"), rates))
    assert found.tolist() == correct_probabilities(probabilities, rates).tolist()


def test_a_multiplier_of_any_form_has_the_same_counts_in_r(r: Session) -> None:
    labels = np.repeat(["yes", "no"], [100, 400])
    fractions = (Fraction(285, 1000), Fraction(1, 3), {"no": Fraction(5, 4)}, {"no": Fraction(1, 3)})
    for multiplier in (*fractions, np.float32(0.285), 0.285, 2.4999999999999996):
        sampler = DownsampledBatchSampler(labels, multiplier, 500, seed=1)
        rates = r.call_function(r.call_function(rbridge.as_torch_sampler(sampler), None)["keep_rates"])
        assert dict(zip(rates.names, as_array(rates))) == sampler.keep_rates.to_dict()


def test_a_rank_and_a_number_of_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="have no rank"):
        rbridge.as_torch_sampler(DownsampledBatchSampler(LABELS == "yes", 2, 13, seed=1, num_replicas=2, rank=1))
    with pytest.raises(ValueError, match="'n_batches' parameter must be left out"):
        rbridge.as_torch_sampler(DownsampledBatchSampler(LABELS == "yes", 2, 13), n_batches=3)
