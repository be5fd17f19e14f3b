"""A Python sampler in R: the same batches, full errors in both directions, any thread, no traces left behind."""

from __future__ import annotations

import json
import random
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbridge
from pystrat import Batches, BatchSampler, StratifiedBatchSampler, epoch_permutation
from rbridge._held_objects import HeldObjects
from rbridge.session import Session, as_array
from tests.reference.golden_vectors import GOLDEN, labels_of

INPUTS = [case["input"] for case in json.loads((GOLDEN / "batches.json").read_text(encoding="utf-8"))["cases"]]
PUBLISHED = np.repeat([1, 0], [600, 19_400])


class Shuffled(BatchSampler):
    """Ten rows in two batches; epoch 3 fails."""

    def _global_length(self) -> int:
        return 2

    def _fingerprint(self) -> str:
        return "Shuffled"

    def _epoch_batches(self, epoch: int) -> Batches:
        if epoch == 3:
            raise ValueError("épée " * 1000)
        return Batches(epoch_permutation(10, seed=self.seed, epoch=epoch), np.array([0, 4, 10]))


def instance_of(r: Session, generator: Any) -> Any:
    return r.call_function(generator, None)


def batches_in_r(r: Session, instance: Any, epoch: int) -> Batches:
    rows, offsets = (as_array(part) for part in r.call_function(instance["batches"], epoch))
    return Batches(rows - 1, offsets)


def assert_same(left: Batches, right: Batches) -> None:
    assert np.array_equal(left.rows, right.rows) and np.array_equal(left.offsets, right.offsets)


# The same batches -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", INPUTS, ids=[case["name"] for case in INPUTS])
def test_the_native_sampler_has_the_same_batches(r: Session, case: dict[str, Any]) -> None:
    sampler = StratifiedBatchSampler(labels_of(case["strata"]), **case["parameters"])
    instance = instance_of(r, rbridge.as_torch_sampler(sampler))
    for epoch in case["epochs"]:
        assert_same(batches_in_r(r, instance, epoch), sampler.batches(epoch))
    plan = r.call_function(instance["plan"])
    assert list(plan.names) == list(sampler.plan.strata)
    composition = sampler.plan.rows_of_strata()
    assert np.array_equal(np.column_stack([as_array(column) for column in plan]), composition)


@pytest.mark.parametrize(
    "sampler", [StratifiedBatchSampler(PUBLISHED, 3, seed=1), Shuffled(seed=1)], ids=["native", "by callback"]
)
def test_a_real_torch_dataloader_in_r_delivers_the_same_batches(sampler: BatchSampler) -> None:
    n_rows = sum(map(len, sampler.batches(0)))
    assert_same(rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows), sampler.batches(0))


def test_r_reads_a_file_and_has_the_same_batches_by_itself() -> None:
    import pandas as pd

    from rbridge.torch_sampler import collect_rows_of_file

    path = Path(__file__).parents[2] / "data" / "nsch_2017.csv.gz"
    columns = ["autism", "sex", "age_group"]
    parameters = {"min_samples_per_stratum": 2, "seed": 7, "missing": "stratum"}
    sampler = StratifiedBatchSampler(pd.read_csv(str(path))[columns], **parameters)
    assert_same(collect_rows_of_file(str(path), columns, **parameters), sampler.batches(0))


def test_a_callback_sampler_advances_its_epochs_and_takes_set_epoch(r: Session) -> None:
    sampler = Shuffled(seed=5)
    generator = rbridge.as_torch_sampler(sampler)
    instance = instance_of(r, generator)
    assert_same(rbridge.collect_rows(instance, 10), sampler.batches(0))
    assert_same(rbridge.collect_rows(instance, 10), sampler.batches(1))
    r.call_function(instance["set_epoch"], 9)
    assert instance["epoch"][0] == 9
    assert_same(rbridge.collect_rows(instance, 10), sampler.batches(9))
    assert sampler.epoch == 0, "the Python sampler's own epoch is left alone"


def test_a_generator_is_a_torch_sampler_with_its_own_class_first(base: Any) -> None:
    stratified = rbridge.as_torch_sampler(StratifiedBatchSampler(PUBLISHED, 3, seed=1))
    assert list(base["class"](stratified)) == ["batch_sampler_stratified", "batch_sampler_generator", "torch_sampler"]
    assert "torch_sampler" in list(base["class"](rbridge.as_torch_sampler(Shuffled(seed=1))))


def test_an_mlr3torch_learner_takes_the_generator(r: Session, base: Any) -> None:
    generator = rbridge.as_torch_sampler(StratifiedBatchSampler(PUBLISHED, 3, seed=1))
    base["loadNamespace"]("mlr3torch")
    learner = r.call_function(base["getExportedValue"]("mlr3", "lrn"), "classif.mlp", batch_sampler=generator)
    values = learner["param_set"]["values"]
    taken = values[list(values.names).index("batch_sampler")]
    assert_same(rbridge.collect_rows(taken, 20_000), StratifiedBatchSampler(PUBLISHED, 3, seed=1).batches(0))


def test_a_data_source_with_another_number_of_rows_is_refused() -> None:
    generator = rbridge.as_torch_sampler(StratifiedBatchSampler(PUBLISHED, 3, seed=1))
    with pytest.raises(rbridge.RError) as error:
        rbridge.collect_rows(generator, 19)
    assert str(error.value) == (
        "The 'strata' parameter must have one value for each row of the dataset, 19. " "Got 20000 values instead."
    )


