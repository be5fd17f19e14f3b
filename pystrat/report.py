"""Count what a loader delivers, batch by batch, and plot the counts and plans."""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from typing import Any, Callable, Iterable, Mapping, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import holds_tensors, row_array
from pystrat.base import BatchSampler
from pystrat.lazy_pandas import pd
from pystrat.messages import (
    check_integer,
    check_iterable,
    count_of,
    range_of,
    refusal,
    refused_type,
    refused_value,
    show,
)
from pystrat._progress import progress
from pystrat._style import ALARM, MAIN, SMALL
from pystrat.plan import BatchPlan
from pystrat.range_plan import RangePlan
from pystrat.resumable import check_rows
from pystrat.strata import check_keys, encode_strata, listed_keys, shown_key, sorted_batches
from pystrat.value_names import name_of

Labels = Union[Hashable, Callable[[Any], Any], Any]


def batch_counts(batches: Iterable[Any], labels: Labels) -> pd.DataFrame:
    """Count the labels in each batch that a loader or a sampler delivers.

    It iterates once over a loader, so that the epoch of its sampler is one higher afterwards. Of a sampler itself, it
    counts the next epoch, which is not used up. A long run shows a progress bar on the terminal if tqdm is installed.

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

    Raises
    ------
    TypeError, ValueError, KeyError
        If the labels cannot be found in the batches.

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
    if callable(labels):
        delivered = [_labels(labels(batch)) for batch in delivered_batches]
    elif isinstance(labels, (numbers.Integral, str)):
        delivered = [_labels(_entry(batch, labels)) for batch in delivered_batches]
    else:
        strata = encode_strata(labels, missing="stratum", name="labels")
        check_rows(batches, strata.n_rows, "labels", "have")
        rows = [_positions(batch, strata.n_rows) for batch in delivered_batches]
        return _table([strata.codes[batch] for batch in rows], strata.values)
    if not any(len(batch) for batch in delivered):
        return _table([np.empty(0, dtype=np.int64) for _ in delivered], pd.Index([]))
    strata = encode_strata(_joined(delivered), missing="stratum", name="labels")
    ends = np.cumsum([len(batch) for batch in delivered])
    return _table(np.split(strata.codes, ends[:-1]), strata.values)


def _table(codes: list[NDArray[Any]], values: pd.Index) -> pd.DataFrame:
    counts = [np.bincount(batch, minlength=len(values)) for batch in codes]
    return sorted_batches(np.array(counts, dtype=np.int64).reshape(len(codes), len(values)), values)


def _entry(batch: Any, key: Any) -> Any:
    try:
        return batch[key]
    except (LookupError, TypeError) as error:
        required = "name an entry of every batch"
        raise KeyError(refusal("labels", required, show(key))) from error


def _labels(values: Any) -> NDArray[Any]:
    """Return the labels of one batch as a vector; those of a list as they are, of which numpy would make one type."""
    array = _vector(values)
    is_list = isinstance(values, (list, tuple)) and array.dtype.kind != "O" and np.ndim(values[0]) == 0
    return np.array(values, dtype=object) if is_list and not holds_tensors(values) else array


def _vector(values: Any) -> NDArray[Any]:
    """Return the values of one batch as a vector."""
    array = row_array(values, "labels")
    if array.ndim != 1:
        shape = "x".join(str(length) for length in array.shape)
        raise refused_value("labels", "give one label per row", f"an array of shape {shape}")
    return array


def _joined(batches: list[NDArray[Any]]) -> NDArray[Any]:
    """Join the labels of all batches; different types are joined as objects."""
    batches = [batch for batch in batches if len(batch)]
    if len({batch.dtype.kind for batch in batches}) > 1:
        batches = [batch.astype(object) for batch in batches]
    return np.concatenate(batches)


def _positions(batch: Any, n_rows: int) -> NDArray[Any]:
    """Return a batch as row positions; refuse anything else."""
    is_rows = not isinstance(batch, (str, bytes, Mapping)) and hasattr(batch, "__len__")
    rows = _vector(batch) if is_rows and np.ndim(batch) == 1 else None
    if rows is None or (len(rows) and rows.dtype.kind not in "iu"):
        required = "name the entry of a batch that holds its labels if batches are not row positions"
        raise refused_type("labels", required, count_of(n_rows, "value"))
    if len(rows) and not 0 <= rows.min() <= rows.max() < n_rows:
        got = f"{count_of(n_rows, 'value')} and row {rows.max() if rows.min() >= 0 else rows.min()}"
        required = "have one value for each row of the dataset"
        raise refused_value("labels", required, got)
    return rows.astype(np.int64)


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
        Top: the count of every batch, with batches without the label marked. Bottom: the number of batches for each
        count.

    Raises
    ------
    ValueError
        If there is no table, or a table lacks the column.
    """
    check_keys([label], "label")
    name = name_of(label)
    if not isinstance(tables, Mapping) or not all(isinstance(table, pd.DataFrame) for table in tables.values()):
        raise refused_type("tables", "be a mapping from names to tables", show(tables))
    if not tables or any(label not in table.columns for table in tables.values()):
        known = list(next(iter(tables.values()), pd.DataFrame()).columns)
        required = "be a column of every table" + (f", such as {listed_keys(known)}" if known else "")
        raise refused_value("label", required, shown_key(label))
    for table in tables.values():
        _check_column(table, label, name)
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        2, len(tables), figsize=(4.6 * len(tables), 6.4), squeeze=False, sharex="row", sharey="row"
    )
    most = max(int(table[label].max()) for table in tables.values())
    for column, (loader, table) in enumerate(tables.items()):
        _plot_each_batch(axes[0, column], loader, name, table[label].to_numpy())
        _plot_histogram(axes[1, column], table[label].to_numpy(), most)
    axes[0, 0].set_ylim(-0.4, 1.08 * most + 0.4)
    axes[0, 0].set_ylabel(f"{_in_words(name)} rows per batch")
    axes[1, 0].set_ylabel("number of batches")
    for axis in axes[1]:
        axis.set_xlabel(f"{_in_words(name)} rows per batch")
    figure.tight_layout()
    return axes


