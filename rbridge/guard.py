"""The guard at the border to R: what a Python function returns, or its error, crosses as a value, and R raises it."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable


def errors_as_values(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Wrap a function or method that R calls, for R's ``from_python``.

    Returns
    -------
    function
        Returns ``{"value": ...}``, or ``{"error": ...}`` with the class and the text of the exception, since reticulate
        and rpy2 would cut the text, or turn it into NULL.
    """

    @wraps(function)
    def guarded(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return {"value": function(*arguments, **named)}
        except Exception as error:  # the other side of the border raises it
            return {"error": _text_of(error)}

    return guarded


def _text_of(error: Exception) -> str:
    """Return an error's class and text, whole; bytes of a file's name that are no characters are escaped."""
    return f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode("utf-8")