def test_a_sampler_with_a_rank_is_refused() -> None:
    ranked: Any = {"seed": 1, "num_replicas": 2, "rank": 1}
    for sampler in (StratifiedBatchSampler(PUBLISHED, 3, **ranked), Shuffled(**ranked)):
        with pytest.raises(ValueError, match="must have no rank. Got rank 1 instead. R delivers the batches of all"):
            rbridge.as_torch_sampler(sampler)


# Errors and warnings --------------------------------------------------------------------------------------------------


def test_an_r_error_reaches_python_with_its_text(r: Session, base: Any) -> None:
    text = "Fehler é " + "x" * 5000 + "\nsecond line"
    with pytest.raises(rbridge.RError) as error:
        r.call_function(base["stop"], text)
    assert str(error.value) == text
    assert error.value.r_class == ("simpleError", "error", "condition")


def test_an_error_of_rlang_reaches_python_with_its_bullets(r: Session, base: Any) -> None:
    abort = base["getExportedValue"]("rlang", "abort")
    bullets = r.rinterface.StrSexpVector(["main", "detail"])
    bullets.names = r.rinterface.StrSexpVector(["", "x"])
    with pytest.raises(rbridge.RError, match="main(.|\n)*detail"):
        r.call_function(abort, bullets)


def test_a_python_error_reaches_r_and_comes_back_with_its_text(r: Session) -> None:
    instance = instance_of(r, rbridge.as_torch_sampler(Shuffled(seed=5)))
    r.call_function(instance["set_epoch"], 3)
    with pytest.raises(rbridge.RError) as error:
        rbridge.collect_rows(instance, 10)
    assert str(error.value) == "ValueError: " + "épée " * 1000


def test_r_itself_can_catch_a_python_error(r: Session, base: Any) -> None:
    instance = instance_of(r, rbridge.as_torch_sampler(Shuffled(seed=5)))
    guarded = r.call("guarded_call", instance["batches"], 3)  # R's own tryCatch
    assert list(guarded.names) == ["error", "class"] and guarded[0][0].startswith("ValueError: épée")


def test_an_r_warning_becomes_a_python_warning(r: Session, base: Any) -> None:
    with pytest.warns(UserWarning, match="^mind the gap$"):
        r.call_function(base["warning"], "mind the gap")


@pytest.mark.filterwarnings("always")
def test_a_rare_stratum_of_which_python_has_warned_is_no_news_in_r() -> None:
    with pytest.warns(UserWarning, match="parameter is 3: all rows are in one batch"):
        sampler = StratifiedBatchSampler(["a", "a", "b"], 3, rare="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rbridge.as_torch_sampler(sampler)


# Threads, random states, torch ----------------------------------------------------------------------------------------


def test_any_thread_may_call(r: Session) -> None:
    found: list[Any] = []

    def work(seed: int) -> None:
        sampler = StratifiedBatchSampler(PUBLISHED, 3, seed=seed)
        for made in (sampler, Shuffled(seed=seed)):
            n_rows = sum(map(len, made.batches(0)))
            delivered = rbridge.collect_rows(rbridge.as_torch_sampler(made), n_rows)
            found.append(np.array_equal(delivered.rows, made.batches(0).rows))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_what_a_thread_drops_waits_until_no_other_is_in_r(r: Session) -> None:
    from rpy2.rinterface_lib import _rinterface_capi

    with r.lock:
        dropped = [r.to_r(np.arange(3, dtype=np.int32))]
        address = dropped[0].rid
        thread = threading.Thread(target=dropped.clear)
        thread.start()
        thread.join()
        assert address in _rinterface_capi._R_PRESERVED
    r.to_r(np.arange(3, dtype=np.int32))  # dropped at once, and with it what waits
    assert address not in _rinterface_capi._R_PRESERVED


def test_threads_that_hold_one_r_object_are_all_counted(r: Session) -> None:
    from rpy2.rinterface_lib import _rinterface_capi

    with r.lock:
        held = r.named_list(one=np.arange(3, dtype=np.int32))
        address = held[0].rid
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: [held[0] for _ in range(5_000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    one = held[0]
    assert one.rid == address and _rinterface_capi._R_PRESERVED[address] == 1
    del one
    assert address not in _rinterface_capi._R_PRESERVED


def test_an_object_dropped_in_the_midst_of_a_count_waits_for_its_end() -> None:
    told: list[str] = []

    def preserve(cdata: str) -> None:
        told.append(f"begin {cdata}")
        held.release("garbage")  # as the collector may, at any line
        told.append(f"end {cdata}")

    held = HeldObjects(threading.RLock(), preserve, lambda cdata: told.append(f"drop {cdata}"))
    held.preserve("one")
    held.release("one")
    assert told == ["begin one", "end one", "drop garbage", "drop one"]


def test_the_random_states_of_r_and_python_are_unchanged(r: Session, base: Any) -> None:
    r.call_function(base["set.seed"], 42)
    state = list(r.rinterface.globalenv[".Random.seed"])
    python = random.getstate(), np.random.get_state()[1].tolist()
    for sampler in (StratifiedBatchSampler(PUBLISHED, 3, seed=1), Shuffled(seed=1)):
        n_rows = sum(map(len, sampler.batches(0)))
        rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows)
    assert list(r.rinterface.globalenv[".Random.seed"]) == state
    assert (random.getstate(), np.random.get_state()[1].tolist()) == python


def test_large_samplers_cross_whole(r: Session) -> None:
    labels = np.arange(1_000_000) % 300
    sampler = StratifiedBatchSampler(labels, 5, seed=3)
    assert_same(batches_in_r(r, instance_of(r, rbridge.as_torch_sampler(sampler)), 2), sampler.batches(2))
