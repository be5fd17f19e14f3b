"""Numbers of classes, by their values."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Union

import numpy as np

from pystrat.arrays import as_mapping
from pystrat.lazy_pandas import pd
from pystrat.messages import is_number, show
from pystrat.multiplier import Multiplier, ratio_of
from pystrat.strata import check_keys, strata_of_keys
from pystrat.value_names import name_of


def by_class(values: Any, parameter: str, convert: Callable[[Any], Any]) -> Any:
    """Return a number, or the numbers of classes, in the form of the core; anything else as it is."""
    values = as_mapping(values, parameter)
    if not isinstance(values, Mapping):
        return convert(values) if is_number(values) else values
    check_keys(values, parameter)
    return {key: convert(value) if is_number(value) else value for key, value in values.items()}


def strata_of(settings: Mapping[str, Any], strata: pd.Index, majority: Any) -> dict[str, Any]:
    """Return the numbers of the strata that settings name, and the terms of fractions, as the core takes them."""
    data, multiplier = {}, settings["multiplier"]
    if isinstance(multiplier, Mapping):
        data["multiplier_strata"] = strata_of_keys(multiplier, strata, "multiplier")
    elif settings["majority"] is not None:
        data["majority_stratum"] = strata_of_keys([majority], strata, "majority")
    if settings["weights"] is not None:
        data["weights_strata"] = strata_of_keys(settings["weights"], strata, "weights")
    multipliers = multiplier.values() if isinstance(multiplier, Mapping) else [multiplier]
    ratios = {"multiplier_ratio": [ratio_of(number) or "" for number in multipliers]}
    return {**{name: np.array(codes, dtype=np.float64) for name, codes in data.items()}, **ratios}


def show_numbers(numbers: Union[Multiplier, Mapping[Any, Multiplier]]) -> str:
    """Return a number, or one for each class, as a generator in R shows it."""
    if isinstance(numbers, Mapping):
        return ", ".join(f"{show(name_of(key))}: {show(value)}" for key, value in numbers.items())
    return show(numbers)
