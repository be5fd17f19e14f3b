"""Every invalid input gives its message, word for word as in R, which reads the same file of cases."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import pystrat
from pystrat import StratifiedBatchSampler
from pystrat.core.messages import refusals, refused_value, show
from tests.given_by_pystrat import GOLDEN

MESSAGES = json.loads((GOLDEN / "messages.json").read_text(encoding="utf-8"))
SPECIAL = {"NaN": float("nan"), "Inf": float("inf"), "NA": pd.NA}

SOURCE = Path(__file__).read_text(encoding="utf-8").splitlines()
LINE_OF_CALL = 1 + next(place for place, line in enumerate(SOURCE) if line.endswith("  # the line of the call"))


def in_python(message: str) -> str:
    """Return a message with logical values as Python writes them; those of the file are R's."""
    return message.replace("Got TRUE instead", "Got True instead").replace("Got FALSE instead", "Got False instead")


def value_of(told: Any) -> Any:
    return SPECIAL[told["special"]] if isinstance(told, dict) and set(told) == {"special"} else told


def build(case: dict) -> StratifiedBatchSampler:
    sampler = StratifiedBatchSampler(case["strata"], **arguments_of(case))  # the line of the call
    if "set_epoch" in case:
        sampler.set_epoch(case["set_epoch"])
    return sampler


def arguments_of(case: dict) -> dict[str, Any]:
    return {name: value_of(value) for name, value in case["arguments"].items()}


def calls() -> Iterator[tuple[str, Callable[[], Any], str]]:
    """Yield the name of each case, its call and the message."""
    for case in MESSAGES["cases"]:
        yield case["name"], partial(build, case), case["message"]
    for case in MESSAGES["functions"]:
        yield case["name"], partial(getattr(pystrat, case["function"]), **arguments_of(case)), case["message"]
    for case in MESSAGES["samplers"]:
        name = case["sampler"]["python"]
        yield case["name"], partial(getattr(pystrat, name), **arguments_of(case)), case["message"].format(sampler=name)


@pytest.mark.parametrize(("name", "call", "message"), list(calls()))
def test_refused(name: str, call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        call()
    assert str(refused.value) == in_python(message)


@pytest.mark.parametrize("case", MESSAGES["warnings"], ids=[case["name"] for case in MESSAGES["warnings"]])
def test_warned_or_allowed(case: dict) -> None:
    with pytest.warns(UserWarning) as warned:
        build(case)
    assert [str(warning.message) for warning in warned] == [case["message"]]
    assert warned[0].filename == __file__ and warned[0].lineno == LINE_OF_CALL, "the warning points at the caller"
    StratifiedBatchSampler(case["strata"], **{**case["arguments"], "rare": "allow"})  # warnings are errors in tests


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "nothing"),
        (True, "TRUE"),
        (np.bool_(False), "FALSE"),
        (pd.NA, "NA"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Inf"),
        (2.5, "2.5"),
        (-0.0, "0"),
        (3.0, "3"),
        (np.int64(7), "7"),
        (0.1 + 0.2, "0.3"),
        (10**15, "1e+15"),
        ("text", "'text'"),
        ("a\0\t\r\n\x1b[1m\x7f\x9b\u00e9", r"'a\x00\t\r\n\x1b[1m\x7f\x9b\u00e9'".replace(r"\u00e9", "\u00e9")),
        ([], "0 values"),
        ([1], "1 value"),
        ((1, 2), "2 values"),
        (Fraction(7, 2), "3.5"),
        (np.array(3), "a value of class 'ndarray'"),
        (object(), "a value of class 'object'"),
    ],
)
def test_how_a_value_is_shown(value: Any, shown: str) -> None:
    assert show(value) == shown


def test_the_innermost_place_is_named_and_other_errors_stay() -> None:
    with pytest.raises(ValueError) as error, refusals("of the table"), refusals("of node 'must '"):
        raise refused_value("it's k", "be 1", "2")
    assert str(error.value) == "The 'it's k' parameter of node 'must ' must be 1. Got 2 instead."
    with pytest.raises(ValueError, match="^no$"), refusals("of the table"):
        raise ValueError("no")


@pytest.mark.parametrize("value", [7, 7.0, np.float16(7), np.uint8(7), 0.07 * 100, 7 + 6e-9])
def test_whole_numbers_of_any_type_are_integers_also_if_products_of_doubles_miss_them(value: Any) -> None:
    assert StratifiedBatchSampler(["a"] * 1000, value, seed=1).plan.n_batches == 1000 // 7