def _check_column(table: pd.DataFrame, label: Hashable, name: str) -> None:
    """Refuse a column that does not contain counts."""
    counts = table.loc[:, [column == label for column in table.columns]].to_numpy()
    if counts.shape[1] != 1 or counts.dtype.kind not in "iu" or not len(counts) or counts.min() < 0:
        raise refused_value("tables", f"have one column {show(name)} of counts, one batch per row", "another")


def _in_words(label: str) -> str:
    """Return a label as it reads before "rows": a number or a phrase in quotes."""
    return label if label.isalpha() else f"'{label}'"


def _plot_each_batch(axis: Any, name: str, label: str, counts: NDArray[Any]) -> None:
    batches = np.arange(1, len(counts) + 1)
    empty = counts == 0
    axis.scatter(batches[~empty], counts[~empty], s=9, color=MAIN, linewidths=0)
    axis.scatter(batches[empty], counts[empty], s=26, color=ALARM, marker="x", clip_on=False)
    without = f"{int(empty.sum()) or 'none'} without {_in_words(label)} rows"
    axis.set_title(f"{name}\n{count_of(len(counts), 'batch')}, {without}", fontsize=11)
    axis.set_xlabel("batch")
    fewest, most = int(counts.min()), int(counts.max())
    if 0 < fewest and most - fewest <= 1:
        # A flat row of dots needs words.
        held = range_of(counts, f"{_in_words(label)} row")
        place = {"xycoords": ("axes fraction", "data"), "xytext": (0, 8), "textcoords": "offset points"}
        axis.annotate(f"{held} in every batch", (0.5, most), **place, ha="center")


def _plot_histogram(axis: Any, counts: NDArray[Any], most: int) -> None:
    batches = np.bincount(counts, minlength=most + 1)
    bars = axis.bar(range(most + 1), batches, color=[ALARM] + [MAIN] * most, width=0.85)
    axis.bar_label(bars, labels=[str(value) if value else "" for value in batches], fontsize=SMALL)
    axis.margins(y=0.12)


def plot_plan(plan: Union[BatchPlan, RangePlan], *, most: int = 40) -> Any:
    """Plot the rows of each stratum in a batch, with a row per stratum.

    The plan of `StratifiedBatchSampler` is the same in every epoch. Its plot is a heat map with a column per batch. The
    batches of `StrataSubsetBatchSampler` and `StratifiedGroupBatchSampler` differ between epochs. The plot of their
    plans has a line for each stratum, from the fewest to the most rows in a batch of any epoch; call `composition` of
    the sampler for the numbers of an epoch.

    Parameters
    ----------
    plan : BatchPlan, or the plan of a StrataSubsetBatchSampler or StratifiedGroupBatchSampler
    most : int, default 40
        The maximum number of strata to show, the smallest first.

    Returns
    -------
    matplotlib.axes.Axes
        The label of a stratum has its rows, and the smallest and largest count in a batch. A heat map is white for
        batches without rows of the stratum, and otherwise light for its fewest rows in a batch and dark for its most.
        If there are few batches, the counts are printed in it.
    """
    if not isinstance(plan, (BatchPlan, RangePlan)):
        required = "be a BatchPlan, or the plan of a StrataSubsetBatchSampler or StratifiedGroupBatchSampler"
        raise refused_type("plan", required, show(plan))
    most = check_integer(most, "most", minimum=1)
    if isinstance(plan, RangePlan):
        return _plot_ranges(plan, most)
    return _plot_heat_map(plan, most)


