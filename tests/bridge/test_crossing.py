"""What crosses between Python and R: samplers of any kind, rows, full errors in both directions, from any thread."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Callable

import numpy as np
import pytest
from torch.utils.data import RandomSampler

import rbridge
from pystrat import NegativePairBatchSampler, StratifiedBatchSampler, TreeSampler, decode_pairs
from rbridge.session import Session, as_array
from tests.bridge.foreign import LONG_TEXT, Epochs, Huge, Numbers, Shuffled, asymmetric
from tests.bridge.recipes import assert_same_batches, batches_in_r, instance_of

PUBLISHED = np.repeat([1, 0], [600, 19_400])
STRATIFIED = StratifiedBatchSampler(PUBLISHED, 3, seed=1)


def in_r(sampler: Any, n_rows: int, **options: Any) -> list[list[int]]:
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler, **options), n_rows)
    return [batch.tolist() for batch in delivered]


# Samplers and rows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sampler", "n_rows", "expected"),
    [
        (partial(asymmetric), 7, [[0, 6, 2], [5], [1, 3]]),
        ([[3, 0], [2]], 4, [[3, 0], [2]]),
        ([[], [4, 0], [], [1], []], 5, [[], [4, 0], [], [1], []]),
        (Shuffled(seed=1), 10, [batch.tolist() for batch in Shuffled(seed=1).batches(0)]),
        (TreeSampler({"x": [0] * 9}, {"mode": "shuffle"}, length=30, seed=7), 9, None),
    ],
    ids=["a function", "a list of lists", "empty batches", "a batch sampler of your own", "single rows"],
)
def test_a_dataloader_in_r_delivers_the_batches_of_any_sampler(sampler: Any, n_rows: int, expected: Any) -> None:
    given = {"n_batches": 3} if isinstance(sampler, partial) else {}
    assert in_r(sampler, n_rows, **given) == ([[row] for row in sampler] if expected is None else expected)


def test_a_callback_sampler_advances_its_epochs_and_takes_set_epoch(r: Session) -> None:
    sampler = Shuffled(seed=5)
    instance = instance_of(r, sampler)
    for epoch in (0, 1, 9):
        r.call_function(instance["set_epoch"], epoch)
        assert instance["epoch"][0] == epoch
        assert_same_batches(rbridge.collect_rows(instance, 10), sampler.batches(epoch))
    assert_same_batches(rbridge.collect_rows(instance, 10), sampler.batches(10))
    assert sampler.epoch == 0, "the Python sampler's own epoch is left alone"
    told = Epochs()
    instance = instance_of(r, told)
    r.call_function(instance["set_epoch"], 4)
    delivered = [rbridge.collect_rows(instance, 10).rows.tolist() for _ in range(2)]
    assert delivered == [[4, 9], [5, 9]] and told.told == [4, 5]


def test_a_generator_is_a_torch_sampler_that_learners_take(r: Session, base: Any) -> None:
    generator = rbridge.as_torch_sampler(STRATIFIED)
    assert list(base["class"](generator)) == ["batch_sampler_stratified", "batch_sampler_generator", "torch_sampler"]
    assert "torch_sampler" in list(base["class"](rbridge.as_torch_sampler(Shuffled(seed=1))))
    base["loadNamespace"]("mlr3torch")
    learner = r.call_function(base["getExportedValue"]("mlr3", "lrn"), "classif.mlp", batch_sampler=generator)
    values = learner["param_set"]["values"]
    taken = values[list(values.names).index("batch_sampler")]
    assert_same_batches(rbridge.collect_rows(taken, 20_000), STRATIFIED.batches(0))


@pytest.mark.parametrize("n_items", [1, 2**22 - 1, 2**31 - 1])
def test_pairs_have_numbers_beyond_r_s_integers_which_r_decodes(n_items: int, r: Session) -> None:
    dice, largest = np.random.default_rng(1), min(2**53, 2 * n_items * (2**31 - 1))
    numbers = np.unique(np.concatenate([dice.integers(0, largest, 2000), np.arange(20), largest - 1 - np.arange(20)]))
    users, items, labels = decode_pairs(numbers, n_items)
    table = r.call("decode_pairs", numbers.astype(np.float64), n_items)
    for column, expected in zip(table, (users + 1, items + 1, labels)):
        assert as_array(column).tolist() == expected.tolist()
    if n_items == 2**31 - 1:
        sampler = NegativePairBatchSampler([0, 0, 1], [0, 3, 1], 0.3, 5, n_users=2**21, n_items=n_items, seed=3)
        delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10)
        assert delivered.rows.tolist() == sampler.batches(0).rows.tolist() and delivered.rows.max() > 2**51


def test_numbers_of_a_sampler_of_your_own_cross_as_doubles(r: Session) -> None:
    assert batches_in_r(r, instance_of(r, Numbers(seed=1)), 1).rows.tolist() == [2**53 - 1, 0, 0]


# Refusals, errors and warnings ----------------------------------------------------------------------------------------

RANKED: dict[str, Any] = {"seed": 1, "num_replicas": 2, "rank": 1}


@pytest.mark.parametrize(
    ("refused", "error", "message"),
    [
        (lambda: in_r(RandomSampler(range(5)), 5), rbridge.RError, r"must hold row positions. Got [0-4] instead"),
        (lambda: in_r([[0, 3]], 3), rbridge.RError, "of which there are 3. Got row 4, counted from 1, instead."),
        (lambda: in_r(asymmetric, 7, n_batches=2), rbridge.RError, "as its length says, 2. Got 3 in epoch 0 instead."),
        (lambda: in_r([np.array([0, -1], dtype=np.int32)], 3), rbridge.RError, "from 0 to 2147483646. Got -1 instead."),
        (lambda: in_r(Huge(), 9), rbridge.RError, "must hold row positions from 0 to 2147483646. Got "),
        (lambda: in_r(STRATIFIED, 19), rbridge.RError, "sampler was made for, 20000. Got 19 rows instead."),
        (lambda: in_r(StratifiedBatchSampler(PUBLISHED, 3, **RANKED), 9), ValueError, "have no rank. Got rank 1 ins"),
        (lambda: in_r(Shuffled(**RANKED), 9), ValueError, "R delivers the batches of all ranks."),
        (lambda: in_r(STRATIFIED, 9, n_batches=3), ValueError, "'n_batches' parameter must be left out for a sampler"),
        (lambda: in_r(asymmetric, 9), TypeError, "have a length, unless 'n_batches' is given"),
        (lambda: in_r(asymmetric(), 9, n_batches=3), TypeError, "give batches more than once. Got an iterator of cl"),
        (lambda: rbridge.collect_rows(3, 9), TypeError, "'generator' parameter must be a generator or an instance"),
    ],
)
def test_what_has_no_batches_in_r_is_refused(refused: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        refused()


def test_an_error_of_r_reaches_python_with_its_text_its_class_and_its_bullets(r: Session, base: Any) -> None:
    text = "Fehler \u00e9 " + "x" * 5000 + "\nsecond line"
    with pytest.raises(rbridge.RError) as error:
        r.call_function(base["stop"], text)
    assert str(error.value) == text
    assert error.value.r_class == ("simpleError", "error", "condition")
    bullets = base["c"]("main", x="detail")
    with pytest.raises(rbridge.RError, match="main(.|\n)*detail"):
        r.call_function(base["getExportedValue"]("rlang", "abort"), bullets)


def test_an_error_of_python_reaches_r_and_comes_back_with_its_text(r: Session) -> None:
    instance = instance_of(r, Shuffled(seed=5))
    guarded = r.call("guarded_call", instance["batches"], 3)  # R's own tryCatch
    assert list(guarded.names) == ["error", "class"] and guarded[0][0] == f"ValueError: {LONG_TEXT}"
    r.call_function(instance["set_epoch"], 3)
    with pytest.raises(rbridge.RError) as error:
        rbridge.collect_rows(instance, 10)
    assert str(error.value) == f"ValueError: {LONG_TEXT}"


# Threads and random states --------------------------------------------------------------------------------------------


def test_another_thread_is_refused() -> None:
    with ThreadPoolExecutor(1) as threads, pytest.raises(RuntimeError, match="R runs in the main thread only."):
        threads.submit(rbridge.as_torch_sampler, STRATIFIED).result()


def test_the_random_states_of_r_and_python_are_unchanged(r: Session, base: Any) -> None:
    r.call_function(base["set.seed"], 42)
    state = list(r.rinterface.globalenv[".Random.seed"])
    python = random.getstate(), np.random.get_state()[1].tolist()
    for sampler, n_rows in ((STRATIFIED, 20_000), (Shuffled(seed=1), 10)):
        rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows)
    assert list(r.rinterface.globalenv[".Random.seed"]) == state
    assert (random.getstate(), np.random.get_state()[1].tolist()) == python
