"""Downsampling in plain Python, as docs/downsampling.md describes it, and its golden vectors.

The order of operations, on which the last digits of normalized weights depend, is that of pystrat.

``python -m tests.reference.golden_downsampling`` writes ``tests/golden/downsampling.json`` afresh, without pystrat.
Only the messages of refusals are written by hand, in the file: add one there before the script meets its case.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import Any, Iterator, Optional

import numpy as np

from tests.reference.golden_vectors import GOLDEN, cut, joined
from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import half_up, strata_of

ABOUT = (
    "Rows are counted from 0. 'sampler': row i of n, from 0, has the class c for which (i * step mod n) lies in the "
    "c-th of the 'counts', its label that of 'labels'; 'rows' and 'offsets' are those of the epochs, in turn. "
    "Multipliers and weights of classes are objects. 'error' is the message, with the name that the sampler has in "
    "Python. 'probabilities' and 'published': what the two functions give; 'columns' are names of columns of the "
    "table, 'classes' names of rates. Long lists are cut as in batches.json. Written by "
    "tests/reference/golden_downsampling.py."
)


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    yield _sampler([1000, 2000], [1, 0], 1, 100, epochs=(0, 1, 6_700_000))
    for in_turn in (False, True):
        for seed in (0, 7, 2**31 - 2):
            yield _sampler([10, 50], ["yes", "no"], 2.5, 9, in_turn=in_turn, seed=seed, epochs=(0, 1, 2, 6_700_000))
            yield _sampler([200, 70_000], [True, False], 3, 50, in_turn=in_turn, seed=seed, epochs=(0, 3))
        yield _sampler([30, 200, 10], ["b", "c", "a"], {"c": 5, "b": 1.25}, 30, in_turn=in_turn, epochs=(0, 1, 9))
        yield _sampler(
            [30, 200, 10], ["b", "c", "a"], 0.5, 10, majority="c", in_turn=in_turn, num_replicas=4, epochs=(0, 1)
        )
        yield _sampler([7, 7], [0.5, -2], 0.5, 4, majority=-2, in_turn=in_turn, epochs=(0, 1, 2))
        yield _sampler([2] * 300, list(range(300)), {"299": 0.5, "0": 0.25}, 600, in_turn=in_turn, epochs=(0, 1))
    for weights in ({"1": 3}, {"1": 3, "0": 0.1}, {"0": 1e308}, {"0": 5e-324, "1": 1e308}, {"0": 1 / 3}):
        yield _sampler([100, 4000], [1, 0], 2.5, 35, weights=weights)
    yield _sampler([30, 200, 10], ["b", "c", "a"], {"c": 5, "b": 1.25}, 30, weights={"a": 7, "c": 2}, in_turn=True)
    for weights in ({"1": 0}, {"1": -1}, {"1": True}, {"1": "one"}, {"2": 1}, {}, 3, "1"):
        yield _sampler([100, 4000], ["1", "0"], 2.5, 35, weights=weights)
    # The rows kept are floor(multiplier * minority + 1/2) of the decimal number: doubles would give another number.
    for multiplier in (
        0.285,
        1.005,
        0.005,
        0.00499999999999999,
        0.35,
        1e-2,
        123456789,
        1e15,
        1e300,
        2.4999999999999996,
    ):
        yield _sampler([100, 40_000], [1, 0], multiplier, 40_100, epochs=())
    for minority in (1, 2, 3, 7, 997):
        for multiplier in (0.5, 0.7, 1 / 3, 2 / 3, 1.5, 12.345, 9.5):
            yield _sampler([minority, 12_000], ["x", "y"], multiplier, 12_997, epochs=())
    for multiplier in (0, -1, True, "one", 0.004, 1e-300, {"no": 1}, {}, {"1": 1, "0": 0}):
        yield _sampler([100, 4000], ["1", "0"], multiplier, 100)
    yield _sampler([100, 4000], [1, 0], {"0": 1}, 100, majority=0)
    for batch_size in (0, 2.5, 1, 40):
        yield _sampler([100, 4000], [1, 0], 40, batch_size, num_replicas=1 if batch_size == 1 else 3)
    yield _sampler([2, 40], [1, 0], 2, 6, num_replicas=3)
    yield _sampler([100, 9900], [1, 0], 0.01, 10)  # what is too few is what is kept
    yield _sampler([100, 9900], [1, 0], 0.01, 10, num_replicas=2)
    yield _sampler([9900, 100], [0, 1], 1, 1)  # kept as many as there are of the other
    yield _sampler([100, 4000], ["1", "0"], 1, 10, majority="no")
    yield _sampler([100, 4000], [0.1 + 0.2, 0.3], 1, 200)
    yield _sampler([100, 100], [1, 0], 1, 10)
    yield _sampler([100, 100, 1], [1, 0, 2], 1, 10)
    yield _sampler([100], [1], 1, 10)
    yield _sampler([100, 4000], [1, 0], 1, 10, in_turn="yes")
    yield _sampler([100, 4000], [1, 0], 1, 10, seed=-1)
    for probabilities, keep_rate in (
        ([0.5, 0.1, 0, 1], 0.05),
        ([[0.5, 0.5], [0.1, 0.9], [1, 0]], [1, 0.05]),
        ([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]], [1, 0.5, 0.02]),
        ([[0.2], [0.3], [0.5]], 0.02),
        ([0.5, 0.1], [0.05]),
        ([[0.2, 0.8005], [0.1, 0.9]], [0.5, 1]),
        ([0.2, 0.3, 0.5], [1, 0.5, 0.02]),
        ([0.2], [1, 0.5]),
        ([[0.5, 0.5], [0.1, 0.9]], 0.05),
        ([[0.5, 0.5], [0.1, 0.9]], [1, 0.5, 0.02]),
        ([[0.2], [0.3]], [1, 0.5]),
        ([1.5], 0.5),
        ([0.5], 0),
        ([0.5], 1.5),
        ([0.5], []),
        (["0.5"], 0.5),
        ([True, False], 0.5),
        ([0.5], "0.5"),
        ([0.5], True),
        ([[1, 0], [0.5, 0.5]], [2.3e-308, 1]),
        ([[1, 0]], [1e-320, 1]),
        ([0.5], 1e-320),
        ([[0, 1], [0, 0]], [0.5, 1]),
        ([[0.2, 0.8], [0.1, 0.8]], [0.5, 1]),
    ):
        yield {"kind": "probabilities", "probabilities": probabilities, "keep_rate": keep_rate}
    for columns, classes in (
        (["no", "yes"], ["yes", "no"]),
        (["no", "yes"], None),
        (None, ["yes", "no"]),
        (["no", "maybe"], ["yes", "no"]),
        (["no", "no"], ["no", "no"]),
    ):
        named = {"columns": columns, "classes": classes}
        yield {"kind": "probabilities", "probabilities": [[0.5, 0.5], [0.1, 0.9]], "keep_rate": [1, 0.25], **named}
    for weight in (1, 2, 19, 20, 31, 0.5, 1 / 3, 1999, 20_000, 0.00001, 0):
        yield {"kind": "published", "weight": weight}


def _sampler(
    counts: list[int],
    labels: list[Any],
    multiplier: Any,
    batch_size: float,
    *,
    epochs: tuple[int, ...] = (0,),
    **parameters: Any,
) -> dict[str, Any]:
    return {
        "kind": "sampler",
        "counts": counts,
        "labels": labels,
        "step": 7919,
        "parameters": {"multiplier": multiplier, "batch_size": batch_size, "seed": 1, **parameters},
        "epochs": list(epochs),
    }


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what a case must give."""
    if case["kind"] == "published":
        return {"values": [round(weight / (1 + case["weight"]), 4) for weight in (1, case["weight"])]}
    return {"values": corrected(**case)} if case["kind"] == "probabilities" else expected_of_sampler(case)


