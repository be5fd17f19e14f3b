"""The golden weights of classes, in JSON that every language reads.

``python -m tests.reference.golden_class_weights`` writes ``tests/golden/class_weights.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

import pystrat
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


def expected_of(case: dict[str, Any]) -> list[float]:
    """Return the weights of a case."""
    function = getattr(pystrat, case["function"])
    if "labels" in case:
        return function(case["labels"], **case["parameters"]).tolist()
    counts = case["counts"]
    weights = function([code for code, count in enumerate(counts) for _ in range(count)], **case["parameters"])
    firsts = [sum(counts[:code]) for code in range(len(counts))]
    return weights[firsts].tolist()


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "class_weights.json").write_text(as_text(), encoding="utf-8")
