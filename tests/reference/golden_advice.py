"""The golden advice for strata, in JSON that every language reads.

``python -m tests.reference.golden_advice`` writes ``tests/golden/advice.json`` afresh. The numbers are those of
`reference`, in exact fractions; the sentences and the code are those of the package.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from pystrat import advise
from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "What the counts of strata say about batches: 'sizes' are the rows of the strata. Of each stratum, 'mean' and "
    "'variance' of its rows in a plain batch, and 'too_few', the probability of fewer than 'min_samples_per_stratum'. "
    "Numbers are doubles; C libraries may differ in the last digits of exp() and log(). Written by "
    "tests/reference/golden_advice.py."
)
CASES: tuple[tuple[list[int], int, int], ...] = (
    ([600, 19400], 128, 1),
    ([600, 19400], 32, 1),
    ([600, 19400], 256, 1),
    ([600, 19400], 256, 5),
    ([600, 19400], 20000, 1),
    ([2, 4], 3, 1),
    ([2, 4], 5, 2),
    ([2, 4], 3, 3),
    ([1], 1, 1),
    ([7], 3, 3),
    ([1, 999], 32, 2),
    ([3] * 40, 32, 1),
    ([3] * 40, 33, 2),
    ([13, 10, 50, 171, 3267, 8903, 45586], 512, 1),
    ([500000, 500000], 512, 1),
    ([30] * 400, 2500, 1),
    ([50, 5], 3, 2),
    ([100, 100, 3], 4, 3),
    ([500, 500, 3], 32, 8),
    ([1000, 4], 10, 5),
)


def too_few(count: int, n_rows: int, batch_size: int, minimum: int) -> Fraction:
    """Return the share of all samples that hold fewer than the minimum, by counting them."""
    samples = sum(
        comb(count, held) * comb(n_rows - count, batch_size - held) for held in range(min(minimum, batch_size + 1))
    )
    return Fraction(samples, comb(n_rows, batch_size))


def sampler_for(sizes: list[int], batch_size: int, minimum: int) -> str:
    """Return the sampler by the rule in the documentation."""
    n_rows, fewest = sum(sizes), min(sizes)
    if len(sizes) == 1 or sum(too_few(size, n_rows, batch_size, minimum) for size in sizes) <= Fraction(1, 1000):
        return "plain"
    if fewest // int(Fraction(n_rows, batch_size) + Fraction(1, 2)) >= minimum:
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


def as_text() -> str:
    """Return the file's text, one line per case."""
    lines = []
    for sizes, batch_size, minimum in CASES:
        advice = advise(np.repeat(np.arange(len(sizes)), sizes), batch_size, min_samples_per_stratum=minimum)
        given = {"sizes": sizes, "batch_size": batch_size, "min_samples_per_stratum": minimum}
        said = {"reason": advice.reason, "python": advice.python, "r": advice.r}
        lines.append(json.dumps({"input": given, "expected": {**reference(sizes, batch_size, minimum), **said}}))
    cases = ",\n    ".join(lines)
    return f'{{\n  "about": {json.dumps(ABOUT)},\n  "cases": [\n    {cases}\n  ]\n}}\n'


if __name__ == "__main__":
    (GOLDEN / "advice.json").write_text(as_text(), encoding="utf-8")