# The most characters beside one another in a heat map, one of them a gap between two batches.
_CHARACTERS = 60
# The shade of the fewest rows of a stratum, if other batches have more; no rows are 0, and the most are 1.
_FEWEST = 0.35


def _plot_heat_map(plan: BatchPlan, most: int) -> Any:
    from matplotlib import pyplot

    chosen = np.argsort(plan.counts, kind="stable")[:most]
    table = plan.rows_of_strata()[:, chosen]
    figure, axis = pyplot.subplots(figsize=(9, 1.8 + 0.3 * len(chosen)), layout="tight")
    shades = _shades(table).T
    extent = (0.5, plan.n_batches + 0.5, len(chosen) - 0.5, -0.5)
    image = axis.imshow(shades, aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest", extent=extent)
    if plan.n_batches * (len(str(table.max())) + 1) <= _CHARACTERS:
        for place, batch in np.ndindex(shades.shape):
            color = "white" if shades[place, batch] > 0.6 else "black"
            style = {"ha": "center", "va": "center", "fontsize": SMALL, "color": color}
            axis.text(batch + 1, place, str(table[batch, place]), **style)
    names = [
        f"{plan.names[place]}: {count_of(plan.counts[place], 'row')}, {range_of(counts)} in a batch"
        for place, counts in zip(chosen, table.T)
    ]
    _label_strata(axis, names, "batch", len(plan.counts))
    minimum = count_of(plan.min_samples_per_stratum, "row")
    kept = f"at least {minimum} of every stratum" if plan.min_samples_per_stratum else "not every stratum"
    axis.set_title(f"{count_of(plan.n_batches, 'batch')} of {range_of(plan.sizes, 'row')}\n{kept} in each", fontsize=11)
    colors = figure.colorbar(image, ax=axis, ticks=[0, _FEWEST, 1])
    colors.ax.set_yticklabels(["no\nrows", "fewest\nrows", "most\nrows"])
    return axis


def _shades(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the shade of each count, from 0 to 1, given the strata in columns."""
    most = table.max(axis=0)
    fewest = np.where(table > 0, table, most).min(axis=0)
    steps = np.where(most > fewest, (table - fewest) / np.maximum(most - fewest, 1), 1.0)
    return np.where(table > 0, _FEWEST + (1 - _FEWEST) * steps, 0.0)


def _plot_ranges(plan: RangePlan, most: int) -> Any:
    from matplotlib import pyplot

    table = plan.named_table()
    chosen = table.sort_values("rows", kind="stable")[:most]
    axis = pyplot.subplots(figsize=(9, 1.8 + 0.3 * len(chosen)), layout="tight")[1]
    places = np.arange(len(chosen))
    axis.hlines(places, chosen["fewest"], chosen["most"], color=MAIN, linewidth=4)
    for ends in (chosen["fewest"], chosen["most"]):
        axis.scatter(ends, places, s=30, color=MAIN, clip_on=False, zorder=3)
    _label_strata(
        axis, [f"{row.Index}: {plan.in_words(row)}" for row in chosen.itertuples()], "rows in a batch", len(table)
    )
    axis.set_ylim(len(chosen) - 0.5, -0.5)
    axis.set_xlim(0, 1.05 * chosen["most"].max() + 0.5)
    axis.grid(axis="x", color="#dddddd", linewidth=0.8)
    axis.set_axisbelow(True)
    axis.set_title(plan.heading(), fontsize=11)
    return axis


def _label_strata(axis: Any, names: list[str], label: str, n_strata: int) -> None:
    """Label the rows of a plot, one for each stratum shown, and its horizontal axis of whole numbers."""
    axis.set_yticks(range(len(names)))
    axis.set_yticklabels(names)
    axis.xaxis.get_major_locator().set_params(integer=True)
    left_out = n_strata - len(names)
    axis.set_xlabel(label + (f" (and {count_of(left_out, 'larger stratum')})" if left_out else ""))
