"""Count what a loader delivers, batch by batch, and plot the counts and plans."""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from operator import itemgetter
from typing import Any, Callable, Iterable, Mapping, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted, as_vector, row_array
from pystrat.core.base import BatchSampler
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_integer, check_iterable, count_of, refused_type, refused_value, show
from pystrat.core.progress import progress
from pystrat.core.plan import Plan
from pystrat.core.row_arguments import check_positions
from pystrat.core.strata import encode_strata, sorted_batches
from pystrat.core.value_names import listed_keys, name_of, shown_key
from pystrat.training.resumable import check_rows

Labels = Union[Hashable, Callable[[Any], Any], Any]
_OF_BATCH = Wanted("labels", "give one label per row")
# The colors of M. Okabe and K. Ito, which people with any kind of color vision tell apart.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
_MAIN, _ALARM = COLORS[:2]
_SMALL = 9  # points; smaller text is hard to read where a page shows a picture at its own size
# The most characters beside one another in a heat map, one of them a gap between two columns.
_CHARACTERS = 60
# The shade of the fewest rows of a stratum, if other columns have more; no rows are 0, and the most are 1.
_FEWEST = 0.35


def batch_counts(batches: Iterable[Any], labels: Labels) -> pd.DataFrame:
    """Count the labels in each batch that a loader or a sampler delivers.

    It iterates once over a loader, whose sampler's epoch is one higher afterwards. Of a sampler, it counts the next
    epoch, which is not used up.

    Parameters
    ----------
    batches : iterable of batches
        A batch sampler, a DataLoader, or anything that yields batches.
    labels : vector or table of columns, or int or str, or function
        If a vector or table, one label per row of the dataset, in any form that `StratifiedBatchSampler` accepts; each
        batch must then be a vector of row positions, as batch samplers yield. If an int or str, the entry of a batch
        that contains its labels, such as 1 for ``(inputs, labels)``. If a function, it takes a batch and returns its
        labels.

    Returns
    -------
    pandas.DataFrame
        One row per batch and one column per label, by its value, sorted. Several columns of labels give a MultiIndex.

    Examples
    --------
    >>> from pystrat import StratifiedBatchSampler, batch_counts
    >>> labels = ["yes"] * 2 + ["no"] * 5
    >>> batch_counts(StratifiedBatchSampler(labels, 1, seed=1), labels)
           no  yes
    batch
    0       2    1
    1       3    1
    """
    planned = batches.batches() if isinstance(batches, BatchSampler) else batches
    iterable = check_iterable(planned, "batches", required="be an iterable of batches")
    delivered_batches = progress(iterable, "counting batches")
    if callable(labels) or isinstance(labels, (numbers.Integral, str)):
        of_batch = labels if callable(labels) else itemgetter(labels)
        delivered = [list(as_vector(of_batch(batch), _OF_BATCH)) for batch in delivered_batches]
        joined = [label for batch in delivered for label in batch]
        strata = encode_strata(joined, missing="stratum", name="labels", may_be_empty=True)
        ends = np.cumsum([len(batch) for batch in delivered], dtype=np.int64)
        codes = np.split(strata.codes, ends[:-1]) if delivered else []
    else:
        strata = encode_strata(labels, missing="stratum", name="labels")
        check_rows(batches, strata.codes, "labels", "have")
        codes = [strata.codes[_positions(batch, strata.n_rows)] for batch in delivered_batches]
    counts = [np.bincount(batch, minlength=len(strata.values)) for batch in codes]
    return sorted_batches(np.array(counts, dtype=np.int64).reshape(len(codes), len(strata.values)), strata.values)


def _positions(batch: Any, n_rows: int) -> NDArray[Any]:
    """Return a batch as row positions; refuse anything else."""
    is_vector = not isinstance(batch, (str, bytes, Mapping)) and hasattr(batch, "__len__")
    rows = row_array(batch, "labels") if is_vector else np.empty((0, 0))
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        advice = "A batch of inputs and labels needs the entry of the labels, such as 1, or a function of the batch."
        required = "name the entry of a batch that holds its labels if batches are not row positions"
        raise refused_type("labels", required, count_of(n_rows, "value"), advice)
    return check_positions(rows, n_rows, "batches")


