"""The number of kept rows of each class, in exact numbers."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.messages import as_written, check_number, count_of, refused_type, refused_value, show
from pystrat.multiplier import Multiplier, check_one_multiplier, multiple_of
from pystrat.strata import Strata
from pystrat.stratum_names import check_names, codes_of

_Number = TypeVar("_Number")


def check_multiplier(multiplier: Any) -> Union[Multiplier, dict[str, Multiplier]]:
    """Return the multiplier, or the multiplier of each class by its name."""
    if not isinstance(multiplier, Mapping):
        return check_one_multiplier(multiplier)
    return _check_by_class(multiplier, "multiplier", check_one_multiplier)


def check_weights(weights: Any) -> Optional[dict[str, float]]:
    """Return the weights of classes by name; None if none are given."""
    if weights is None:
        return None
    if not isinstance(weights, Mapping):
        raise refused_type("weights", "name the classes", show(weights))
    return _check_by_class(weights, "weights", _check_one_weight)


def _check_by_class(values: Mapping[Any, Any], parameter: str, check: Callable[[Any], _Number]) -> dict[str, _Number]:
    """Return a number for each class by its name."""
    if not values:
        raise refused_value(parameter, "name at least one class", "0 values")
    names = check_names(values, parameter)
    return {name: check(value) for name, value in zip(names, values.values())}


def show_numbers(numbers: Union[Multiplier, Mapping[str, Multiplier]]) -> str:
    """Return a number, or one for each class, as a generator in R shows it."""
    if isinstance(numbers, Mapping):
        return ", ".join(f"{show(name)}: {show(value)}" for name, value in numbers.items())
    return show(numbers)


def _check_one_weight(value: Any) -> float:
    check_number(value, "weights", minimum=0, above=True)
    return as_written(value)


def kept_rows(
    strata: Strata, multiplier: Union[Multiplier, dict[str, Multiplier]], majority: Optional[str]
) -> NDArray[np.int64]:
    """Return the number of rows of each class in an epoch."""
    counts = strata.counts
    if len(counts) < 2:
        raise refused_value("strata", "have at least two classes", "1 class")
    kept = counts.copy()
    if isinstance(multiplier, dict):
        if majority is not None:
            required = "be left out if 'multiplier' names the classes"
            raise refused_value("majority", required, show(majority))
        codes, minority = codes_of(multiplier, strata.names, "multiplier"), int(counts.min())
        for code, value in zip(codes, multiplier.values()):
            kept[code] = min(int(counts[code]), multiple_of(minority, value))
        return kept
    code = _majority_of(strata, majority)
    kept[code] = min(int(counts[code]), multiple_of(int(counts.sum() - counts[code]), multiplier))
    return kept


def class_weights(strata: Strata, kept: NDArray[np.int64], given: Optional[dict[str, float]]) -> NDArray[np.float64]:
    """Return the weight of each class: the given weight, or its rows divided by those in an epoch."""
    weights = strata.counts / kept
    if given is not None:
        weights[codes_of(given, strata.names, "weights")] = list(given.values())
    return np.asarray(weights)


def _majority_of(strata: Strata, majority: Optional[str]) -> int:
    """Return the code of the class that is downsampled."""
    if majority is not None:
        return codes_of([majority], strata.names, "majority")[0]
    counts = strata.counts
    if len(counts) != 2 or counts[0] == counts[1]:
        same = f", both of {count_of(int(counts[0]), 'row')}" if len(counts) == 2 else ""
        required = f"be given if there are not two classes of different sizes: there are {len(counts)}{same}"
        raise refused_value("majority", required, "nothing")
    return int(counts.argmax())
