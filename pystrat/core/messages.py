"""One grammar for error messages about parameters, word for word the same in Python and R.

``The 'name' parameter must be what it must be. Got what it got instead. What to do.``
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Collection
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Optional

import numpy as np

from pystrat.core.lazy_pandas import is_loaded, pd

# Control characters, which could change what a terminal shows; R cannot even hold a NUL.
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
_ESCAPES.update({ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"})
_WITHOUT_PLACE = re.compile(r"^(The '.*?' parameter) must ", re.DOTALL)


def show(value: Any) -> str:
    """Return a value as messages show it, in R too: TRUE, NaN, 'text' with control characters escaped, 3 values."""
    if value is None:
        return "nothing"
    if is_loaded() and (value is pd.NA or value is pd.NaT):
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f"'{value.translate(_ESCAPES)}'"
    if is_number(value):
        shown = show_number(value)
        only_looks_whole = shown.lstrip("-").isdigit() and not float(value).is_integer()
        return show_number(value, 17) if only_looks_whole else shown
    if isinstance(value, Collection) and getattr(value, "ndim", 1) > 0:
        try:
            return count_of(len(value), "value")
        except (TypeError, OverflowError):  # a length may be none, or beyond that of Python's sequences
            pass
    return f"a value of class '{type(value).__name__}'"


def shortened(text: str) -> str:
    """Return the first 100 characters of a text, with "..." if there are more."""
    return text if len(text) <= 100 else f"{text[:100]}..."


def is_number(value: Any) -> bool:
    """Return whether a value is a real number: not a logical value, nor a time span, an integer for numpy."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_, np.timedelta64))


def show_number(value: Any, digits: int = 15) -> str:
    """Return a number with at most 15 digits, as ``%.15g``, or with another number of digits."""
    if isinstance(value, numbers.Integral) and abs(int(value)) < 10**15:
        return str(int(value))
    number = float(value) + 0.0  # -0 is shown as 0, which it equals
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Inf" if number > 0 else "-Inf"
    return f"{number:.{digits}g}"


def count_of(counts: Any, noun: str = "") -> str:
    """Return a count, or the range of several, with their noun if given: ``1 row``, ``2 strata``, ``3 to 5``."""
    lowest, highest = int(np.min(counts)), int(np.max(counts))
    shown = f"{lowest}" if lowest == highest else f"{lowest} to {highest}"
    if noun and (lowest != 1 or highest != 1):
        noun = noun[:-2] + "a" if noun.endswith("stratum") else noun + ("es" if noun.endswith("ch") else "s")
    return f"{shown} {noun}".rstrip()


def refused_value(name: str, requirement: str, got: str, advice: Optional[str] = None) -> ValueError:
    """Return an error that says what a parameter must do, what it got, as `show` returns it, and what to do."""
    shown = {"TRUE": "True", "FALSE": "False"}.get(got, got)  # as Python writes them; text is in quotes
    ending = f" {advice}" if advice else ""
    return ValueError(f"The '{name}' parameter must {requirement}. Got {shown} instead.{ending}")


def refused_type(name: str, requirement: str, got: str, advice: Optional[str] = None) -> TypeError:
    """Return the error of `refused_value` for a parameter of the wrong type."""
    return TypeError(*refused_value(name, requirement, got, advice).args)


@contextmanager
def refusals(where: str) -> Iterator[None]:
    """Let refusals in this context say where the parameter is, such as "of the table", unless they already do."""
    try:
        yield
    except (TypeError, ValueError) as error:
        error.args = (_WITHOUT_PLACE.sub(lambda found: f"{found[1]} {where} must ", str(error)),)
        raise


def check_integer(value: Any, name: str, *, minimum: int, maximum: Optional[int] = None) -> int:
    """Return `value` as an int if it is a whole number within the limits, also as a float: R treats 3 and 3L alike."""
    requirement = "be a positive integer" if minimum == 1 else "be a non-negative integer"
    if maximum is not None:
        requirement = f"be {minimum}" if minimum == maximum else f"be an integer from {minimum} to {maximum}"
    if not is_number(value):
        raise refused_type(name, requirement, show(value))
    if not minimum <= value <= (math.inf if maximum is None else maximum) or value == math.inf or int(value) != value:
        raise refused_value(name, requirement, show(value))
    return int(value)


def check_flag(value: Any, name: str) -> bool:
    """Return `value` as a bool if it is one, else raise TypeError."""
    if not isinstance(value, (bool, np.bool_)):
        raise refused_type(name, "be true or false", show(value))
    return bool(value)


def check_iterable(values: Any, name: str, *, required: str) -> Any:
    """Return `values` if it can be iterated over, else raise TypeError."""
    if not is_iterable(values):
        raise refused_type(name, required, show(values))
    return values


def is_iterable(values: Any) -> bool:
    """Return whether `values` can be iterated over, which some arrays only claim."""
    claims_only = isinstance(values, memoryview) or hasattr(values, "toarray") or getattr(values, "ndim", 1) == 0
    return isinstance(values, Iterable) and not claims_only


def check_list(values: Any, name: str, *, required: str, kinds: tuple[type, ...]) -> list[Any]:
    """Return `values` as a list if it is an iterable of objects of these kinds, else raise TypeError."""
    items = list(check_iterable(values, name, required=required))
    for item in items:
        if not isinstance(item, kinds):
            raise refused_type(name, required, f"a list with {show(item)}")
    return items