def kept_of(sizes: dict[str, int], parameters: dict[str, Any]) -> dict[str, int]:
    """Return how many rows of each class an epoch keeps."""
    multiplier = parameters["multiplier"]
    if isinstance(multiplier, dict):
        return {name: _kept(size, multiplier.get(name), min(sizes.values())) for name, size in sizes.items()}
    majority = parameters.get("majority", max(sizes, key=sizes.__getitem__))
    others = sum(size for name, size in sizes.items() if name != str(majority))
    return {name: _kept(size, multiplier if name == str(majority) else None, others) for name, size in sizes.items()}


def _kept(size: int, multiplier: Optional[float], minority: int) -> int:
    """Return the rows kept of a class: all without a multiplier, which counts as a decimal number of 15 digits."""
    return size if multiplier is None else max(1, min(size, half_up(Fraction(f"{multiplier:.15g}") * minority)))


def expected_of_sampler(case: dict[str, Any]) -> dict[str, Any]:
    """Return the plan of a sampler, its weights, and its batches as docs/downsampling.md describes them."""
    parameters = case["parameters"]
    labels = labels_of_rows(case)
    names, codes = strata_of([labels])
    keys = list(map(str, dict.fromkeys(labels)))  # names may be equal
    sizes = {key: codes.count(code) for code, key in enumerate(keys)}
    kept = kept_of(sizes, parameters)
    replicas = parameters.get("num_replicas", 1)
    n_batches = ceil(Fraction(ceil(Fraction(sum(kept.values()), parameters["batch_size"])), replicas)) * replicas
    given = parameters.get("weights", {})
    weights = [float(given.get(key, sizes[key] / kept[key])) for key in keys]
    share = None if given else sum(kept.values()) / len(labels)
    batches = []
    for epoch in case["epochs"]:
        if parameters.get("in_turn"):
            batches += naive_epoch(codes, list(kept.values()), n_batches, seed=parameters["seed"], epoch=epoch)
        else:
            order = epoch_order(len(codes), parameters["seed"], epoch)
            rows_of = [[row for row in order if codes[row] == code] for code in range(len(names))]
            line = joined(rows[:count] for rows, count in zip(rows_of, kept.values()))
            batches += [line[batch::n_batches] for batch in range(n_batches)]
    offsets = [
        [0, *accumulate(map(len, batches[begin : begin + n_batches]))] for begin in range(0, len(batches), n_batches)
    ]
    return {
        "n_batches": n_batches,
        "classes": names,
        "kept": list(kept.values()),
        "class_weights": weights,
        "normalised": normalized(weights, list(kept.values()), share),
        "keep_rates": [kept[key] / sizes[key] for key in keys],
        "rows": cut(joined(batches)),
        "offsets": cut(joined(offsets)),
    }


