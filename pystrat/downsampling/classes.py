"""Numbers of classes, by their names."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np

from pystrat.messages import is_number, show
from pystrat.multiplier import Multiplier, ratios_of
from pystrat.stratum_names import check_names, codes_of


def by_class(values: Any, parameter: str, convert: Callable[[Any], Any]) -> Any:
    """Return a number, or the numbers of classes by name, in the form of the core; anything else as it is."""
    if not isinstance(values, Mapping):
        return convert(values) if is_number(values) else values
    names = check_names(values, parameter)
    return {name: convert(value) if is_number(value) else value for name, value in zip(names, values.values())}


def strata_of(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the numbers of the strata that settings name, and the terms of fractions, as the core takes them."""
    data, multiplier = {}, settings["multiplier"]
    if isinstance(multiplier, Mapping):
        data["multiplier_strata"] = codes_of(multiplier, names, "multiplier")
    elif settings["majority"] is not None:
        data["majority_stratum"] = codes_of([settings["majority"]], names, "majority")
    if settings["weights"] is not None:
        data["weights_strata"] = codes_of(settings["weights"], names, "weights")
    ratios = ratios_of(list(multiplier.values()) if isinstance(multiplier, Mapping) else [multiplier])
    return {name: np.array(codes, dtype=np.float64) for name, codes in data.items()} | ratios


def show_numbers(numbers: Union[Multiplier, Mapping[str, Multiplier]]) -> str:
    """Return a number, or one for each class, as a generator in R shows it."""
    if isinstance(numbers, Mapping):
        return ", ".join(f"{show(name)}: {show(value)}" for name, value in numbers.items())
    return show(numbers)
