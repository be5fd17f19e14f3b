"""Advice for strata in plain Python, by exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any


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


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with its numbers and sampler; why it fits, and its code, are the texts that the case has."""
    given, texts = case["input"], case.get("expected", {})
    numbers = reference(given["sizes"], given["batch_size"], given["min_samples_per_stratum"])
    return {"input": given, "expected": {**texts, **numbers}}
