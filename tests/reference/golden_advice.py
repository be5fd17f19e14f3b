"""Advice for strata in plain Python, by exact fractions, and its golden vectors.

``python -m tests.reference.golden_advice`` writes ``tests/golden/advice.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from typing import Any

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


REASONS = {
    "one stratum": "There is one stratum, so all batches are alike.",
    "plain": "At most 1 in 1,000 plain batches has fewer than {wanted} of a stratum, so plain batches are enough.",
    "stratified": (
        "Stratified batches of this size hold at least {held} of every stratum, and an epoch visits every row once."
    ),
    "repeated": (
        "The smallest stratum has {fewest}, too few for {wanted} in each of {batches}. If rare rows are repeated, "
        "every batch holds at least {wanted} of every stratum."
    ),
    "some strata": (
        "A batch has no room for {wanted} of each of {n_strata} strata. With some strata in each batch, it holds at "
        "least {wanted} of each of them."
    ),
    "two strata": (
        "A batch of {size} has no room for {wanted} of each of two strata. Batches of {twice} have it, which the code "
        "makes instead."
    ),
    "weighted": (
        "The smallest stratum has {fewest}, fewer than the {wanted} that a batch must hold. Rows that are drawn with "
        "replacement may occur in a batch more than once. A batch holds {mean} rows of each stratum on average, "
    ),
}
FEWER = "fewer than {wanted}: that takes batches of {needed}."
AT_RANDOM = "at random, so some batches hold fewer than {wanted}."
CODE = {
    "plain": (
        "DataLoader(dataset, batch_size={b}, shuffle=True, drop_last=True)",
        "torch::dataloader(dataset, batch_size = {b}, shuffle = TRUE, drop_last = TRUE)",
    ),
    "stratified": (
        "StratifiedBatchSampler(labels, mean_batch_size={b})",
        "batch_sampler_stratified(mean_batch_size = {b}, strata = labels)",
    ),
    "repeated": (
        'StratifiedBatchSampler(labels, {m}, mean_batch_size={b}, rare="repeat")',
        'batch_sampler_stratified({m}, mean_batch_size = {b}, rare = "repeat", strata = labels)',
    ),
    "some strata": (
        "StrataSubsetBatchSampler(labels, {k}, {m}, exact=True)",
        "batch_sampler_strata_subset({k}, {m}, exact = TRUE, strata = labels)",
    ),
    "weighted": (
        "WeightedBatchSampler(inverse_frequency_weights(labels), {b})",
        "batch_sampler_weighted(inverse_frequency_weights(labels), {b})",
    ),
}


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


def rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


def said(sampler: str, sizes: list[int], batch_size: int, minimum: int) -> dict[str, str]:
    """Return why a sampler fits, and the code that makes it in both languages."""
    n_batches, mean, each = batches_of(sizes, batch_size), Fraction(batch_size, len(sizes)), batch_size // minimum
    reason = REASONS[sampler]
    if sampler == "plain" and len(sizes) == 1:
        reason = REASONS["one stratum"]
    elif sampler == "some strata" and each < 2:
        reason = REASONS["two strata"]
    elif sampler == "weighted":
        reason += FEWER if mean < minimum else AT_RANDOM
    reason = reason.format(
        wanted=rows(minimum),
        held=rows(min(sizes) // n_batches),
        fewest=rows(min(sizes)),
        batches=f"{n_batches} batch{'' if n_batches == 1 else 'es'}",
        n_strata=len(sizes),
        size=rows(batch_size),
        twice=rows(2 * minimum),
        mean=f"{float(mean):.{0 if mean.denominator == 1 else 2}f}",
        needed=rows(minimum * len(sizes)),
    )
    python, r = (code.format(b=batch_size, m=minimum, k=max(each, 2)) for code in CODE[sampler])
    return {"reason": reason, "python": python, "r": r}


def as_text() -> str:
    """Return the file's text, one line per case."""
    lines = []
    for sizes, batch_size, minimum in CASES:
        given = {"sizes": sizes, "batch_size": batch_size, "min_samples_per_stratum": minimum}
        expected = reference(sizes, batch_size, minimum)
        expected.update(said(expected["sampler"], sizes, batch_size, minimum))
        lines.append(json.dumps({"input": given, "expected": expected}))
    cases = ",\n    ".join(lines)
    return f'{{\n  "about": {json.dumps(ABOUT)},\n  "cases": [\n    {cases}\n  ]\n}}\n'


if __name__ == "__main__":
    (GOLDEN / "advice.json").write_text(as_text(), encoding="utf-8")
