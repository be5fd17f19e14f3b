"""Advice from the counts of strata: exact shares, and that the advised code works."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pystrat
from pystrat import advise

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)


def too_few(count: int, n_rows: int, batch_size: int, minimum: int) -> Fraction:
    """Return the share of all samples that hold fewer than the minimum, by counting them."""
    samples = sum(
        comb(count, held) * comb(n_rows - count, batch_size - held) for held in range(min(minimum, batch_size + 1))
    )
    return Fraction(samples, comb(n_rows, batch_size))


def batches_of(sizes: list[int], batch_size: int) -> int:
    """Return the batches of a stratified epoch: n / b, rounded half up."""
    return (2 * sum(sizes) + batch_size) // (2 * batch_size)


def sampler_for(sizes: list[int], batch_size: int, minimum: int) -> str:
    """Return the sampler by the rule in the documentation."""
    n_rows, fewest = sum(sizes), min(sizes)
    if len(sizes) == 1 or sum(too_few(size, n_rows, batch_size, minimum) for size in sizes) <= Fraction(1, 1000):
        return "plain"
    if fewest // batches_of(sizes, batch_size) >= minimum:
        return "stratified"
    if fewest < minimum:
        return "weighted"
    return "repeated" if minimum * len(sizes) <= batch_size else "some strata"


def reference(sizes: list[int], batch_size: int, minimum: int) -> dict[str, Any]:
    """Return the numbers and the sampler by their definitions."""
    n_rows = sum(sizes)
    shares = [Fraction(size, n_rows) for size in sizes]
    left_out = Fraction(n_rows - batch_size, max(n_rows - 1, 1))
    minimums = [
        factor * 10**power for power in range(10) for factor in (1, 2, 5) if factor * 10**power <= min(sizes)
    ]
    return {
        "mean": [float(batch_size * share) for share in shares],
        "variance": [float(batch_size * share * (1 - share) * left_out) for share in shares],
        "too_few": [float(too_few(size, n_rows, batch_size, minimum)) for size in sizes],
        "minimums": minimums,
        "n_batches": [min(sizes) // minimum for minimum in minimums],
        "largest_minimum": min(sizes) // -(-n_rows // batch_size),
        "sampler": sampler_for(sizes, batch_size, minimum),
    }


def labels_of(sizes: list[int]) -> Any:
    return np.repeat(np.arange(len(sizes)), sizes)


def numbers_of(advice: Any) -> dict[str, Any]:
    return {
        **{name: advice.strata[name].tolist() for name in ("mean", "variance", "too_few")},
        "minimums": advice.minimums["min_samples_per_stratum"].tolist(),
        "n_batches": advice.minimums["n_batches"].tolist(),
        "largest_minimum": advice.largest_minimum,
        "sampler": advice.sampler,
    }


def assert_is_as(advice: Any, expected: dict[str, Any]) -> None:
    for name, found in numbers_of(advice).items():
        is_double = name in ("mean", "variance", "too_few")
        assert found == (pytest.approx(expected[name], rel=1e-9, abs=1e-300) if is_double else expected[name])


@given(SIZES, st.data())
def test_any_counts(sizes: list[int], data: Any) -> None:
    batch_size = data.draw(st.integers(1, sum(sizes)))
    minimum = data.draw(st.integers(1, batch_size))
    advice = advise(labels_of(sizes), batch_size, min_samples_per_stratum=minimum)
    assert_is_as(advice, reference(sizes, batch_size, minimum))


@pytest.mark.parametrize("count, n_rows, batch_size", [(3_000, 100_000, 1_024), (40_000, 90_000, 60_000)])
def test_shares_of_many_rows_are_exact(count: int, n_rows: int, batch_size: int) -> None:
    labels = labels_of([count, n_rows - count])
    for minimum in (1, 20, 40):
        found = advise(labels, batch_size, min_samples_per_stratum=minimum).strata["too_few"]
        assert found[0] == pytest.approx(float(too_few(count, n_rows, batch_size, minimum)), rel=1e-9, abs=1e-300)


@given(SIZES, st.data())
def test_the_advised_sampler_holds_the_minimum(sizes: list[int], data: Any) -> None:
    labels = labels_of(sizes)
    batch_size = data.draw(st.integers(1, sum(sizes)))
    minimum = data.draw(st.integers(1, batch_size))
    advice = advise(labels, batch_size, min_samples_per_stratum=minimum)
    if advice.sampler == "plain":
        assert len(sizes) == 1 or advice.strata["too_few"].sum() <= 0.001
        return
    sampler = eval(advice.python, {"labels": labels, **{name: getattr(pystrat, name) for name in pystrat.__all__}})
    batches = list(sampler.batches(epoch=0))
    held = np.array([np.bincount(labels[rows], minlength=len(sizes)) for rows in batches])
    if advice.sampler in ("stratified", "repeated"):
        assert held.min() >= minimum
        assert held.sum() / len(held) <= 2 * batch_size
    elif advice.sampler == "some strata":
        n_strata = max(batch_size // minimum, 2)
        assert ((held >= minimum).sum(axis=1) >= n_strata).all()
        assert held.sum(axis=1).max() <= max(batch_size, n_strata * minimum)
    else:
        assert (held.sum(axis=1) == batch_size).all() and min(sizes) < minimum


def test_the_advised_code_takes_missing_values() -> None:
    labels: list[Any] = [0] * 30 + [1] * 300 + [None] * 60
    names = {name: getattr(pystrat, name) for name in pystrat.__all__}
    for missing in ("stratum", "drop"):
        code = advise(labels, 40, missing=missing).python
        rows = eval(code, {"labels": labels, **names}).batches(epoch=0).rows
        assert (rows >= 330).any() == (missing == "stratum")


@pytest.mark.parametrize(
    "sizes, minimum, missing, said",
    [
        ([300, 300], 1, "drop", "First leave the rows without a stratum out of the dataset and the labels."),
        ([300, 300], 1, "stratum", "so plain batches are enough."),
        ([300, 3], 8, "drop", "First leave the rows without a stratum out of the dataset and the labels."),
        ([300, 3], 8, "stratum", "First replace missing values of the labels with a value of their own."),
    ],
)
def test_samplers_without_a_parameter_for_missing_values(
    sizes: list[int], minimum: int, missing: str, said: str
) -> None:
    labels = [*labels_of(sizes).tolist(), *[None] * 300]
    reason = advise(labels, 60, min_samples_per_stratum=minimum, missing=missing).reason
    assert reason.endswith(said)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"batch_size": 0}, "The 'batch_size' parameter must be a positive integer. Got 0 instead."),
        ({"batch_size": 7}, "The 'batch_size' parameter must be at most the number of rows, 6. Got 7 instead."),
        (
            {"batch_size": 2, "min_samples_per_stratum": 3},
            "The 'min_samples_per_stratum' parameter must be at most 'batch_size', 2. Got 3 instead.",
        ),
    ],
)
def test_refusals(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.")):
        advise([0, 0, 0, 1, 1, 1], **arguments)


def test_printing_shows_the_rarest_strata_and_says_how_many_more_there_are() -> None:
    shown = str(advise(labels_of([5] * 11 + [1]), 8)).splitlines()
    assert shown[0] == "56 rows, 12 strata, batches of 8 rows"
    assert shown[4].split()[:2] == ["11", "1"]
    assert "... and 2 strata with as many rows or more" in shown
