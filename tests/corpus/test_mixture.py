"""Mixtures of files: rules, weights and temperatures, ends of epochs, the mix in every batch, stages and limits."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat.cli import main
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from tests.corpus.mixtures import batches_of, drawn, instance_of, mixture_of, write_lines
from tests.reference.naive_mixtures import epoch_of, plan_of
from tests.refused import refusals

LINES = [30, 60, 5, 90]
FIRST, ALL = {"epoch_end": "first_exhausted"}, {"epoch_end": "all_exhausted"}
RULES = ["f0,f1 20", "f2 10", "* 70"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_lines(tmp_path, LINES)


# Plans ----------------------------------------------------------------------------------------------------------------


def test_the_published_example(folder: Path) -> None:
    (folder / "rules").write_text("\n".join(["# mixture 3\r", *RULES]), encoding="utf-8")
    for rules in (RULES, folder / "rules", str(folder / "rules")):
        plan = mixture_of(folder, sample=1000, rules=rules).plan()
        assert plan["drawn"].tolist() == [67, 134, 100, 700] and plan["rule"].tolist() == [1, 1, 2, 3]
        assert plan["share"].tolist() == pytest.approx([1 / 15, 2 / 15, 0.1, 0.7])
        assert plan["uniform_share"].tolist() == pytest.approx([count / 185 for count in LINES])


@st.composite
def cases(draw: Any, even: bool) -> dict[str, Any]:
    """Return a mixture of up to four files with a plan."""
    lines = draw(st.lists(st.integers(0, 30), min_size=1, max_size=4))
    weights = st.one_of(st.just("*"), st.integers(0, 5), st.floats(0.001, 100).map(lambda weight: round(weight, 3)))
    case: dict[str, Any] = {
        "lines": lines,
        "weights": draw(st.lists(weights, min_size=len(lines), max_size=len(lines))),
        "epoch_end": draw(st.sampled_from(["sample", "first_exhausted", "all_exhausted"])),
        "batch_size": draw(st.integers(1, 9)),
        "shuffle": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**31 - 2)),
        **({"assign": "even"} if even else {}),
    }
    if case["epoch_end"] == "sample":
        case["sample"] = draw(st.one_of(st.integers(2, 60), st.floats(0.01, 0.99).map(lambda share: round(share, 2))))
    return case


def makes_sense(case: dict[str, Any]) -> bool:
    """Return whether a plan draws at most 2,000 lines, of files that have lines, and no line twice in a batch."""
    shared = [count > 0 and weight not in ("*", 0) for count, weight in zip(case["lines"], case["weights"])]
    kept = sum(count for count, weight in zip(case["lines"], case["weights"]) if weight == "*")
    if case["epoch_end"] == "sample" and (case["sample"] < kept and case["sample"] >= 1 or not any(shared)):
        return False
    taken = [sum(both) for both in zip(*plan_of(case))]
    if not 0 < sum(taken) <= 2000:
        return False
    if case.get("assign") != "even":
        return True
    n_batches = -(-sum(taken) // case["batch_size"])
    fits = all(-(-count // n_batches) <= lines for count, lines in zip(taken, case["lines"]))
    return sum(taken) > kept * any(shared) and fits and all(count or not has for count, has in zip(taken, shared))


@given(case=st.one_of(cases(even=False), cases(even=True)), epoch=st.integers(0, 6_700_000))
def test_plans_are_exact_and_epochs_as_documented(case: dict[str, Any], epoch: int) -> None:
    """Largest and smallest epochs, shares and full batches, in fractions; draws by a plain generator."""
    if not makes_sense(case):
        return
    instance = instance_of(**case)
    described, (expected, kept) = instance.describe(), plan_of(case)
    assert described["drawn"].tolist() == expected and described["kept"].tolist() == kept
    batches = batches_of(instance, epoch)
    assert batches == epoch_of(case, epoch)
    sizes = list(map(len, batches))
    assert max(sizes) <= case["batch_size"] and max(sizes) - min(sizes) <= 1


def test_weights_are_any_vector_and_whole_products_are_not_rounded_up(folder: Path) -> None:
    """In floating point the third of 0.3, 0.6 and 0.9 would give 6 lines."""
    series, tensor = pd.Series([3.0, 1, 0, 1]), torch.tensor([3.0, 1, 0, 1], requires_grad=True)
    named = pd.Series([1.0, 0, 1, 3], index=["f3", "f2", "f1", "f0"])
    for weights in ((3, 1, 0, 1), np.array([3, 1, 0, 1]), series, tensor, named):
        assert mixture_of(folder, sample=100, weights=weights).plan()["drawn"].tolist() == [60, 20, 0, 20]
    assert ceil(0.9 / (0.3 + 0.6 + 0.9) * 10) == 6 and drawn([5] * 3, sample=10, weights=[0.3, 0.6, 0.9]) == [2, 4, 5]
    assert drawn([5] * 2, sample=10, weights=[0.1 * 3, 0.7]) == [3, 7] and drawn([30], sample=0.1) == [3]


def test_shares_flatten_from_those_of_lines_to_equal_ones() -> None:
    lines = [1_000_000, 10_000, 100]
    assert drawn(lines, sample=10101, temperature=1) == drawn(lines, sample=10101) == [10000, 100, 1]
    assert drawn(lines, sample=1110, temperature=2) == [1000, 100, 10], "the roots are 1000, 100 and 10"
    assert drawn(lines, sample=300, temperature=1e6) == [101, 100, 100]
    assert drawn([5, 100, 4000], sample=305, cap=200) == [5, 100, 200]
    assert drawn([16, 100, 4000], sample=340, cap=400, temperature=2) == [40, 100, 200]
    for end in (FIRST, ALL):  # without shares of its own an epoch is one pass
        assert drawn(LINES, **end) == drawn(LINES, temperature=1, **end) == LINES


def test_kept_files_come_besides_a_share_and_within_a_number(folder: Path) -> None:
    rules = ["f0 *", "f1 1"]
    with pytest.warns(UserWarning, match="No rule covers 'f2' and 1 other file, which are left out.") as warned:
        share = CorpusMixtureBatchSampler(folder, 8, suffixes=[".txt"], sample=0.2, rules=rules).plan()
    assert warned[0].filename == __file__
    assert share["drawn"].tolist() == [0, 31, 0, 0], "of all lines that no rule keeps, unmatched files included"
    assert share["kept"].tolist() == [30, 0, 0, 0] and share["rule"].isna().tolist() == [False, False, True, True]
    with pytest.warns(UserWarning, match="'f2' and 1 other"):
        assert mixture_of(folder, sample=50, rules=rules).plan()["drawn"].tolist() == [0, 20, 0, 0]
    with pytest.warns(UserWarning, match="These rules are those of no file: 2, 4, counted from 1."):
        found = mixture_of(folder, sample=99, rules=["* 1", "g 2", "f[12] *", "f3 1"]).plan()
    assert found["rule"].tolist() == [1, 3, 3, 1], "rules that keep come first, then the first that covers a file"


def test_a_bad_line_of_rules_is_an_error_with_its_number(folder: Path) -> None:
    for line, message in (
        ("generic", "must have a pattern and a weight on each line. Got 'generic' on line 2 instead."),
        ("generic 65 -tok", "on each line, and no third word. Got '-tok' on line 2 instead."),
        ("generic 0", "must have weights that are positive decimal numbers, or '*'. Got '0' on line 2 instead."),
        ("generic 1e3", "Got '1e3' on line 2"),
        ("IT,,MSDN 20", "must have no empty alternative between commas. Got 'IT,,MSDN' on line 2 instead."),
        ("IT,[a 20", "must have valid Lua patterns. Got '[a' on line 2 instead. In this one, a set is not closed"),
    ):
        with pytest.raises(ValueError) as refused:
            mixture_of(folder, sample=5, rules=["# first", line, "* 5"])
        assert str(refused.value).startswith("The 'rules' parameter must have ") and message in str(refused.value)


# Epochs ---------------------------------------------------------------------------------------------------------------


def test_even_batches_take_their_share_and_epochs_every_line_that_is_not_excluded_in_turn(folder: Path) -> None:
    lines, weights = [10, 30, 4], [25, 20, 3]
    write_lines(folder, lines)
    (folder / "f3.txt").unlink()
    out = ("f0 0", "f0 5", "f0 6", "f1 10")
    mixture = mixture_of(folder, sample=48, weights=weights, assign="even", accept=lambda pair: pair[0] not in out)
    files, seen = np.repeat(range(3), lines), np.zeros(44, dtype=np.int64)
    remains = ~np.isin(np.arange(44), [0, 5, 6, 20])
    held = set()
    for epoch in range(30):
        for batch in mixture.batches(epoch):
            assert len(set(batch)) == len(batch) == 8
            of_files = np.bincount(files[batch], minlength=3)
            assert (of_files >= np.array(weights) // 6).all() and (of_files <= -(-np.array(weights) // 6)).all()
            held.add(int(of_files[2]))
            seen[batch] += 1
        for file in range(3):
            share = Fraction((epoch + 1) * weights[file], int((remains & (files == file)).sum()))
            assert set(seen[remains & (files == file)]) <= {floor(share), ceil(share)}
    assert not seen[~remains].any() and held == {0, 1}


TABLE = {5: [3, 1, "*", 0], 0: [1, 1, 1, 0], 9: [0, 1, 0, 0]}


def test_weights_hold_from_their_epoch_on_and_epochs_differ_in_their_batches(folder: Path) -> None:
    mixture = mixture_of(folder, weights=TABLE, **ALL)
    for epoch in (0, 4, 5, 8, 9, 6_700_000):
        plain = mixture_of(folder, weights=TABLE[max(begin for begin in TABLE if begin <= epoch)], **ALL)
        assert mixture.plan(epoch).equals(plain.plan())
        assert [batch.tolist() for batch in mixture.batches(epoch)] == [
            batch.tolist() for batch in plain.batches(epoch)
        ]
    loader: Any = DataLoader(mixture.dataset(), batch_sampler=mixture, collate_fn=list)
    lengths = []
    for _ in range(11):
        assert len(loader) == len(mixture) and mixture.plan().equals(mixture.plan(mixture.epoch))
        lengths.append(len(mixture))
        assert sum(1 for _ in loader) == lengths[-1]
    assert lengths == [23] * 5 + [31] * 4 + [8] * 2
    shown = [str(mixture_of(folder, weights=weights, **ALL).state()["fingerprint"]) for weights in (TABLE, TABLE[0])]
    assert shown[0] != shown[1] == mixture_of(folder, weights={0: TABLE[0]}, **ALL).state()["fingerprint"]


def test_a_small_part_of_a_large_file_is_drawn_as_r_draws_it() -> None:
    """R redraws repeated numbers below a large limit, of which it draws at most half."""
    rows = instance_of([3 * 10**7], sample=2 * 10**5).draw(0)["rows"]
    assert len(np.unique(rows)) < len(rows) == 2 * 10**5
    large = instance_of([2 * 10**7, 10**7], weights=[2, 1], **FIRST)
    assert large.describe()["drawn"].tolist() == [2 * 10**7, 10**7]
    rest = instance_of([2 * 10**7, 10**3], weights=[10, 1], **FIRST).draw(0)["rows"]
    assert len(np.unique(rest)) == 11_000 and (rest >= 2 * 10**7).sum() == 1000


# Limits ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Two files of pairs, whose lines have 1 to 9 and 1 to 5 words."""
    for name, size in {"a": 90, "b": 30}.items():
        for side, most in (("src", 9), ("tgt", 5)):
            lines = [" ".join(["w"] * (1 + line * 7 % most)) + "\n" for line in range(size)]
            (tmp_path / f"{name}.{side}").write_text("".join(lines), encoding="ascii")
    return tmp_path


