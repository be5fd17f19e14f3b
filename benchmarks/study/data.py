"""The data sets of the study: catalog.csv names them, and this module turns each into numbers."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat import stratified_split

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PREPARED = ROOT / "build" / "study"

# Columns of text with more values than this are left out.
MOST_VALUES = 20
# Values beyond this many standard deviations are cut.
FARTHEST = 5.0
# The bins of a numeric target end at these quantiles.
BOUNDS = (0.02, 0.1, 0.9, 0.98)
REPEATS = 5


class Entry(NamedTuple):
    """A line of the catalog."""

    name: str
    task: str
    package: str
    object: str
    target: str
    positive: str
    without: str


@dataclass(frozen=True)
class Split:
    """Rows to train on, to choose the learning rate with, and to measure with."""

    train: NDArray[np.int64]
    valid: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class DataSet:
    """Features of shape (n, d), a target of shape (n,), and the stratum of each row, numbered from 0.

    The target of a classification is the stratum: 1 is positive if there are two. That of a regression is the
    standardized logarithm, and its strata are bins.
    """

    name: str
    task: str
    features: NDArray[np.float32]
    target: NDArray[np.float32]
    strata: NDArray[np.int64]

    @property
    def n_strata(self) -> int:
        return int(self.strata.max()) + 1

    @property
    def rarest(self) -> float:
        """The share of the rarest stratum."""
        return float(np.bincount(self.strata).min() / len(self.strata))

    def splits(self) -> list[Split]:
        """Return 5 x 2 splits: five times two halves, each of which is the test set of the other."""
        found = []
        for repeat in range(REPEATS):
            halves = stratified_split(self.strata, [0.5, 0.5], seed=repeat)
            for own, other in (halves, halves[::-1]):
                train, valid = stratified_split(self.strata[own], [0.75, 0.25], seed=repeat)
                found.append(Split(own[train], own[valid], other))
        return found


def catalog() -> list[Entry]:
    with open(FOLDER / "catalog.csv", encoding="utf-8", newline="") as file:
        return [Entry(**row) for row in csv.DictReader(file)]


def load(entry: Entry) -> DataSet:
    """Read a data set that prepare.R or an installed package has."""
    table = _table(entry)
    table = table[table[entry.target].notna()].reset_index(drop=True)
    raw = table[entry.target]
    features = _numbers(table.drop(columns=[entry.target, *filter(None, entry.without.split("|"))]))
    if entry.task == "regression":
        logarithm = np.log(raw.to_numpy(dtype=np.float64))
        target = (logarithm - logarithm.mean()) / logarithm.std()
        strata = np.digitize(target, np.quantile(target, BOUNDS)).astype(np.int64)
    elif entry.task == "binary":
        target = raw.astype(str).isin(entry.positive.split("|")).to_numpy()
        strata = target.astype(np.int64)
    else:
        strata = np.unique(raw.astype(str).to_numpy(), return_inverse=True)[1].astype(np.int64)
        target = strata
    return DataSet(entry.name, entry.task, features, target.astype(np.float32), strata)


def _table(entry: Entry) -> pd.DataFrame:
    if entry.package == "scikit-learn":
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{entry.object}")()
        columns = [f"x{column}" for column in range(bunch.data.shape[1])]
        return pd.DataFrame(bunch.data, columns=columns).assign(target=bunch.target)
    if entry.package == "pystrat":
        return pd.read_csv(ROOT / "data" / f"{entry.object}.csv.gz")
    return pd.read_csv(PREPARED / f"{entry.object}.csv.gz")


def _numbers(table: pd.DataFrame) -> NDArray[np.float32]:
    """Return numbers as they are, and a column of 0 and 1 for each value of the others.

    A missing number becomes the mean of its column over all rows, also those to test on.
    """
    columns = []
    for name in table.columns:
        column = table[name]
        if pd.api.types.is_numeric_dtype(column):
            columns.append(column.fillna(column.mean()).to_numpy(dtype=np.float32))
            continue
        values = sorted(column.dropna().unique())
        if len(values) <= MOST_VALUES:
            columns.extend((column == value).to_numpy(dtype=np.float32) for value in values[len(values) == 2 :])
    features = np.column_stack(columns)
    return np.ascontiguousarray(features[:, features.std(axis=0) > 0])
