"""Row weights for imbalanced regression: the rarer the target of a row, the larger its weight."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.columns import numbers_of


def inverse_density_weights(
    values: Any, *, power: float = 1.0, bandwidth: Optional[float] = None, n_bins: int = 512
) -> NDArray[np.float64]:
    """Return weights with which all values of a numeric target are drawn, or count in a loss, about equally often.

    The weight of a row is ``density ** -power``, with the density of the row's target among all rows, divided by the
    mean of all weights. For the density, rows are counted in bins, and the counts smoothed with a Gaussian kernel,
    which ends at four bandwidths. This is the label distribution smoothing of Y. Yang, K. Zha, Y. Chen, H. Wang and D.
    Katabi, "Delving into Deep Imbalanced Regression" (2021), who weight the loss with it, or with its square root.

    Parameters
    ----------
    values : list, numpy.ndarray, pandas Series or torch tensor
        The target of each row: finite numbers.
    power : float, default 1.0
        From 0 to 10. With 1, values are drawn equally often; 0.5 takes the square root, which moves less weight to the
        rare values; with 0, all weights are 1.
    bandwidth : float, optional
        The standard deviation of the kernel, in units of the target, above 0. By default Silverman's rule,
        ``0.9 * min(s, IQR / 1.34) * n ** -0.2``, with the standard deviation s and the interquartile range of n values.
    n_bins : int, default 512
        The number of bins of equal width in which the rows are counted, up to 10000.

    Examples
    --------
    >>> from pystrat import inverse_density_weights
    >>> inverse_density_weights([1, 1, 1, 9], bandwidth=1).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    return _weights(values, power=power, bandwidth=bandwidth, n_bins=n_bins)


def density_weights(
    values: Any, *, alpha: float = 1.0, bandwidth: Optional[float] = None, n_bins: int = 512
) -> NDArray[np.float64]:
    """Return weights that fall in proportion to the density of a numeric target, as DenseWeight does.

    The weight of a row is ``max(1 - alpha * density, 1e-6)``, divided by the mean of all weights. The density of the
    row's target, as in `inverse_density_weights`, is scaled: 0 for the rarest target among the rows, 1 for the most
    common. The rule is that of M. Steininger, K. Kobs, P. Davidson, A. Krause and A. Hotho, "Density-Based Weighting
    for Imbalanced Regression" (2021).

    Parameters
    ----------
    values, bandwidth, n_bins : as in `inverse_density_weights`
    alpha : float, default 1.0
        At least 0. With 0, all weights are 1. With 1, rows with the most common target have almost no weight. The
        further above 1, the more rows have almost none.

    Examples
    --------
    >>> from pystrat import density_weights
    >>> density_weights([1, 1, 1, 9], alpha=0.5, bandwidth=1).tolist()
    [0.8, 0.8, 0.8, 1.6]
    """
    return _weights(values, alpha=alpha, bandwidth=bandwidth, n_bins=n_bins)


def _weights(values: Any, **arguments: Any) -> NDArray[np.float64]:
    data = {"values": numbers_of(values, "values")}
    return np.asarray(_core.call("density_weights", arguments, data)["weights"])