@pytest.mark.parametrize("limits", [6, [6, 2], (9, 3), np.array([4, 5])])
def test_lines_beyond_the_limits_are_never_drawn_and_shares_follow_from_the_others(words: Path, limits: Any) -> None:
    dataset = CorpusDataset(words)
    of_sides = np.array([[len(line.split()) for line in lines] for lines in dataset])
    different = of_sides[:, 0] != of_sides[:, 1]
    for accept, also in ((None, np.full(120, True)), (lambda lines: lines[0] != lines[1], different)):
        within = np.flatnonzero((of_sides <= limits).all(axis=1) & also).tolist()
        assert 0 < len(within) < 120
        mixture = CorpusMixtureBatchSampler(words, 16, sample=900, max_length=limits, accept=accept, seed=1)
        assert sorted(set(mixture.batches().rows.tolist())) == within, "all others are, in 900 draws"
        plan = mixture.plan()
        remaining = np.array([sum(row < 90 for row in within), sum(row >= 90 for row in within)])
        assert list(plan)[:4] == ["file", "lines", "excluded", "rule"]
        assert (plan["lines"] - plan["excluded"]).tolist() == remaining.tolist()
        assert plan["drawn"].tolist() == plan_of({"lines": remaining.tolist(), "sample": 900})[0]
        once = CorpusMixtureBatchSampler(words, 16, **ALL, max_length=limits, accept=accept, seed=1)
        assert sorted(once.batches().rows.tolist()) == within
        limited = CorpusDataset(words, max_length=limits, accept=accept)
        assert list(limited) == [dataset[row] for row in within]
        assert limited.lengths().tolist() == of_sides.max(axis=1)[within].tolist()