def normalized(weights: list[float], kept: list[int], share: Optional[float]) -> list[float]:
    """Return the weights, divided by their mean over an epoch; the mean of weights that are not given is 1 / `share`.

    The last digits depend on the order of operations, which is that of pystrat; the others are of exact fractions.
    """
    if share is None:
        relative = [weight / max(weights) for weight in weights]
        parts = (weight * (count / sum(kept)) for weight, count in zip(relative, kept))
        mean = list(accumulate(parts))[-1]  # without the corrections of sum() in newer versions of Python
        found = [weight / mean for weight in relative]
    else:
        found = [weight * share for weight in weights]
    exact_mean = sum(Fraction(weight) * count for weight, count in zip(weights, kept)) / sum(kept)
    for number, weight in zip(found, weights):
        exact = Fraction(weight) / exact_mean
        assert abs(Fraction(number) - exact) <= exact / 10**14 + 2 * Fraction(5e-324)  # the smallest double
    return found


def corrected(probabilities: Any, keep_rate: Any, columns: Any = None, classes: Any = None, **_: Any) -> Any:
    """Return Bayes' rule: p_c / keep_rate_c, divided by the sum over the classes."""
    given, rates = np.array(probabilities, dtype=float), np.array(keep_rate, dtype=float)
    if rates.size == 1:
        return (rates * given / (rates * given + (1 - given))).tolist()
    if classes is not None:
        rates = np.array([dict(zip(classes, keep_rate))[name] for name in columns])
    shares = given / rates
    return (shares / shares.sum(axis=-1, keepdims=True)).tolist()


def labels_of_rows(case: dict[str, Any]) -> list[Any]:
    """Return the label of each row of a case."""
    n_rows = sum(case["counts"])
    codes = [code for code, count in enumerate(case["counts"]) for _ in range(count)]
    return [case["labels"][codes[row * case["step"] % n_rows]] for row in range(n_rows)]


def as_text() -> str:
    """Return the text of the file: one case a line. Messages of refusals are kept as the file has them."""
    told = json.loads((GOLDEN / "downsampling.json").read_text(encoding="utf-8"))["cases"]
    refused = {json.dumps(case["input"]): case["expected"] for case in told if "error" in case["expected"]}
    expected = ((case, refused.get(json.dumps(case)) or expected_of(case)) for case in cases())
    lines = [json.dumps({"input": case, "expected": result}) for case, result in expected]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "downsampling.json").write_text(as_text(), encoding="utf-8")
