"""The number of rows that a multiplier keeps, in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any, Union

import numpy as np

from pystrat.messages import as_written, check_number, refused_value, show, show_number

Multiplier = Union[float, Fraction]


def check_one_multiplier(value: Any) -> Multiplier:
    """Return a float whose 15 digits are the multiplier, or a fraction that no such float equals."""
    number = check_number(value, "multiplier", minimum=0, above=True)
    if isinstance(value, np.floating):
        return as_written(value)
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))  # numpy's integers would overflow
        if not np.isfinite(number) or exact != Fraction(show_number(number)):
            return exact
    return number


def multiple_of(minority: int, multiplier: Multiplier) -> int:
    """Return floor(multiplier * minority + 1/2); refuse 0."""
    exact = multiplier if isinstance(multiplier, Fraction) else Fraction(show_number(multiplier))
    kept = int(exact * minority + Fraction(1, 2))
    if kept == 0:
        required = f"keep at least 1 row: be at least {show(0.5)} / {minority}"
        raise refused_value("multiplier", required, show(multiplier))
    return kept