def test_positions_are_delivered_with_the_items(words: Path) -> None:
    mixture = CorpusMixtureBatchSampler(words, 8, sample=40, max_length=6, seed=1)
    whole = mixture.dataset()
    loader = DataLoader(mixture.dataset(positions=True), batch_sampler=mixture)
    for rows, (positions, lines) in zip(mixture.batches(0), loader):
        assert positions.tolist() == rows.tolist() and list(zip(*lines)) == [whole[row] for row in rows.tolist()]


def test_names_that_are_no_text_and_the_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (b"caf\xe9.txt", b"caf\xc3\xa9.txt"):
        with open(bytes(tmp_path) + b"/" + name, "wb") as text:
            text.write(b"a line\nother\nand a third\n")
    (tmp_path / "rules").write_bytes(b"caf\xc3 1\n")
    options = ["--suffix", ".txt", "--sample", "2", "--rules", str(tmp_path / "rules"), "--max-length", "2"]
    assert main(["corpus", "plan", str(tmp_path), *options]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[:3] == [
        ["file", "lines", "excluded", "rule", "uniform_share", "share", "drawn", "kept"],
        ["café", "3", "1", "1", "0.5000", "1.0000", "2", "0"],
        ["caf\\xe9", "3", "1", "<NA>", "0.5000", "0.0000", "0", "0"],
    ]
    assert " ".join(rows[3]) == "An epoch has 2 lines."
    assert main(["corpus", "plan", str(tmp_path), "--suffix", ".txt", "--sample", "1.0", "--weights", "1,*"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("pystrat: The '--sample' option must be a share below 1")


REFUSED: list[tuple[dict[str, Any], str]] = [
    *(
        ({"weights": weights}, f"The 'weights' parameter must {message}")
        for weights, message in (
            ([1, 2, 3], "have one entry for each file, 4. Got 3 values instead."),
            ([1, 2, 3, -1], "be a list with a number from 0 to 9007199254740992, or '*', for each file. Got a list "),
            ([1, 2, 3, "3"], "hold numbers."),
            ("31*1", "be a list with a number or '.' for each file. Got '31\\*1' instead."),
            ([0, 0, 0, 0], "be above 0 for a file that has lines. Got 4 files without any to draw from instead."),
            ({3: [1] * 4, 1: [1] * 4}, "have weights from epoch 0 on. Got a table from epoch 1 on instead."),
            ({0: [1] * 4, 3: [1, 1]}, "have one entry for each file, 4. Got 2 values instead."),
            ({0: [1] * 4, "5": [1] * 4}, ".* integers from 0 to 6700000, to lists of weights. Got the epoch '5' "),
        )
    ),
    ({"rules": "IT 20"}, "be a file of rules, or a list of rules. Got 'IT 20', no file, instead. Put a rule that is "),
    ({"rules": [["IT 20"]]}, "be a file of rules, or a list of rules. Got a list with 1 value instead."),
    ({"rules": ["z 1"]}, "'rules' parameter must match a file that has lines. Got 4 files without any to draw from"),
    ({"rules": ["* 1"], "weights": [1] * 4}, "The 'weights' parameter must be left out if 'rules' is given"),
    ({"rules": ["* 1"], "temperature": 2}, "The 'temperature' parameter must be left out if 'rules' is given"),
    ({"weights": [1] * 4, "cap": 2}, "The 'cap' parameter must be left out if 'weights' is given. Got 2 instead."),
    *(({"sample": sample}, "be a share below 1, or a number of lines from 2. Got") for sample in (None, 0, 1.0, 2.5)),
    ({"sample": 10, "weights": [1, 1, 1, "*"]}, "'sample' .* must be at least 90, the lines that weights keep. Got 10"),
    (ALL, "The 'sample' parameter must be left out if 'epoch_end' is 'all_exhausted'. Got 60 instead."),
    ({"weights": [1, 1e-9, 1, 0], "sample": None, **ALL}, "'epoch_end' .* must give an epoch from 1 to 2147483647 "),
    ({"num_replicas": 99}, "'num_replicas' .* must leave each batch a row: 62 are drawn for 99 batches. Got 99"),
    ({"assign": "even", "weights": [0, 0, 1, 0]}, "'weights' .* ask for at most 5 lines of 'f2' in a batch. Got 8 "),
    ({"assign": "even", "weights": [1, 0, 0.001, 1]}, "give each file with a share at least one line of an epoch. Got"),
    (
        {"assign": "even", "weights": [0, 1, 1, "*"], "batch_size": 400, "sample": None, **FIRST},
        "The 'batch_size' parameter must be at most the lines that 'first_exhausted' gives an epoch",
    ),
    ({"max_length": [1, 2]}, "'max_length' parameter must have one number for each side, 1, or be one number."),
    ({"max_length": 0}, "The 'source' parameter must have files that have lines. Got 4 files without any to draw from"),
    ({"accept": len}, "'accept' parameter must return true or false for the lines of a position. Got 1 instead."),
]
test_refused = refusals(lambda folder, **given: mixture_of(folder, **{"sample": 60, **given}), REFUSED, "folder")
