"""Weights of classes in plain Python, by the formulas of their help."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any, Callable


def geometric_sum(n: int, beta: float) -> float:
    """Return 1 + beta + ... + beta^(n - 1), as the help of `effective_number_weights` says, to the last digit."""
    if n == 0:
        return 0.0
    half = geometric_sum(n // 2, beta)
    even = half * (2 - (1 - beta) * half)
    return beta * even + 1 if n % 2 else even


def root(n: int, temperature: float) -> float:
    return float(Context(prec=50).power(Decimal(n), Decimal(1 / temperature)))


WEIGHTS: dict[str, Callable[..., Any]] = {  # of a label, of which one of n_labels each of n_rows has n
    "inverse_frequency_weights": lambda n, n_rows, n_labels: n_rows / (n_labels * n),
    "effective_number_weights": lambda n, n_rows, n_labels, beta: 1 / geometric_sum(n, beta),
    "temperature_weights": lambda n, n_rows, n_labels, temperature: root(n, temperature) / n,
    "repeat_factors": lambda n, n_rows, n_labels, threshold: max(1.0, math.sqrt(threshold / (n / n_rows))),
}


def expected_of(case: dict[str, Any]) -> list[float]:
    """Return the weights of a case."""
    weight, parameters = WEIGHTS[case["function"]], case["parameters"]
    if "counts" in case:
        counts = case["counts"]
        return [weight(count, sum(counts), len(counts), **parameters) for count in counts]
    labels = case["labels"]
    if isinstance(labels[0] if isinstance(labels, list) else None, list):  # a matrix
        columns = list(zip(*labels))
        factors = [weight(sum(column), len(labels), len(columns), **parameters) for column in columns]
        return [max([1.0, *(factor for has, factor in zip(row, factors) if has)]) for row in labels]
    rows = list(zip(*labels.values())) if isinstance(labels, dict) else labels
    return [weight(rows.count(row), len(rows), len(set(rows)), **parameters) for row in rows]
