"""Weights by the density of a numeric target: formulas, and what is drawn with them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pystrat import density_weights, inverse_density_weights
from tests.refused import refusals

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50)


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


@given(NUMBERS, st.sampled_from([{"power": 1.0}, {"power": 0.5}, {"alpha": 1.0}, {"alpha": 3.0}]), st.integers(1, 40))
@example(values=[0.0, 5e-324], parameters={"power": 1.0}, n_bins=2)
def test_any_values(values: list[float], parameters: dict[str, float], n_bins: int) -> None:
    function: Any = inverse_density_weights if "power" in parameters else density_weights
    weights = function(values, n_bins=n_bins, **parameters)
    assert np.isfinite(weights).all() and (weights > 0).all() and weights.mean() == pytest.approx(1)
    assert weights == pytest.approx(reference(values, n_bins=n_bins, **parameters), rel=1e-6)


def test_extreme_numbers_and_parameters() -> None:
    assert density_weights([3, 3, 3]).tolist() == [1, 1, 1]
    assert (
        density_weights([1, 2, 4], alpha=0).tolist() == inverse_density_weights([1, 2, 4], power=0).tolist() == [1] * 3
    )
    for values in ([0, 1e-320, 1e-323], [1e308, 0, 1], [1, 1 + 2**-52]):
        assert np.isfinite(inverse_density_weights(values)).all()
    for bandwidth in (1e-320, 1e308):
        assert np.isfinite(inverse_density_weights([1, 2, 4], bandwidth=bandwidth)).all()


test_refused = refusals(
    lambda values, by=inverse_density_weights, **given: by(values, **given),
    [
        ({"values": [1, None]}, "The 'values' parameter must hold finite numbers. Got NaN instead."),
        (
            {"values": [-1e308, 1e308]},
            "The 'values' parameter must hold numbers with a finite range. Got others instead.",
        ),
        ({"values": ["a"]}, "The 'values' parameter must be a vector of numbers. Got text instead."),
        (
            {"values": [1, 2], "bandwidth": 0},
            "The 'bandwidth' parameter must be a finite number above 0. Got 0 instead.",
        ),
        (
            {"values": [1, 2], "n_bins": 10001},
            "'n_bins' parameter must be an integer from 1 to 10000. Got 10001 instead.",
        ),
        ({"values": [1, 2], "power": 11}, "The 'power' parameter must be at most 10. Got 11 instead."),
        (
            {"values": [1, 2], "by": density_weights, "alpha": -1},
            "'alpha' parameter must be a finite number of at least 0.",
        ),
    ],
)
