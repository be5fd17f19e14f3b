"""The golden weights of numeric targets, in JSON that every language reads.

``python -m tests.reference.golden_density_weights`` writes ``tests/golden/density_weights.json`` afresh. The weights
are those of `reference`, which is written with numpy's own functions.
"""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional

import numpy as np

from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "One weight a row for the numeric target 'values', by 'function': inverse_density_weights, the density to the "
    "power -power; density_weights, max(1 - alpha * scaled density, 1e-6). The mean is 1. Numbers are doubles; C "
    "libraries may differ in the last digits of exp() and pow(). Written by tests/reference/golden_density_weights.py."
)
VALUES: dict[str, list[float]] = {
    "four": [1, 1, 1, 9],
    "equal": [2.5, 2.5],
    "skewed": [round(float(value), 3) for value in np.exp(np.linspace(-2, 4, 40))],
    "negative": [-5, -4.5, -4.5, 0, 0, 0, 0, 0.125, 7],
}


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


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    for values in VALUES.values():
        for options in ({}, {"bandwidth": 0.5, "n_bins": 7}, {"bandwidth": 1e-3}):
            yield {"function": "inverse_density_weights", "values": values, "parameters": {"power": 0.5, **options}}
            yield {"function": "density_weights", "values": values, "parameters": {"alpha": 0.8, **options}}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [
        json.dumps({"input": case, "expected": reference(case["values"], **case["parameters"]).tolist()})
        for case in cases()
    ]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "density_weights.json").write_text(as_text(), encoding="utf-8")
