"""Plots of trained networks: ROC curves and learning curves of several runs."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pystrat._style import COLORS, LINES, SMALL
from pystrat.arrays import check_same_rows, float64_of, plain_array, row_array
from pystrat.messages import check_text, count_of, refused_type, refused_value, show


def plot_roc_curves(
    scores: Mapping[str, ArrayLike],
    labels: ArrayLike,
    *,
    weights: Optional[ArrayLike] = None,
    axis: Optional[Any] = None,
) -> Any:
    """Plot the ROC curves of one or more models on the same rows.

    Parameters
    ----------
    scores : mapping of str to array, shape (rows,) or (runs, rows)
        The name of each model and its predictions, larger for positive rows; each row of a matrix is a run.
    labels : array, shape (rows,)
        1 or True for positive rows, 0 or False for negative rows.
    weights : array, shape (rows,), optional
        The weight of each row, such as a survey weight, not negative; by default all 1.
    axis : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One line per run, in one color and style per model; the legend shows the (mean) area under the curve.

    Raises
    ------
    ValueError
        If there is no model, labels are not 0 and 1 or all the same, numbers are missing, weights are negative, or
        lengths differ.

    Notes
    -----
    Rows with equal scores are one step of the curve, as in scikit-learn's ``roc_curve``, so the area counts a tie of a
    positive and a negative row as one half.
    """
    check_same_rows([("labels", labels), ("weights", weights)])
    positive, weight = _check_rows(labels, weights)
    runs = _check_runs(scores, "scores", n_columns=len(positive))
    axis = _axis(axis, (5.2, 5.0))
    for line, (name, matrix) in zip(_lines(len(runs)), runs.items()):
        curves = [roc_curve(run, positive, weight) for run in matrix]
        area = np.mean([area_under(*curve) for curve in curves])
        for number, curve in enumerate(curves):
            label = f"{name} ({area:.3f})" if number == 0 else None
            axis.plot(*curve, **line, linewidth=1.6 if len(curves) == 1 else 0.9, label=label)
    axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle="dotted", zorder=0)
    axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    axis.set_aspect("equal")
    axis.legend(loc="lower right", fontsize=SMALL, title="model (area under the curve)", title_fontsize=SMALL)
    return axis


def plot_learning_curves(
    values: Mapping[str, ArrayLike], *, label: str = "area under the ROC curve", axis: Optional[Any] = None
) -> Any:
    """Plot a measure after each epoch, for one or more ways of training.

    Parameters
    ----------
    values : mapping of str to array, shape (epochs,) or (runs, epochs)
        The name of each way of training, and the measure after each epoch; each row of a matrix is a run, such as a
        seed.
    label : str
        The name of the measure.
    axis : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each line is the mean over the runs; the band around it extends from the lowest run to the highest.

    Raises
    ------
    ValueError
        If there is nothing to plot, or numbers are missing.
    """
    runs, label = _check_runs(values, "values"), check_text(label, "label")
    axis = _axis(axis, (6.0, 4.0))
    for line, (name, matrix) in zip(_lines(len(runs)), runs.items()):
        epochs = np.arange(1, matrix.shape[1] + 1)
        if len(matrix) > 1:
            lowest, highest = matrix.min(axis=0), matrix.max(axis=0)
            axis.fill_between(epochs, lowest, highest, color=line["color"], alpha=0.15, linewidth=0)
        axis.plot(epochs, matrix.mean(axis=0), **line, marker="o", markersize=3, linewidth=1.5, label=name)
    axis.set(xlabel="epoch", ylabel=label)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(loc="lower right", fontsize=SMALL)
    return axis


def roc_curve(
    scores: NDArray[Any], positive: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the false and the true positive rate, from (0, 0) to (1, 1), one point per distinct score."""
    order = np.argsort(-scores, kind="stable")
    is_last_of_ties = np.append(np.diff(scores[order]) != 0, True)

    def rate(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.cumsum(weights[order])
        return np.append(0.0, total[is_last_of_ties] / total[-1])

    return rate(weight * ~positive), rate(weight * positive)


def area_under(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the area under a piecewise linear curve."""
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())


def _check_rows(labels: ArrayLike, weights: Optional[ArrayLike]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    values = _numbers(labels, "labels").reshape(-1)
    if not np.isin(values, (0, 1)).all():
        wrong = values[~np.isin(values, (0, 1))][0]
        raise refused_value("labels", "hold 0 and 1 only", show(wrong))
    positive = values == 1
    weight = np.ones(len(values)) if weights is None else _numbers(weights, "weights").reshape(-1)
    if len(weight) != len(values) or not (np.isfinite(weight).all() and (weight >= 0).all()):
        required = "have a finite number, not negative, for each label"
        raise refused_value("weights", required, count_of(len(weight), "value"))
    if not (weight[positive].sum() > 0 and weight[~positive].sum() > 0):
        raise refused_value("labels", "hold both 0 and 1", f"{int(positive.sum())} of 1")
    return positive, weight


def _check_runs(
    values: Mapping[str, ArrayLike], parameter: str, n_columns: Optional[int] = None
) -> dict[str, NDArray[np.float64]]:
    """Return one matrix per name, with one row per run."""
    if not isinstance(values, Mapping):
        raise refused_type(parameter, "be a mapping from names to numbers", show(values))
    if not values:
        raise refused_value(parameter, "have one entry or more", "nothing")
    runs = {name: _numbers(value, parameter) for name, value in values.items()}
    if n_columns is not None:
        runs = {name: row_array(value, parameter) for name, value in runs.items()}
    runs = {name: np.atleast_2d(value) for name, value in runs.items()}
    for name, matrix in runs.items():
        if matrix.ndim != 2 or matrix.size == 0 or (n_columns is not None and matrix.shape[1] != n_columns):
            required = "be vectors or matrices" if n_columns is None else f"have {count_of(n_columns, 'value')} a run"
            got = f"an array of shape {'x'.join(map(str, matrix.shape))} for '{name}'"
            raise refused_value(parameter, required, got)
        if not np.isfinite(matrix).all():
            raise refused_value(parameter, "hold finite numbers", f"others for '{name}'")
    return runs


def _numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Return numbers or logical values as doubles; refuse anything else."""
    found = plain_array(values, name)
    if found.size and found.dtype.kind not in "biuf":
        raise refused_type(name, "hold numbers", f"{found.dtype} values")
    return float64_of(found) if found.size else np.zeros(found.shape)


def _axis(axis: Optional[Any], size: tuple[float, float]) -> Any:
    from matplotlib import pyplot

    if axis is not None:
        if not isinstance(axis, pyplot.Axes):
            raise refused_type("axis", "be an Axes of matplotlib", show(axis))
        return axis
    return pyplot.subplots(figsize=size, layout="tight")[1]


def _lines(count: int) -> list[dict[str, str]]:
    """Return the color and style of each line; they repeat after seven."""
    return [{"color": COLORS[place % len(COLORS)], "linestyle": LINES[place % len(LINES)]} for place in range(count)]
