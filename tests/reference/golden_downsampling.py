"""Downsampling in plain Python, as docs/downsampling.md describes it.

The order of operations, on which the last digits of normalized weights depend, is that of pystrat.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import Any, Optional

import numpy as np

from tests.reference.golden_vectors import cut, joined
from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import half_up, strata_of


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
        "normalised": normalized(weights, list(kept.values())),
        "keep_rates": [kept[key] / sizes[key] for key in keys],
        "rows": cut(joined(batches)),
        "offsets": cut(joined(offsets)),
    }


def normalized(weights: list[float], kept: list[int]) -> list[float]:
    """Return the weights, divided by their mean over an epoch.

    The last digits depend on the order of operations, which is that of pystrat; the others are of exact fractions.
    """
    relative = [weight / max(weights) for weight in weights]
    parts = (weight * (count / sum(kept)) for weight, count in zip(relative, kept))
    mean = list(accumulate(parts))[-1]  # without the corrections of sum() in newer versions of Python
    found = [weight / mean for weight in relative]
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
