"""What ends an epoch of a mixture, a sample or a file that is exhausted; weights that change by epoch."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from torch.utils.data import DataLoader

from pystrat.seeds import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
from tests.corpus.mixtures import drawn, drawn_lines, plan_of, write_lines
from tests.reference.naive_random import NaiveStream
from tests.refused import refusals

LINES = [30, 60, 5, 0]
FIRST, ALL = {"epoch_end": "first_exhausted"}, {"epoch_end": "all_exhausted"}


def test_shares_in_relation_to_lines_decide_which_file_ends_the_epoch() -> None:
    """By 2, 6 and 1 the second file has 10 lines for each part of its weight, the others 15 and 5."""
    assert drawn(plan_of(LINES, weights=[1, 1, 1, 1], **FIRST)) == [5, 5, 5, 0]
    assert drawn(plan_of(LINES, weights=[1, 1, 1, 1], **ALL)) == [60, 60, 60, 0]
    assert drawn(plan_of(LINES, weights=[2, 6, 1, 1], **FIRST)) == [10, 30, 5, 0]
    assert drawn(plan_of(LINES, weights=[2, 6, 1, 1], **ALL)) == [30, 90, 15, 0]
    assert drawn(plan_of(LINES, weights=[3, 12, 0.5, 0], **FIRST)) == [15, 60, 2, 0], "2.5 is rounded down"
    assert drawn(plan_of([10_000, 100], temperature=2, **FIRST)) == [1000, 100]
    assert drawn(plan_of([10_000, 100], temperature=2, **ALL)) == [10_000, 1000]
    for end in (FIRST, ALL):  # without shares of its own an epoch is one pass
        assert drawn(plan_of(LINES, **end)) == drawn(plan_of(LINES, temperature=1, **end)) == LINES
        assert drawn(plan_of(LINES, rules=["f[01] 7"], **end)) == [30, 60, 0, 0], "the files of a rule share by lines"
    kept = plan_of(LINES, rules=["f2 *", "f0 1", "f1 3"], **FIRST)
    assert drawn(kept) == [20, 60, 0, 0] and [file.kept for file in kept.files] == [0, 0, 5, 0]
    only = plan_of(LINES, weights=["*", 0, 0, 0], **ALL)
    assert only.total == 30 and drawn(only) == [0, 0, 0, 0] and only.requested == 0


def test_every_small_mixture() -> None:
    """The epoch is the largest without a repeat, or the smallest that exhausts all: one line more or less is not."""
    for lines in product(range(4), repeat=3):
        for weights in product([0, 1, 2, 3.5], repeat=3):
            exact = [Fraction(str(weight)) if count else Fraction(0) for weight, count in zip(weights, lines)]
            total = sum(exact)
            if total == 0:
                with pytest.raises(ValueError, match="must be above 0 for a file that has lines. Got 3 files "):
                    plan_of(lines, weights=weights, **FIRST)
                continue
            shares = [weight / total for weight in exact]
            first, last = (plan_of(lines, weights=weights, **end) for end in (FIRST, ALL))
            ratios = [count / share for share, count in zip(shares, lines) if share]
            assert drawn(first) == [math.floor(min(ratios) * share) for share in shares]
            assert drawn(last) == [math.ceil(max(ratios) * share) for share in shares]
            assert (first.requested, last.requested) == pytest.approx((float(min(ratios)), float(max(ratios))))


test_refused = refusals(
    lambda **chosen: plan_of(**{"lines": LINES, **chosen}),
    [
        ({"epoch_end": "both"}, "'epoch_end' parameter must be one of 'sample', 'first_exhausted', 'all_"),
        ({"epoch_end": None}, "'epoch_end' parameter must be one of"),
        ({**ALL, "sample": 3}, "'sample' parameter must be left out if 'epoch_en"),
        ({"epoch_end": "sample"}, "'sample' parameter must be a share between 0 and 1, or .* Got nothing"),
        ({**ALL, "rules": ["z 1"]}, "'rules' .* match a file that has lines. Got 4 files witho"),
        ({**ALL, "lines": [0]}, "'epoch_end' .* must be taken from files that have lines. Got 1 "),
    ],
)


def mixture_of(folder: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    return CorpusMixtureBatchSampler(folder, 8, suffixes=[".txt"], seed=1, **parameters)


@pytest.mark.parametrize("end", [FIRST, ALL])
def test_each_line_comes_equally_often_up_to_one(tmp_path: Path, end: dict[str, str]) -> None:
    folder = write_lines(tmp_path, LINES)
    chosen: list[dict[str, Any]] = [{}, {"weights": [2, 6, 1, 1]}, {"weights": [2, "*", 7, 0]}, {"temperature": 3}]
    for shares in (*chosen, {"rules": ["f2 *", "f0 3", "* 5"]}):
        mixture = mixture_of(folder, **end, **shares)
        for epoch in range(3):
            counts = np.bincount(mixture.batches(epoch).rows, minlength=sum(LINES))
            for own, file in zip(np.split(counts, np.cumsum(LINES)[:-1]), mixture.plan.files):
                if file.lines == 0:
                    continue
                least = file.drawn // file.lines
                assert own.sum() == file.drawn + file.kept
                assert set(own - (file.kept > 0)) <= {least, least + 1}
                if end is FIRST:
                    assert own.max() <= 1
                elif file.share or file.kept:
                    assert own.min() >= 1
        assert len(mixture) == len(mixture.batches(1)) == -(-mixture.plan.total // 8)


def test_the_rest_is_drawn_as_r_draws_it(tmp_path: Path) -> None:
    folder = write_lines(tmp_path, LINES)
    parameters: dict[str, Any] = {"weights": [2, 7, 1, 0], **ALL}
    mixture, in_order = mixture_of(folder, **parameters), mixture_of(folder, shuffle=False, **parameters)
    assert drawn(mixture.plan) == [30, 105, 15, 0]
    for epoch in range(2):
        stream = NaiveStream(epoch_seed(1, epoch))
        rest = np.array(stream.permutation(60)[:45])
        stream = NaiveStream(epoch_seed(1, epoch))
        for left in range(60, 15, -1):
            stream.indices(left, 1)
        lines = np.concatenate([np.arange(30), 30 + np.arange(60), 30 + rest, np.tile(90 + np.arange(5), 3)])
        assert mixture.batches(epoch).rows.tolist() == lines[stream.permutation(150)].tolist()
        assert in_order.batches(epoch).rows.tolist() == sorted(lines.tolist())


def test_a_small_part_of_a_large_file_takes_little_memory() -> None:
    lines = np.array([2**40, 3 * 10**7], dtype=np.int64)
    rows = drawn_lines(lines, [1000, 1000], [0, 0], 5, shuffle=False, replace=False)
    assert len(np.unique(rows)) == 2000 and (rows >= 2**40).sum() == 1000


def test_an_epoch_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError) as refused:
        mixture_of(write_lines(tmp_path, LINES), weights=[1, 1e-9, 1, 0], **ALL)
    assert str(refused.value) == (
        "The 'epoch_end' parameter must give an epoch at most 2147483647 lines. "
        "Got 'all_exhausted', for 120000000060 instead."
    )


STAGED_LINES = [30, 60, 5]
TABLE = {5: [3, 1, "*"], 0: [1, 1, 1], 9: [0, 1, 0]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_lines(tmp_path, STAGED_LINES)


def staged(folder: Path, weights: Any, **parameters: Any) -> CorpusMixtureBatchSampler:
    return mixture_of(folder, **ALL, weights=weights, **parameters)


def weights_in_steps(epoch: int) -> list[Any]:
    """The weights of an epoch."""
    return TABLE[max(begin for begin in TABLE if begin <= epoch)]


@pytest.mark.parametrize("weights", [TABLE, MappingProxyType(TABLE)], ids=["dict", "proxy"])
def test_weights_hold_from_their_epoch_on(folder: Path, weights: Any) -> None:
    mixture = staged(folder, weights)
    for epoch in (0, 4, 5, 8, 9, 100, 6_700_000):
        plain = staged(folder, weights_in_steps(epoch))
        assert mixture.plan_of(epoch).files == plain.plan.files
        assert mixture.batches(epoch).rows.tolist() == plain.batches(epoch).rows.tolist()
        assert mixture.batches(epoch).offsets.tolist() == plain.batches(epoch).offsets.tolist()
    assert [drawn(mixture.plan_of(epoch)) for epoch in (4, 5, 9)] == [[60, 60, 60], [180, 60, 0], [0, 60, 0]]
    assert [file.kept for file in mixture.plan_of(7).files] == [0, 0, 5]
    mixture.set_epoch(9)
    assert len(mixture) == 8


def test_the_length_and_the_plan_are_those_of_the_epoch_that_comes_next(folder: Path) -> None:
    mixture = staged(folder, TABLE)
    loader: Any = DataLoader(mixture.dataset(), batch_sampler=mixture, collate_fn=list)
    lengths = []
    for epoch in range(11):
        lengths.append(len(loader))
        assert mixture.plan.files == mixture.plan_of(epoch).files and len(mixture) == lengths[-1]
        assert sum(1 for _ in loader) == lengths[-1]
    assert lengths == [23] * 5 + [31] * 4 + [8] * 2
    mixture.set_epoch(5)
    assert len(mixture) == 31 and "245 lines" in repr(mixture)


def test_resuming_across_a_change_of_weights(folder: Path) -> None:
    """From batches of the epochs 4 and 5, between which the number of batches changes."""
    mixture = staged(folder, TABLE)
    expected = [batch.tolist() for epoch in (4, 5, 6) for batch in mixture.batches(epoch)]
    mixture.set_epoch(4)
    iterator, states = iter(mixture), []
    for epoch in (4, 5):
        for _ in range(len(mixture.batches(epoch))):
            states.append(iterator.state_dict())
            next(iterator)
        iterator = iter(mixture)
    assert len(states) == 23 + 31
    for place in (0, 1, 22, 23, 24, 53):
        resumed = pickle.loads(pickle.dumps(staged(folder, TABLE)))
        resumed.load_state_dict(states[place])
        rows = [batch for _ in range(2) for batch in resumed]
        assert rows == expected[place : place + len(rows)] and len(rows) > 31
    assert staged(folder, TABLE).state(4, 23)["epoch"] == 5


def test_the_fingerprint_holds_the_table(folder: Path) -> None:
    def fingerprint(weights: Any) -> str:
        return str(staged(folder, weights).state()["fingerprint"])

    assert fingerprint(TABLE) == fingerprint(dict(sorted(TABLE.items())))
    assert fingerprint({0: [1, 1, 1]}) == fingerprint([1, 1, 1]), "one stage is no change"
    others = [TABLE, [1, 1, 1], {**TABLE, 9: [0, 1, 1]}, {0: TABLE[0], 4: TABLE[5], 9: TABLE[9]}]
    assert len({fingerprint(weights) for weights in others}) == len(others)


REFUSED_WEIGHTS: list[tuple[Any, str]] = [
    ({3: [1, 1, 1], 1: [1, 1, 1]}, "have weights from epoch 0 on. Got a table from epoch 1 on instead."),
    ({0: [1, 1, 1], 3: [1, 1]}, "have one entry for each file, 3. Got 2 values instead."),
    (
        {0: [1, 1, 1], 3: [0, 0, 0]},
        "be above 0 for a file that has lines. Got 3 files without any to draw from instead",
    ),
    ({0: [1, 1, 1], 3: None}, "have a list of weights for each epoch of the table. Got nothing instead."),
    ({0: [1, 1, 1], -1: [1, 1, 1]}, "integers from 0 to 6700000, to lists of weights. Got the epoch -1 instead."),
    ({0: [1, 1, 1], 6_700_001: [1, 1, 1]}, "Got the epoch 6700001 instead."),
    ({0: [1, 1, 1], "5": [1, 1, 1]}, "Got the epoch '5' instead."),
]


@pytest.mark.parametrize(("weights", "message"), REFUSED_WEIGHTS)
def test_refused_weights(folder: Path, weights: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        staged(folder, weights)
    assert str(refused.value).startswith("The 'weights' parameter must ")
    assert message in str(refused.value)
    with pytest.raises(ValueError, match="'epoch' parameter must be an integer from 0 to 67"):
        staged(folder, TABLE).plan_of(-1)
    with pytest.raises(ValueError, match="'rules' is given"):
        staged(folder, TABLE, rules=["* 1"])
