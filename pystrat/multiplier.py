"""Multipliers: how many rows are kept, as a multiple of others."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np

from pystrat.messages import as_written, check_number, show_number

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

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


def terms_of(multipliers: Sequence[Multiplier]) -> dict[str, NDArray[np.float64]]:
    """Return the terms of fractions, as the core takes them: 0 for a decimal number."""
    terms = np.zeros((len(multipliers), 2))
    for place, multiplier in enumerate(multipliers):
        if isinstance(multiplier, Fraction):
            terms[place] = _small_terms(min(multiplier, Fraction(2**31)))
    return {"multiplier_terms": terms.ravel()}


def _small_terms(multiplier: Fraction) -> tuple[int, int]:
    """Return the terms of a fraction that keeps as many rows: the largest one that is not above it.

    The number of rows changes at multiples of 1 / (2 * minority), and no dataset has as many rows as 2^31.
    """
    largest = 2**32 // max(int(multiplier), 1)
    nearest = multiplier.limit_denominator(largest)
    above, by = nearest.numerator, nearest.denominator
    if nearest <= multiplier:
        return above, by
    # Its neighbor among the fractions with these denominators: above / by - p / q is 1 / (by * q).
    q = pow(above, -1, by)
    q += (largest - q) // by * by
    return (above * q - 1) // by, q
