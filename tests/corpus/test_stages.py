"""Weights that change by epoch: tables, and functions of the epoch."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from torch.utils.data import DataLoader

from pystrat.corpus import CorpusMixtureBatchSampler
from tests.corpus.mixtures import drawn, write_lines

LINES = [30, 60, 5]
TABLE = {5: [3, 1, "*"], 0: [1, 1, 1], 9: [0, 1, 0]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_lines(tmp_path, LINES)


def mixture_of(folder: Path, weights: Any, **parameters: Any) -> CorpusMixtureBatchSampler:
    chosen = {"suffixes": [".txt"], "epoch_end": "all_exhausted", "seed": 1, **parameters}
    return CorpusMixtureBatchSampler(folder, 8, weights=weights, **chosen)


def weights_in_steps(epoch: int) -> list[Any]:
    """The weights of the table, as a function."""
    return TABLE[max(begin for begin in TABLE if begin <= epoch)]


EITHER = pytest.mark.parametrize("weights", [TABLE, weights_in_steps], ids=["table", "function"])


@pytest.mark.parametrize(
    "weights", [TABLE, MappingProxyType(TABLE), weights_in_steps], ids=["dict", "proxy", "function"]
)
def test_weights_hold_from_their_epoch_on(folder: Path, weights: Any) -> None:
    mixture = mixture_of(folder, weights)
    for epoch in (0, 4, 5, 8, 9, 100, 6_700_000):
        plain = mixture_of(folder, weights_in_steps(epoch))
        assert mixture.plan_of(epoch).files == plain.plan.files
        assert mixture.batches(epoch).rows.tolist() == plain.batches(epoch).rows.tolist()
        assert mixture.batches(epoch).offsets.tolist() == plain.batches(epoch).offsets.tolist()
    assert [drawn(mixture.plan_of(epoch)) for epoch in (4, 5, 9)] == [[60, 60, 60], [180, 60, 0], [0, 60, 0]]
    assert [file.kept for file in mixture.plan_of(7).files] == [0, 0, 5]


@EITHER
def test_the_length_and_the_plan_are_those_of_the_epoch_that_comes_next(folder: Path, weights: Any) -> None:
    mixture = mixture_of(folder, weights)
    loader: Any = DataLoader(mixture.dataset(), batch_sampler=mixture, collate_fn=list)
    lengths = []
    for epoch in range(11):
        lengths.append(len(loader))
        assert mixture.plan.files == mixture.plan_of(epoch).files and len(mixture) == lengths[-1]
        assert sum(1 for _ in loader) == lengths[-1]
    assert lengths == [23] * 5 + [31] * 4 + [8] * 2
    mixture.set_epoch(5)
    assert len(mixture) == 31 and "245 lines" in repr(mixture)


@EITHER
def test_resuming_across_a_change_of_weights(folder: Path, weights: Any) -> None:
    """From batches of the epochs 4 and 5, between which the number of batches changes."""
    mixture = mixture_of(folder, weights)
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
        resumed = pickle.loads(pickle.dumps(mixture_of(folder, weights)))
        resumed.load_state_dict(states[place])
        rows = [batch for _ in range(2) for batch in resumed]
        assert rows == expected[place : place + len(rows)] and len(rows) > 31
    consumed = mixture_of(folder, weights)
    consumed.set_epoch(4)
    next(iter(consumed))
    assert consumed.state_dict(batches_consumed=23)["epoch"] == 5


def test_the_fingerprint_holds_the_table(folder: Path) -> None:
    def fingerprint(weights: Any) -> str:
        return str(mixture_of(folder, weights).state_dict()["fingerprint"])

    assert fingerprint(TABLE) == fingerprint(dict(sorted(TABLE.items())))
    assert fingerprint({0: [1, 1, 1]}) == fingerprint([1, 1, 1]), "one stage is no change"
    others = [TABLE, [1, 1, 1], {**TABLE, 9: [0, 1, 1]}, {0: TABLE[0], 4: TABLE[5], 9: TABLE[9]}, weights_in_steps]
    assert len({fingerprint(weights) for weights in others}) == len(others)


REFUSED: list[tuple[Any, str]] = [
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
    (lambda epoch: [1, 1], "have one entry for each file, 3. Got 2 values instead."),
    (lambda epoch: None, "return the weights of each epoch. Got nothing for epoch 0 instead."),
]


@pytest.mark.parametrize(("weights", "message"), REFUSED)
def test_refused(folder: Path, weights: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        mixture_of(folder, weights)
    assert str(refused.value).startswith("The 'weights' parameter must ")
    assert message in str(refused.value)


def test_what_a_function_returns_later_is_refused_then(folder: Path) -> None:
    mixture = mixture_of(folder, lambda epoch: [1] * (3 - epoch // 2))
    assert len(mixture.batches(1)) == 23
    mixture.set_epoch(2)
    for ask in (lambda: len(mixture), lambda: mixture.plan, lambda: mixture.plan_of(2), lambda: next(iter(mixture))):
        with pytest.raises(
            ValueError, match="^The 'weights' parameter must have one entry for each file, 3. Got 2 val"
        ):
            ask()
    with pytest.raises(ValueError, match="'epoch' parameter must be an integer from 0 to 67"):
        mixture.plan_of(-1)
    with pytest.raises(ValueError, match="'rules' is given"):
        mixture_of(folder, TABLE, rules=["* 1"])
