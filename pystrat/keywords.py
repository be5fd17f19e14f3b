"""A misspelled keyword of a constructor, answered with the parameter that was probably meant."""

from __future__ import annotations

import difflib
import inspect
from abc import ABCMeta
from typing import Any, Iterable, Optional

# What other libraries call the parameters of this one.
_ELSEWHERE = {
    "n": "n_rows",
    "num_batches": "n_batches",
    "num_samples": "sample",
    "random_state": "seed",
    "replace": "replacement",
    "world_size": "num_replicas",
}


class AnswersKeywords(ABCMeta):
    """The class of classes whose constructors name the parameter that an unknown keyword probably means."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            _check_keywords(cls, kwargs)
        return super().__call__(*args, **kwargs)

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature that tools show: that of the constructor, not of `__call__`."""
        own = inspect.signature(cls.__init__)  # type: ignore[misc]
        return own.replace(parameters=list(own.parameters.values())[1:], return_annotation=inspect.Signature.empty)


def _check_keywords(cls: AnswersKeywords, keywords: Iterable[str]) -> None:
    """Refuse the first keyword that the constructor of a class does not have, if a parameter is meant by it."""
    parameters = cls.__signature__.parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for keyword in keywords:
        meant = None if keyword in parameters else _meant_by(keyword, list(parameters))
        if meant is not None:
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {keyword!r}. Did you mean {meant!r}?")


def _meant_by(keyword: str, names: list[str]) -> Optional[str]:
    if _ELSEWHERE.get(keyword) in names:
        return _ELSEWHERE[keyword]
    return next(iter(difflib.get_close_matches(keyword, names, n=1)), None)
