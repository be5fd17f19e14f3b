"""Weights of numeric targets, by the formulas of their documentation with numpy's own functions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


def reference(
    values: Any,
    *,
    power: Optional[float] = None,
    alpha: float = 1.0,
    bandwidth: Optional[float] = None,
    n_bins: int = 512,
) -> Any:
    """Return the weights by the formulas of the documentation."""
    values = np.asarray(values, dtype=float)
    bin_width = np.ptp(values) / n_bins
    if bin_width == 0:  # the values are equal, or so close that a double cannot hold the width
        return np.ones(len(values))
    places = (values - values.min()) / bin_width
    bins = np.minimum(places.astype(int), n_bins - 1)
    if bandwidth is None:
        ranks = np.sort(bins)[[-(-3 * len(bins) // 4) - 1, -(-len(bins) // 4) - 1]]
        quartiles = ranks[0] - ranks[1]
        spread = min(places.std(), quartiles / 1.34) if quartiles else places.std()
        width = 0.9 * spread * len(values) ** -0.2
    else:
        width = bandwidth / bin_width
    distances = np.abs(bins[:, None] - bins)
    density = np.where((distances == 0) | (distances <= 4 * width), np.exp(-0.5 * (distances / width) ** 2), 0).sum(1)
    if power is not None:
        weights = density**-power
    else:
        is_flat = np.ptp(density) <= 1e-9 * density.max()  # densities that differ only by rounding
        scaled = density * 0 if is_flat else (density - density.min()) / np.ptp(density)
        weights = np.maximum(1 - alpha * scaled, 1e-6)
    return weights / weights.mean()
