"""Multipliers: how many rows are kept, as a multiple of others."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any, Optional, Union

import numpy as np

from pystrat.messages import as_written, check_number, is_number, show_number

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


def as_multiplier(value: Any) -> Any:
    """Return what `check_one_multiplier` returns; a value that it refuses as it is."""
    try:
        return check_one_multiplier(value)
    except (TypeError, ValueError):
        return value


def ratio_of(number: Any) -> Optional[str]:
    """Return the numerator and the denominator of a fraction, in hexadecimal digits, which may be many."""
    if not is_number(number) or not isinstance(number, Rational):
        return None
    return f"{int(number.numerator):x}/{int(number.denominator):x}"
