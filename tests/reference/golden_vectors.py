"""The golden vectors: what samplers must give, in JSON that every language reads, computed without pystrat.

``python -m tests.reference.golden_vectors`` writes ``batches.json``, ``wanted.json``, ``bins.json`` and
``training.json`` in ``tests/golden`` afresh.
A case has an ``input``, from which each language makes its own ``expected``; rows are counted from 0. Lists longer
than `WHOLE` rows are cut to their head, their tail and a checksum, the sum of (i * x_i) mod (2^31 - 1) with i from 1.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Sequence

import numpy as np
import pandas as pd

from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import NaiveStratified, shown

GOLDEN = Path(__file__).parents[1] / "golden"
SURVEY = Path(__file__).parents[2] / "data" / "nsch_2017.csv.gz"
WHOLE = 2000
MODULUS = 2**31 - 1
ABOUT = (
    "Rows are counted from 0. Lists of more than 2000 rows are cut to head, tail and checksum: the sum of "
    "(i * x_i) mod (2^31 - 1), i from 1. 'sizes' arranged in 'blocks': all rows of stratum 0, then of stratum 1, ...; "
    "'dealt': one row of each stratum in turn, as long as it has any. Written by tests/reference/golden_vectors.py."
)

ABOUT_BINS = (
    'Bins of a numeric target, counted from 0; null is a missing value, {"special": "Inf"} an infinite one. \'values\' '
    "are given, or made by 'multiplier', 'modulus', 'divisor' and 'length': value i, from 0, is (i * multiplier mod "
    "modulus) / divisor. Long lists are cut as in batches.json. Written by tests/reference/golden_vectors.py."
)

ABOUT_TRAINING = (
    "What each epoch of a training delivers: rows, counted from 0, batch after batch, and for each stratum how many of "
    "its rows each batch holds. 'simulated': 600 rows of 1, then 19,400 of 0; 'nsch_2017': the column autism of "
    "data/nsch_2017.csv.gz where it is answered. Lists are cut as in batches.json. Written by "
    "tests/reference/golden_vectors.py."
)


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


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    labels = labels_of(case["strata"])
    naive = NaiveStratified(labels.values() if isinstance(labels, dict) else [labels.tolist()], case["parameters"])
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


def wanted_cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of the cases with quotas, shares, repeats and batches of one size."""
    sizes = _sizes([12, 111, 5])
    ways: dict[str, dict[str, Any]] = {
        "quotas": {"min_samples_per_stratum": {"0": 3, "1": 20}},
        "quotas, dealt evenly": {"min_samples_per_stratum": {"1": 4}},
        "shares": {"mean_batch_size": 10, "shares": {"0": 1, "1": 2.5, "2": 1.5}},
        "balance over": {"mean_batch_size": 12, "balance": "over"},
        "balance under": {"mean_batch_size": 6, "balance": "under"},
        "balance, a number": {"mean_batch_size": 9, "balance": 30},
        "by temperature": {"mean_batch_size": 8, "temperature": 2},
        "capped": {"mean_batch_size": 8, "cap": 20},
        "capped, by temperature": {"mean_batch_size": 9, "temperature": 1.5, "cap": 40},
        "repeats": {"min_samples_per_stratum": 3, "mean_batch_size": 16, "rare": "repeat"},
        "repeats by quotas": {"min_samples_per_stratum": {"2": 4}, "mean_batch_size": 20, "rare": "repeat"},
        "one size": {"mean_batch_size": 15, "drop": "balanced"},
    }
    for name, parameters in ways.items():
        yield _case(name, sizes, (0, 1, 6_700_000), **parameters)
        yield _case(f"{name}, replicas", sizes, (2,), num_replicas=2, seed=2**31 - 2, **parameters)
        yield _case(f"{name}, dataset order", sizes, (3,), shuffle=False, **parameters)
    large = _sizes([70_000, 900, 4], "blocks")
    yield _case("large shares", large, (7,), mean_batch_size=100, shares={"0": 5, "1": 4, "2": 0.04})
    yield _case("many strata, over", _sizes([1 + k % 7 for k in range(300)]), (1,), mean_batch_size=300, balance="over")
    dropped = {"columns": {"word": ["b", "a", None, "a", "b", "a", "a", None, "b", "a"]}}
    yield _case("missing values dropped", dropped, (0, 1), mean_batch_size=4, missing="drop", shares={"a": 1, "b": 1})


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    yield from _every_number_of_strata()
    yield from _sizes_seeds_and_epochs()
    yield from _columns_and_missing_values()
    yield from _rare_strata()


