"""A misspelled keyword of a constructor, answered with the parameter that was probably meant."""

from __future__ import annotations

import difflib
import inspect
from typing import Any, ClassVar, Iterable, Optional, TypeVar

_Own = TypeVar("_Own", bound="AnswersKeywords")

# What other libraries call the parameters of this one.
_ELSEWHERE = {
    "n": "n_rows",
    "num_batches": "n_batches",
    "num_samples": "sample",
    "random_state": "seed",
    "replace": "replacement",
    "world_size": "num_replicas",
}


class AnswersKeywords:
    """Base class whose constructors name the parameter that an unknown keyword probably means.

    The keywords are checked before `__init__` is called, so that tracebacks and warnings have no frame in between.
    """

    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        own = inspect.signature(cls.__init__)
        # What tools show: the signature of the constructor, not of `__new__`.
        cls.__signature__ = own.replace(
            parameters=list(own.parameters.values())[1:], return_annotation=inspect.Signature.empty
        )

    def __new__(cls: type[_Own], *args: Any, **keywords: Any) -> _Own:
        _check_keywords(cls, keywords)
        return super().__new__(cls)


def _check_keywords(cls: type[AnswersKeywords], keywords: Iterable[str]) -> None:
    """Refuse the first keyword that the constructor of a class does not have."""
    parameters = cls.__signature__.parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for keyword in keywords:
        if keyword not in parameters:
            meant = _meant_by(keyword, list(parameters))
            question = "" if meant is None else f". Did you mean {meant!r}?"
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {keyword!r}{question}")


def _meant_by(keyword: str, names: list[str]) -> Optional[str]:
    if _ELSEWHERE.get(keyword) in names:
        return _ELSEWHERE[keyword]
    return next(iter(difflib.get_close_matches(keyword, names, n=1)), None)
