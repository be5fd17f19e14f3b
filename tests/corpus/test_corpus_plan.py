"""Rules and plans: which rule covers a file, and how many lines of it an epoch draws."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.corpus import CorpusPlan
from pystrat.corpus.rules import read_rules
from tests.refused import refusals

PUBLISHED = {"IT1": 30_000, "IT2": 10_000, "MSDN": 60_000, "colloquial": 4_000, "generic": 900_000, "news": 50_000}
RULES = ["IT,MSDN 20", "colloquial 10", "generic 65", "* 5"]


def plan_of(files: dict[str, int], sample: Any, rules: Optional[list[str]] = None) -> CorpusPlan:
    return CorpusPlan(list(files), list(files.values()), sample, rules)


def drawn(plan: CorpusPlan) -> dict[str, int]:
    return {file.name: file.drawn for file in plan.files}


def test_the_published_example(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("\n".join(RULES), encoding="utf-8")
    for rules in (RULES, tmp_path / "rules.txt", str(tmp_path / "rules.txt")):
        plan = CorpusPlan(list(PUBLISHED), list(PUBLISHED.values()), 100_000, rules)
        assert drawn(plan) == dict(zip(PUBLISHED, [6_000, 2_000, 12_000, 10_000, 65_000, 5_000]))
        assert [file.rule.number for file in plan.files if file.rule] == [1, 1, 1, 2, 3, 4]
        assert plan.total == 100_000 and plan.unmatched == ()


def test_shares_of_lines_and_decimals_are_read_as_written() -> None:
    """0.1 of 30 lines is 3, not the next integer above 3.0000000000000002; and likewise for weights."""
    assert drawn(plan_of({"a": 10, "b": 30, "c": 0}, 20)) == {"a": 5, "b": 15, "c": 0}
    assert drawn(plan_of({"a": 10, "b": 30}, 0.5)) == {"a": 5, "b": 15}
    assert drawn(plan_of({"a": 30}, 0.1)) == {"a": 3}
    assert 0.1 * 3 * 10 > 3 and math.ceil(0.1 * 3 / (0.1 * 3 + 0.7) * 10) != 3
    assert drawn(plan_of({"a": 5, "b": 5}, 10, ["a 0.3", "b 0.7"])) == {"a": 3, "b": 7}


def test_kept_files_come_besides_a_share_and_within_a_number() -> None:
    files = {"gold": 100, "web": 1000, "other": 500}
    share = plan_of(files, 0.1, ["gold *", "web 1"])
    assert share.requested == 150, "of all lines that no rule keeps, unmatched files included"
    assert drawn(share) == {"gold": 0, "web": 150, "other": 0} and share.total == 250
    assert share.unmatched == ("other",)
    number = plan_of(files, 150, ["gold *", "web 1"])
    assert drawn(number) == {"gold": 0, "web": 50, "other": 0} and number.total == 150
    everything = plan_of(files, 100, ["gold *", "web 1"])
    assert everything.total == 100 and drawn(everything)["web"] == 0
    with pytest.raises(ValueError, match="must be at least 100, the lines that rules keep. Got 99 instead."):
        plan_of(files, 99, ["gold *", "web 1"])


def test_rules_that_keep_are_looked_at_first_and_then_the_first_that_covers_lines() -> None:
    plan = CorpusPlan(["news", "old", "web"], [1, 1, 1], 3, ["* 1", "news 2", "news.* *", "old *"])
    assert [file.rule and file.rule.number for file in plan.files] == [3, 4, 1]
    assert drawn(plan_of({"a": 0, "b": 7}, 10, ["a 90", "b 10"])) == {"a": 0, "b": 10}, "of empty files no rule counts"
    assert drawn(plan_of({"small": 3, "large": 1000}, 100, ["small 50", "* 50"]))["small"] == 50, "repeatedly"


@st.composite
def requests(draw: Any) -> tuple[dict[str, int], Any, list[str]]:
    files = {f"f{place}": draw(st.integers(0, 1000)) for place in range(draw(st.integers(1, 6)))}
    weights = st.one_of(st.just("*"), st.decimals("0.001", 100, places=3).map(str))
    rules = [f"f{draw(st.integers(0, 6))} {draw(weights)}" for _ in range(draw(st.integers(0, 4)))]
    sample = draw(st.one_of(st.integers(1, 5000), st.floats(0.001, 0.999)))
    return files, sample, [*rules, draw(st.sampled_from(["* 1", "# end"]))]


@given(requests())
def test_the_total_exceeds_the_request_by_less_than_the_number_of_files(request: Any) -> None:
    files, sample, rules = request
    try:
        plan = plan_of(files, sample, rules)
    except ValueError:
        return
    assert -1e-6 < sum(drawn(plan).values()) - plan.requested < max(1, len(files))
    for file in plan.files:
        lines = file.lines if file.rule and file.rule.weight is None else 0
        assert file.kept == lines
        assert file.drawn == 0 or (file.lines > 0 and file.rule is not None and file.rule.weight is not None)
    others = Fraction(str(sample)) * sum(file.lines - file.kept for file in plan.files)
    requested = sample - sum(file.kept for file in plan.files) if isinstance(sample, int) else others
    weights = [Fraction(str(file.rule.weight)) if file.rule and file.rule.weight else 0 for file in plan.files]
    sums = [sum(other.lines for other in plan.files if other.rule is file.rule) for file in plan.files]
    total = sum({file.rule: weight for file, weight, lines in zip(plan.files, weights, sums) if lines}.values())
    for file, weight, lines in zip(plan.files, weights, sums):
        assert file.drawn == (math.ceil(requested * weight / total * file.lines / lines) if weight and lines else 0)


def test_a_file_of_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_bytes(b"# mixture 3\r\nIT,MSDN\t 20\r\n\n  colloquial 10 \ncaf\xc3\xa9 .5\n* *\n")
    rules = read_rules(file)
    assert [(rule.number, rule.text, rule.weight) for rule in rules] == [
        (1, "IT,MSDN", 20),
        (2, "colloquial", 10),
        (3, "café", 0.5),
        (4, "*", None),
    ]
    assert read_rules(str(file)) == rules == read_rules(rules)
    plan = CorpusPlan(["café", "cafe"], [1, 1], 2, rules[:3])
    assert [file.rule and file.rule.number for file in plan.files] == [3, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("generic", "must have a pattern and a weight on each line. Got 'generic' on line 2 instead."),
        ("generic 65 -tok", "on each line, and no third word. Got '-tok' on line 2 instead."),
        ("generic 0", "must have weights that are positive decimal numbers, or '*'. Got '0' on line 2 instead."),
        ("generic 1e3", "Got '1e3' on line 2"),
        ("generic 1/3", "Got '1/3' on line 2"),
        ("IT,,MSDN 20", "must have no empty alternative between commas. Got 'IT,,MSDN' on line 2 instead."),
        ("IT, 20", "Got 'IT,' on line 2"),
        ("IT,[a 20", "must have valid Lua patterns. Got '[a' on line 2 instead. In this one, a set is not closed"),
        ("%bxy 20", "Got '%bxy' on line 2 instead. In this one, %b, a balanced pair, is not supported."),
    ],
)
def test_a_bad_line_is_an_error_with_its_number(line: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        CorpusPlan(["a"], [3], 2, ["# first", line, "* 5"])
    assert str(refused.value).startswith("The 'rules' parameter must have ")
    assert message in str(refused.value)


FILES, SHARE = (
    "must be a file of rules, or a list of rules",
    "'sample' .* must be a share between 0 and 1, or a number of",
)


test_refused = refusals(
    lambda **given: CorpusPlan(["a", "b"], **{"lines": [10, 0], "sample": 5, **given}),
    [
        ({"rules": "IT 20"}, f"{FILES}. Got 'IT 20', no file, instead. Put a rule that is written out into a list."),
        ({"rules": 3}, f"{FILES}. Got 3 instead."),
        ({"rules": [["IT 20"]]}, f"{FILES}. Got a list with 1 value instead."),
        *(({"sample": sample}, SHARE) for sample in (0, 1.0, 2.5, 0.0, -0.5, float("nan"), float("inf"), True, "10")),
        ({"sample": 1e5}, "number 100000.0 instead. A number of lines is written 100000, in R 100000L."),
        ({"rules": ["b 1"]}, "'rules' .* must match a file that has lines. Got 2 files without any to dra"),
        ({"lines": [0, 0]}, "'sample' .* must be taken from files that have lines. Got 2 files without"),
        ({"lines": [0, 0], "sample": 0.5}, "must give an epoch at least one line. Got 0.5, for none instead."),
    ],
)
