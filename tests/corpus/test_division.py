"""Shares of files from numbers and from a temperature."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat.cli import main
from tests.corpus.mixtures import drawn, plan_of, write_lines
from tests.refused import refusals

LINES = [30, 60, 5, 900]


def test_a_weight_is_of_one_file_whatever_lines_it_has() -> None:
    plan = plan_of(LINES, 100, weights=[3, 1, 0, 1])
    assert drawn(plan) == [60, 20, 0, 20] and plan.unmatched == () and plan.total == 100
    assert [file.share for file in plan.files] == pytest.approx([0.6, 0.2, 0, 0.2])
    assert plan.table()["rule"].isna().all()
    assert drawn(plan_of([0, 7, 3], 10, weights=[90, 5, 5])) == [0, 5, 5], "files without lines do not count"


def test_a_star_keeps_all_lines_and_zero_leaves_a_file_out() -> None:
    plan = plan_of(LINES, 100, weights=["*", 1, "*", 0])
    assert drawn(plan) == [0, 65, 0, 0] and [file.kept for file in plan.files] == [30, 0, 5, 0]
    with pytest.raises(ValueError, match="must be at least 35, the lines that weights keep. Got 34 instead."):
        plan_of(LINES, 34, weights=["*", 1, "*", 0])
    everything = plan_of(LINES, 35, weights=["*", 0, "*", 0])
    assert everything.total == 35 and drawn(everything) == [0] * 4


def test_weights_are_any_vector_and_whole_products_are_not_rounded_up() -> None:
    """In floating point the third of 0.3, 0.6 and 0.9 would give 6 lines."""
    series, tensor = pd.Series([3.0, 1, 0, 1]), torch.tensor([3.0, 1, 0, 1], requires_grad=True)
    for weights in ((3, 1, 0, 1), iter([3, 1, 0, 1]), np.array([3, 1, 0, 1]), series, tensor):
        assert drawn(plan_of(LINES, 100, weights=weights)) == [60, 20, 0, 20]
    assert math.ceil(0.9 / (0.3 + 0.6 + 0.9) * 10) == 6
    assert drawn(plan_of([5] * 3, 10, weights=[0.3, 0.6, 0.9])) == [2, 4, 5]
    assert drawn(plan_of([5] * 2, 10, weights=[0.1 * 3, 0.7])) == [3, 7], "0.30000000000000004 is meant to be 0.3"
    assert drawn(plan_of([5] * 2, 10, weights=np.array([0.3, 0.7], dtype=np.float32))) == [3, 7]


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.one_of(st.just("*"), st.floats(1e-9, 2**53))), min_size=1, max_size=6
    ),
    st.one_of(st.integers(1, 5000), st.floats(0.001, 0.999)),
)
def test_weights_are_rules_of_one_file_each(files: list[tuple[int, Any]], sample: Any) -> None:
    lines, weights = [count for count, _ in files], [weight for _, weight in files]
    written = [weight if weight == "*" else f"{Decimal(repr(weight)):f}" for weight in weights]
    rules = [f"^f{place}$ {text}" for place, text in enumerate(written) if weights[place] != 0]
    try:
        expected = plan_of(lines, sample, rules=rules)
    except ValueError:
        with pytest.raises(ValueError):
            plan_of(lines, sample, weights=weights)
        return
    found = plan_of(lines, sample, weights=weights)
    for name in ("uniform_share", "share", "drawn", "kept"):
        assert [getattr(file, name) for file in found.files] == pytest.approx(
            [getattr(file, name) for file in expected.files]
        ), name


REFUSED: list[tuple[Any, str]] = [
    ([1, 2, 3], "have one entry for each file, 4. Got 3 values instead."),
    ([1] * 5, "have one entry for each file, 4. Got 5 values instead."),
    ([1, 2, 3, -1], "'*', for each file. Got a list with -1 instead."),
    ([1, 2, 3, float("nan")], "Got a list with NaN instead."),
    ([1, 2, 3, float("inf")], "Got a list with Inf instead."),
    ([1, 2, 3, 2**53 + 2], "Got a list with 9.00719925474099e+15 instead."),
    ([1, 2, 3, True], "Got a list with TRUE instead."),
    ([1, 2, 3, "3"], "Got a list with '3' instead."),
    ([1, 2, 3, None], "Got a list with nothing instead."),
    (3, "be a list with a number from 0 to 9007199254740992, or '*', for each file. Got 3 instead."),
    ("31*1", "for each file. Got '31*1' instead."),
    ([0, 0, 0, 0], "be above 0 for a file that has lines. Got 4 files without any to draw 100 from instead."),
]


@pytest.mark.parametrize(("weights", "message"), REFUSED)
def test_other_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        plan_of(LINES, 100, weights=weights)
    assert str(refused.value).startswith("The 'weights' parameter must ")
    assert message in str(refused.value)


test_one_of_rules_weights_and_temperature = refusals(
    partial(plan_of, LINES, 100),
    [
        ({"rules": ["* 1"], "weights": [1] * 4}, "The 'weights' parameter must be left out if 'rules' is"),
        ({"rules": ["* 1"], "temperature": 2}, "'temperature' parameter must be left out if 'rules' is gi"),
        ({"weights": [1] * 4, "temperature": 2}, "must be left out if 'weights' is given. Got 2 instead."),
        *(
            ({"temperature": other}, "The 'temperature' parameter must be a finite number of at least 1. Got ")
            for other in (0.5, 0, float("nan"), float("inf"), "2", True)
        ),
    ],
)


def test_shares_flatten_from_those_of_lines_to_equal_ones() -> None:
    lines = [1_000_000, 10_000, 100]
    assert drawn(plan_of(lines, 10101, temperature=1)) == drawn(plan_of(lines, 10101)) == [10000, 100, 1]
    assert drawn(plan_of(lines, 1110, temperature=2)) == [1000, 100, 10], "the roots are 1000, 100 and 10"
    assert drawn(plan_of(lines, 300, temperature=1e6)) == [101, 100, 100]


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["corpus", "plan", str(write_lines(tmp_path, LINES)), "--suffix", ".txt"]

    def printed(*options: str) -> list[list[str]]:
        assert main([*command, *options]) == 0
        return [line.split()[-2:] for line in capsys.readouterr().out.splitlines()[1:5]]

    assert printed("--sample", "100", "--weights", "3,0.5,*,1.5") == [["57", "0"], ["10", "0"], ["0", "5"], ["29", "0"]]
    assert [line[0] for line in printed("--sample", "100", "--temperature", "1e6")] == ["25", "26", "25", "26"]
    assert [line[0] for line in printed("--epoch-end", "all_exhausted", "--weights", "1,1,1,0")] == [
        "60",
        "60",
        "60",
        "0",
    ]
    assert main([*command, "--sample", "100", "--weights", "3", "--temperature", "2"]) == 2
    assert "'--temperature' option must be left out if 'weigh" in capsys.readouterr().err
    assert main([*command, "--weights", "1,1,1,0"]) == 2
    assert "'--sample' option must be a share" in capsys.readouterr().err
