"""Conditions on a column are evaluated for its distinct values, which are prepared once for all of them."""

from __future__ import annotations

import operator
from typing import Any, Callable

import numpy as np
import pytest

from pystrat.strata import Column
from pystrat.tree.conditions import ColumnValues
from pystrat.tree.specification import Condition
from tests.reference.counted_text import CountedText

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "in": lambda value, asked: value in asked,
    "not in": lambda value, asked: value not in asked,
    "between": lambda value, asked: asked[0] <= value <= asked[1],
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_codes_taken_are_those_whose_values_compare_so(name: str) -> None:
    numbers = np.random.default_rng(1).permutation(np.concatenate([np.arange(-20, 20) / 4, [np.inf, -np.inf, 1e300]]))
    values = ColumnValues(Column(np.arange(len(numbers)), numbers, "number"))
    asked: list[Any] = [*numbers, 0.1, -1e301, 7, True + 2, 10**30]
    if name in ("in", "not in", "between"):
        asked = [[first, second] for first in asked for second in asked]
    for one in asked:
        taken = values.taken(Condition("x", name, one))
        assert taken.tolist() == [COMPARISONS[name](value, one) for value in numbers.tolist()] + [False]


@pytest.mark.parametrize("name", COMPARISONS)
def test_many_conditions_on_many_values_compare_few_of_them(name: str) -> None:
    texts = [CountedText(f"{number:04}") for number in range(2000)]
    column = Column(np.arange(len(texts)), np.array(texts, dtype=object), "text")
    CountedText.compared = 0
    values = ColumnValues(column)
    for text in texts:
        asked = [text, text] if name in ("in", "not in", "between") else text
        values.taken(Condition("x", name, asked))
        values.unknown(Condition("x", name, asked))
    assert CountedText.compared < 40 * len(texts)