def _case(name: str, strata: dict[str, Any], epochs: tuple[int, ...] = (0,), **parameters: Any) -> dict[str, Any]:
    parameters.setdefault("seed", 1)
    return {"name": name, "strata": strata, "parameters": parameters, "epochs": list(epochs)}


def _sizes(sizes: list[int], arrangement: str = "dealt") -> dict[str, Any]:
    return {"sizes": sizes, "arrangement": arrangement}


def _every_number_of_strata() -> Iterator[dict[str, Any]]:
    for k in range(1, 51):
        sizes = [2 + (7 * i + 3 * k) % 11 for i in range(k)]
        minimum = 1 + k % 3 if k % 2 else 1
        parameters = {
            "min_samples_per_stratum": min(minimum, min(sizes)),
            "assign": "even" if k % 4 == 3 else "proportional",
            "seed": (0, 1, 2**31 - 2)[k % 3],
        }
        arrangement = "blocks" if k % 2 else "dealt"
        yield _case(f"{k} strata", _sizes(sizes, arrangement), (k % 4,), **parameters)


def _sizes_seeds_and_epochs() -> Iterator[dict[str, Any]]:
    for seed in (0, 1, 2**31 - 2):
        for epoch in (0, 1, 2, 3, 6_700_000):
            strata = _sizes([7, 31, 3], "dealt" if epoch % 2 else "blocks")
            yield _case(f"seed {seed}, epoch {epoch}", strata, (epoch,), min_samples_per_stratum=1, seed=seed)
    yield _case("one row", _sizes([1]), min_samples_per_stratum=1)
    yield _case("n_min divides nothing evenly", _sizes([12, 111]), (0, 1), min_samples_per_stratum=5)
    yield _case("the longest whole list", _sizes([60, 1940], "blocks"), (0,), min_samples_per_stratum=3)
    yield _case("the shortest cut list", _sizes([61, 1940], "blocks"), (0,), min_samples_per_stratum=3)
    yield _case("the published simulation", _sizes([600, 19400], "blocks"), (0, 1), min_samples_per_stratum=3)
    yield _case("dataset order", _sizes([10, 25, 5]), (0, 1), min_samples_per_stratum=1, shuffle=False)
    yield _case("dataset order, even", _sizes([10, 25, 5]), min_samples_per_stratum=2, shuffle=False, assign="even")
    for assign in ("proportional", "even"):
        large = _sizes([100_000, 1, 65_536, 17])
        yield _case(f"up to 10^5 rows, {assign}", large, (0, 3), min_samples_per_stratum=1, assign=assign)
        large = _sizes([100_000, 1_000, 65_535], "blocks")
        yield _case(f"many batches, {assign}", large, (2,), min_samples_per_stratum=1, assign=assign)
        mean = _sizes([5_000, 3_000, 200])
        yield _case(f"mean batch size, {assign}", mean, (1,), mean_batch_size=64, assign=assign)
        yield _case(
            f"replicas, {assign}", _sizes([40, 90]), (0,), min_samples_per_stratum=3, num_replicas=4, assign=assign
        )


def _columns_and_missing_values() -> Iterator[dict[str, Any]]:
    columns = {
        "word": ["b", "a", None, "a", "b", "", "a", None, "b", "é", "a", "b"],
        "number": [2, 1, 1, None, 2.5, -0.0, 0, 1, 2, 1e300, 1, 2],
        "flag": [True, False, True, True, False, None, False, True, True, True, False, True],
    }
    for missing in ("stratum", "drop"):
        for chosen in (["word"], ["number"], ["flag"], ["number", "flag"], ["flag", "word", "number"]):
            yield _case(
                f"missing values: {missing}, columns {', '.join(chosen)}",
                {"columns": {name: columns[name] for name in chosen}},
                (0, 1),
                min_samples_per_stratum=1,
                missing=missing,
            )
    whole = {name: ["x", "y", "x", "x", "y", "y", "x", "y"] for name in ("left", "right")}
    whole["right"] = ["é", "é", "E", "E", "é", "E", "é", "E"]
    yield _case("several columns", {"columns": whole}, (0, 1, 2), min_samples_per_stratum=1)


def _rare_strata() -> Iterator[dict[str, Any]]:
    rare = _sizes([2, 30, 9])
    yield _case("rare: one batch", rare, (0, 1), min_samples_per_stratum=3, rare="allow")
    yield _case("rare: dealt evenly", rare, (0, 1), mean_batch_size=5, rare="allow")
    yield _case("rare: a batch a row", rare, (0,), mean_batch_size=1, rare="allow")
    yield _case("rare: replicas", rare, (0,), mean_batch_size=6, rare="allow", num_replicas=3)


