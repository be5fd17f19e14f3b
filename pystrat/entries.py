"""Decorators that add the name of a public function or class to the errors raised inside it.

The code inside refuses a parameter without knowing which public function was called (`pystrat.messages.Refusal`). The
innermost decorated function or method on the way out adds its name, and raises a plain built-in exception with the
traceback of the refusal. The decorators change neither signatures nor docstrings.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar, cast

from pystrat.messages import UnnamedError

_Function = TypeVar("_Function", bound=Callable[..., Any])


def named_by(owner_of: Callable[..., str]) -> Callable[[_Function], _Function]:
    """Return a decorator for functions and methods.

    Parameters
    ----------
    owner_of : callable
        Returns the name for errors. It is called with the first positional argument, which is the instance for methods.
    """

    def decorate(function: _Function) -> _Function:
        @wraps(function)
        def entry(*arguments: Any, **options: Any) -> Any:
            try:
                return function(*arguments, **options)
            except UnnamedError as error:
                raise error.named(owner_of(*arguments[:1])) from error.__cause__

        return cast(_Function, entry)

    return decorate


def named_by_function(function: _Function) -> _Function:
    """Decorate a function or class method so that errors have its name, such as ``bin_target``."""
    return named_by(lambda *_: function.__qualname__)(function)


def named_by_class(method: _Function) -> _Function:
    """Decorate a method so that errors have the name of the instance's class, such as ``SumTree``."""
    return named_by(lambda instance: type(instance).__name__)(method)


def named_by_method(method: _Function) -> _Function:
    """Decorate a method so that errors have the names of the class and the method, such as ``Sampler.report``."""
    return named_by(lambda instance: f"{type(instance).__name__}.{method.__name__}")(method)
