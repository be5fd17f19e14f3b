"""The guard between Python and R: the result of a Python function, or its error, crosses to R as a value."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable


def errors_as_values(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Wrap a function or method that R calls, for R's ``from_python``.

    Returns
    -------
    function
        Returns ``{"value": ...}``, or ``{"error": ...}`` with the class and the text of the exception, because
        reticulate and rpy2 would truncate the text, or turn it into NULL.
    """

    @wraps(function)
    def guarded(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return {"value": function(*arguments, **named)}
        except Exception as error:  # raised on the other side
            return {"error": _text_of(error)}

    return guarded


def _text_of(error: Exception) -> str:
    """Return the class and the full text of an error; bytes in file names that are not characters are escaped."""
    return f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode("utf-8")