def labels_of_training() -> dict[str, Any]:
    """Return the labels of two training runs: simulated ones, and the survey's answered ones."""
    return {"simulated": [1] * 600 + [0] * 19_400, "nsch_2017": pd.read_csv(SURVEY)["autism"].dropna().tolist()}


def training_runs() -> dict[str, Any]:
    """Return the rows of each epoch of the two training runs."""
    labels = labels_of_training()
    runs = {}
    for name, minimum in (("simulated", 3), ("nsch_2017", 2)):
        naive = NaiveStratified([labels[name]], {"min_samples_per_stratum": minimum, "seed": 1})
        held = [Counter(naive.codes[row] for row in batch) for batch in naive.batches(0)]
        runs[name] = {
            "min_samples_per_stratum": minimum,
            "seed": naive.seed,
            "n_batches": naive.n_batches,
            "composition": {shown: cut([batch[code] for batch in held]) for code, shown in enumerate(naive.names)},
            "epochs": [cut(joined(naive.batches(epoch))) for epoch in range(3)],
        }
    return runs


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


def bin_cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of the cases of bins."""

    def case(name: str, values: Any, n_bins: int) -> dict[str, Any]:
        return {"name": name, "values": values, "n_bins": n_bins}

    def made(multiplier: int, modulus: int, divisor: int, length: int) -> dict[str, int]:
        return {"multiplier": multiplier, "modulus": modulus, "divisor": divisor, "length": length}

    distinct = [2.5, 1, 40, 7, 3, 100, -3]
    for n_bins in (1, 2, 3, 7, 8, 10**20):
        yield case(f"seven distinct values, {n_bins} bins", distinct, n_bins)
    yield case("one row", [3], 10)
    yield case("all equal", [0.5, 0.5, 0.5], 2)
    yield case("zero and minus zero", [0.0, -0.0, 1, -1], 3)
    yield case("missing values", [1, None, 2, {"special": "NaN"}, 3, 4], 2)
    yield case("infinite values", [1, {"special": "Inf"}, 2, {"special": "-Inf"}], 4)
    yield case("ties at the bottom", [0] * 6 + [1, 2, 3, 4], 5)
    yield case("ties in the middle", [1, 2] + [3] * 6 + [4, 5], 5)
    yield case("ties at the top", [1, 2, 3, 4] + [5] * 6, 5)
    yield case("two values", [0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 2)
    yield case("the middle of a value on the border of two bins", [1, 2, 2, 3], 2)
    yield case("names of 15 digits", [1 / 3, 2 / 3, 1e20, 1e-20, 123456789012345680, 0.1], 6)
    yield case("names of 17 digits, since 15 do not tell the bins apart", [0.1 + 0.2, 0.3, 0.1], 3)
    yield case("the longest whole list, without ties", made(7, 2003, 8, WHOLE), 10)
    for n_bins in (10, 97):
        yield case(f"10^5 rows, many ties, {n_bins} bins", made(7919, 1009, 3, 10**5), n_bins)
        yield case(f"10^5 rows, without ties, {n_bins} bins", made(7919, 100_003, 7, 10**5), n_bins)


def as_text() -> str:
    """Return the text of the file of batches: one case a line."""
    return _as_text(ABOUT, ({"input": case, "expected": expected_of(case)} for case in cases()))


def wanted_as_text() -> str:
    """Return the text of the file of quotas, shares, repeats and batches of one size: one case a line."""
    return _as_text(ABOUT, ({"input": case, "expected": expected_of(case)} for case in wanted_cases()))


def as_in_r(message: str) -> str:
    """Return a message with the refused flag as R writes it, which the files have."""
    return message.replace("Got True instead", "Got TRUE instead").replace("Got False instead", "Got FALSE instead")


def bins_as_text() -> str:
    """Return the text of the file of bins: one case a line."""
    return _as_text(ABOUT_BINS, ({"input": case, "expected": expected_bins(case)} for case in bin_cases()))


def training_as_text() -> str:
    """Return the text of the file of training runs."""
    return json.dumps({"about": ABOUT_TRAINING, **training_runs()}, indent=1) + "\n"


def _as_text(about: str, told: Iterable[dict[str, Any]]) -> str:
    lines = [json.dumps(case) for case in told]
    return '{"about": ' + json.dumps(about) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "batches.json").write_text(as_text(), encoding="utf-8")
    (GOLDEN / "wanted.json").write_text(wanted_as_text(), encoding="utf-8")
    (GOLDEN / "training.json").write_text(training_as_text(), encoding="utf-8")
    (GOLDEN / "bins.json").write_text(bins_as_text(), encoding="utf-8")
