"""Weights of classes in plain Python, by the formulas of their help, and their golden vectors.

``python -m tests.reference.golden_class_weights`` writes ``tests/golden/class_weights.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
import math
from decimal import Context, Decimal
from typing import Any, Callable, Iterator

from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "One weight a row, for 'labels' that are one label a row, columns by name, or a matrix of 0 and 1 with one line a "
    "row. With 'counts' instead, class i has counts[i] rows, class after class, and there is one weight a class. "
    "'function' is inverse_frequency_weights: n / (C n_c); effective_number_weights: (1 - beta) / (1 - beta^n_c); "
    "temperature_weights: n_c^(1 / temperature) / n_c; repeat_factors: the largest max(1, sqrt(threshold / f)) of a "
    "row's labels. Numbers are doubles with all digits. Written by tests/reference/golden_class_weights.py."
)
COUNTS = [1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 100, 999, 1000, 1001, 32768]
MATRIX = [[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]]
PARAMETERS: dict[str, list[dict[str, float]]] = {
    "inverse_frequency_weights": [{}],
    "effective_number_weights": [{"beta": beta} for beta in (0, 0.1, 0.9, 0.999, 0.9999, 1 - 2**-40)],
    "temperature_weights": [{"temperature": temperature} for temperature in (1, 1.3, 2, 5, 100)],
    "repeat_factors": [{"threshold": threshold} for threshold in (0, 0.001, 0.01, 0.3, 1)],
}


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    columns = {"a": ["x", "y", "x", "y", "x"], "b": [True, False, True, True, True]}
    for function, settings in PARAMETERS.items():
        for parameters in settings:
            yield {"function": function, "counts": COUNTS, "parameters": parameters}
        for labels in (["b", "a", "b", "b"], [3, 0.5, 3, 3, -1], [True], columns):
            yield {"function": function, "labels": labels, "parameters": settings[-1]}
    for parameters in PARAMETERS["repeat_factors"]:
        yield {"function": "repeat_factors", "labels": MATRIX, "parameters": parameters}


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
    if labels == MATRIX:
        columns = list(zip(*labels))
        factors = [weight(sum(column), len(labels), len(columns), **parameters) for column in columns]
        return [max([1.0, *(factor for has, factor in zip(row, factors) if has)]) for row in labels]
    rows = list(zip(*labels.values())) if isinstance(labels, dict) else labels
    return [weight(rows.count(row), len(rows), len(set(rows)), **parameters) for row in rows]


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "class_weights.json").write_text(as_text(), encoding="utf-8")