def plot_batch_counts(tables: Mapping[str, pd.DataFrame], label: Hashable) -> Any:
    """Plot the number of rows of one label in each batch, for several loaders side by side.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        Names of loaders, and their tables from `batch_counts` or `BatchPlan.composition`.
    label : label
        The column to plot, such as 1, or ``(1, "a")`` for labels of two columns.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes, shape (2, number of tables)
        Top: the count of every batch, those without the label marked. Bottom: the number of batches for each count.
    """
    if not isinstance(tables, Mapping) or not all(isinstance(table, pd.DataFrame) for table in tables.values()):
        raise refused_type("tables", "be a mapping from names to tables", show(tables))
    if not tables or any(label not in table.columns for table in tables.values()):
        known = list(next(iter(tables.values()), pd.DataFrame()).columns)
        required = "be a column of every table" + (f", such as {listed_keys(known)}" if known else "")
        raise refused_value("label", required, shown_key(label))
    from matplotlib import pyplot

    name, counts = name_of(label), {loader: table[label].to_numpy() for loader, table in tables.items()}
    rows = f"{name if name.isalpha() else repr(name)} rows"
    most = max(int(count.max()) for count in counts.values())
    size = (4.6 * len(tables), 6.4)
    axes = pyplot.subplots(2, len(tables), figsize=size, squeeze=False, sharex="row", sharey="row")[1]
    for (top, bottom), (loader, count) in zip(axes.T, counts.items()):
        batches, empty = np.arange(1, len(count) + 1), count == 0
        top.scatter(batches[~empty], count[~empty], s=9, color=_MAIN, linewidths=0)
        top.scatter(batches[empty], count[empty], s=26, color=_ALARM, marker="x", clip_on=False)
        without = f"{int(empty.sum()) or 'none'} without {rows}"
        top.set_title(f"{loader}\n{count_of(len(count), 'batch')}, {without}", fontsize=11)
        top.set_xlabel("batch")
        frequencies = np.bincount(count, minlength=most + 1)
        bars = bottom.bar(range(most + 1), frequencies, color=[_ALARM] + [_MAIN] * most, width=0.85)
        bottom.bar_label(bars, labels=[str(value) if value else "" for value in frequencies], fontsize=_SMALL)
        bottom.margins(y=0.12)
        bottom.set_xlabel(f"{rows} per batch")
    axes[0, 0].set_ylim(-0.4, 1.08 * most + 0.4)
    axes[0, 0].set_ylabel(f"{rows} per batch")
    axes[1, 0].set_ylabel("number of batches")
    axes[0, 0].figure.tight_layout()
    return axes


def plot_plan(plan: Plan, *, most: int = 40) -> Any:
    """Plot the rows of each stratum in a batch as a heat map, with a row per stratum.

    The heat map of a `StratifiedBatchSampler` has a column per batch, since the numbers are those of every epoch. If
    batches differ between epochs, the columns are the fewest and the most rows in a batch of any epoch. It is white for
    no rows of the stratum, and otherwise light for its fewest rows in a batch and dark for its most.

    Parameters
    ----------
    plan : Plan
        The `plan` of a sampler of strata.
    most : int, default 40
        The maximum number of strata to show, the smallest first.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if not isinstance(plan, Plan) or "rows" not in plan.columns:
        raise refused_type("plan", "be the plan of a sampler of strata", show(plan))
    most = check_integer(most, "most", minimum=1)
    from matplotlib import pyplot

    rows_of_all = plan.columns["rows"]
    chosen = np.argsort(rows_of_all, kind="stable")[:most]
    table = plan.rows_of_batches().iloc[chosen]
    counts, n_columns = table.to_numpy(), table.shape[1]
    figure, axis = pyplot.subplots(figsize=(9, 1.8 + 0.3 * len(chosen)), layout="tight")
    shades, extent = _shades(counts), (0.5, n_columns + 0.5, len(chosen) - 0.5, -0.5)
    image = axis.imshow(shades, aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest", extent=extent)
    if n_columns * (len(str(counts.max())) + 1) <= _CHARACTERS:
        for row, column in np.ndindex(shades.shape):
            color = "white" if shades[row, column] > 0.6 else "black"
            style = {"ha": "center", "va": "center", "fontsize": _SMALL, "color": color}
            axis.text(column + 1, row, str(counts[row, column]), **style)
    ranges = zip(table.index, rows_of_all[chosen], counts)
    labels = [f"{name}: {count_of(rows, 'row')}, {count_of(held)} in a batch" for name, rows, held in ranges]
    axis.set_yticks(range(len(chosen)))
    axis.set_yticklabels(labels)
    if table.columns.dtype == object:  # bounds
        axis.set_xticks(range(1, n_columns + 1))
        axis.set_xticklabels(table.columns)
    else:
        axis.xaxis.get_major_locator().set_params(integer=True)
    left_out = len(rows_of_all) - len(chosen)
    axis.set_xlabel("batch" + (f" (and {count_of(left_out, 'larger stratum')})" if left_out else ""))
    axis.set_title(plan.heading, fontsize=11)
    colors = figure.colorbar(image, ax=axis, ticks=[0, _FEWEST, 1])
    colors.ax.set_yticklabels(["no\nrows", "fewest\nrows", "most\nrows"])
    return axis


def _shades(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the shade of each count, from 0 to 1, given a row per stratum."""
    most = table.max(axis=1, keepdims=True)
    fewest = np.where(table > 0, table, most).min(axis=1, keepdims=True)
    steps = np.where(most > fewest, (table - fewest) / np.maximum(most - fewest, 1), 1.0)
    return np.where(table > 0, _FEWEST + (1 - _FEWEST) * steps, 0.0)
