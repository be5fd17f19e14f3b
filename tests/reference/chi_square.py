"""Pearson's chi-square test of counts, with cells pooled until each expects at least five."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2


def assert_follows(counts: np.ndarray, probabilities: np.ndarray, *, level: float = 1e-4) -> None:
    """Fail where the counts have a probability below `level`, or a cell of probability 0 was met."""
    assert not counts[probabilities == 0].any()
    order = np.argsort(probabilities)
    expected = counts.sum() * probabilities[order]
    observed = counts[order]
    # A cell is closed where five are expected; what is left at the end joins the last one.
    bounds, held = [0], 0.0
    for place, amount in enumerate(expected):
        held += amount
        if held >= 5:
            bounds.append(place + 1)
            held = 0.0
    starts = bounds[:-1]
    assert len(starts) > 1, "too few draws for a test"
    observed, expected = np.add.reduceat(observed, starts), np.add.reduceat(expected, starts)
    assert expected.min() >= 5
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, len(starts) - 1) > level
