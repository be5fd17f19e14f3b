"""What golden files have in common, and the models of stratified batches and of bins.

Rows are counted from 0. Lists longer than `WHOLE` rows are cut to their head, their tail and a checksum, the sum of
(i * x_i) mod (2^31 - 1) with i from 1.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

import numpy as np
import pandas as pd

from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import NaiveStratified, shown

GOLDEN = Path(__file__).parents[1] / "golden"
SURVEY = Path(__file__).parents[2] / "data" / "nsch_2017.csv.gz"
WHOLE = 2000
MODULUS = 2**31 - 1


def labels_of(strata: dict[str, Any]) -> Any:
    """Return what a case's strata stand for: one label a row, or columns."""
    if "columns" in strata:
        return strata["columns"]
    sizes = np.array(strata["sizes"])
    if strata["arrangement"] == "blocks":
        return np.repeat(np.arange(len(sizes)), sizes)
    turn = np.concatenate([np.arange(size) for size in sizes])
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    return stratum[np.lexsort((stratum, turn))]


def columns_of(strata: dict[str, Any]) -> Any:
    """Return what a case's strata stand for, as columns."""
    labels = labels_of(strata)
    return labels.values() if isinstance(labels, dict) else [labels.tolist()]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    naive = NaiveStratified(columns_of(case["strata"]), case["parameters"])
    return {
        "n_batches": naive.n_batches,
        "min_samples_per_stratum": naive.minimum,
        "strata": naive.names,
        "counts": naive.taken,
        "sizes": cut(list(map(len, naive.in_plan(case["epochs"][0])))),
        "epochs": [
            {
                "permutation": cut(epoch_order(len(naive.codes), naive.seed, epoch)),
                "rows": cut(joined(naive.batches(epoch))),
            }
            for epoch in case["epochs"]
        ],
    }


def joined(batches: Iterable[Sequence[int]]) -> list[int]:
    """Return the rows of batches, one after the other."""
    return [row for batch in batches for row in batch]


def cut(values: Any) -> Any:
    """Return short lists whole, long ones as head, tail and checksum."""
    values = np.asarray(values, dtype=np.int64)
    if len(values) <= WHOLE:
        return values.tolist()
    checksum = int((values * np.arange(1, len(values) + 1) % MODULUS).sum() % MODULUS)
    return {
        "length": len(values),
        "head": values[:10].tolist(),
        "tail": values[-10:].tolist(),
        "checksum": checksum,
    }


def labels_of_training() -> dict[str, Any]:
    """Return the labels of two training runs: simulated ones, and the survey's answered ones."""
    return {"simulated": [1] * 600 + [0] * 19_400, "nsch_2017": pd.read_csv(SURVEY)["autism"].dropna().tolist()}


def completed_training(run: dict[str, Any]) -> dict[str, Any]:
    """Return a training run, of the labels with its strata, with the rows of each epoch."""
    of_runs = (NaiveStratified([labels], run) for labels in labels_of_training().values())
    naive = next(naive for naive in of_runs if naive.names == list(run["composition"]))
    held = [Counter(naive.codes[row] for row in batch) for batch in naive.batches(0)]
    return {
        **run,
        "n_batches": naive.n_batches,
        "composition": {name: cut([batch[code] for batch in held]) for code, name in enumerate(naive.names)},
        "epochs": [cut(joined(naive.batches(epoch))) for epoch in range(3)],
    }


def values_of(values: Any) -> list[Optional[float]]:
    """Return what a case's values stand for, None where missing."""
    if isinstance(values, dict):
        numbers = range(values["length"])
        return [i * values["multiplier"] % values["modulus"] / values["divisor"] for i in numbers]
    special = {"Inf": float("inf"), "-Inf": float("-inf"), "NaN": float("nan")}
    return [special[value["special"]] if isinstance(value, dict) else value for value in values]


def naive_bins(values: Sequence[Optional[float]], n_bins: int) -> dict[str, Any]:
    """Return the names and the bins of values, -1 where missing, as the help of `bin_target` defines them."""
    ordered = sorted(value for value in values if value is not None and value == value)
    middles = {value: bisect_left(ordered, value) + bisect_right(ordered, value) for value in ordered}
    bins = {value: n_bins * middle // (2 * len(ordered)) for value, middle in middles.items()}
    members = [list(own) for _, own in groupby(bins, key=bins.__getitem__)]
    names: list[str] = []
    for digits in (15, 17):
        if len(set(names)) < len(members):
            names = [f"[{shown(own[0], digits)}, {shown(own[-1], digits)}]" for own in members]
    number = {bins[own[0]]: place for place, own in enumerate(members)}
    return {"names": names, "codes": [number[bins[value]] if value in bins else -1 for value in values]}


def expected_bins(case: dict[str, Any]) -> dict[str, Any]:
    """Return the bins of the case's values."""
    found = naive_bins(values_of(case["values"]), case["n_bins"])
    return {"names": found["names"], "codes": cut(found["codes"])}


def as_in_r(message: str) -> str:
    """Return a message with the refused flag as R writes it, which the files have."""
    return message.replace("Got True instead", "Got TRUE instead").replace("Got False instead", "Got FALSE instead")
