"""Uniform batches: R's draws, every subset equally likely, the same rows whatever was drawn before."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest

from pystrat import UniformBatchSampler
from pystrat.seeds import epoch_seed
from tests.reference.chi_square import assert_follows
from tests.reference.naive_random import NaiveStream


@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (2, 2), (10, 3), (700, 700), (65_535, 5), (65_540, 20), (70_000, 3_000), (10**6, 256)]
)
def test_a_batch_is_r_s_sample_without_replacement(n: int, k: int) -> None:
    sampler = UniformBatchSampler(n, k, n_batches=3, seed=7)
    reference = NaiveStream(epoch_seed(7, 2))
    assert [batch.tolist() for batch in sampler.batches(2)] == [reference.permutation(n, k) for _ in range(3)]


def test_with_replacement_a_batch_is_r_s_sample_with_it() -> None:
    sampler = UniformBatchSampler(70_000, 5, replacement=True, n_batches=4, seed=7)
    reference = NaiveStream(7)
    assert sampler.batches(0).rows.tolist() == [reference.index(70_000) for _ in range(20)]
    assert len(UniformBatchSampler(3, 10, replacement=True, n_batches=2)) == 2


def test_rows_are_unique_within_a_batch_not_across_an_epoch() -> None:
    batches = UniformBatchSampler(50, 20, n_batches=100, seed=1).batches(0)
    assert all(len(set(batch.tolist())) == 20 for batch in batches)
    assert set(np.bincount(batches.rows)) > {40}


def test_every_ordered_subset_is_equally_likely() -> None:
    number = {rows: place for place, rows in enumerate(permutations(range(5), 3))}
    batches = UniformBatchSampler(5, 3, n_batches=60_000, seed=1).batches(0).rows.reshape(-1, 3)
    counts = np.bincount([number[tuple(rows)] for rows in batches.tolist()], minlength=60)
    assert_follows(counts, np.full(60, 1 / 60))


@pytest.mark.parametrize(("n", "k"), [(20, 5), (20, 19), (64, 32)])
def test_the_variance_of_a_batch_mean_shrinks_by_the_factor_of_a_finite_population(n: int, k: int) -> None:
    values = np.random.default_rng(1).normal(size=n)
    repeats = 200_000
    means = values[UniformBatchSampler(n, k, n_batches=repeats, seed=1).batches(0).rows.reshape(-1, k)].mean(axis=1)
    expected = values.var() / k * (n - k) / (n - 1)
    assert abs(means.var() / expected - 1) < 5 * np.sqrt(2 / repeats)
    assert abs(means.mean() - values.mean()) < 5 * np.sqrt(expected / repeats)


def test_a_batch_depends_on_none_before_it_and_an_epoch_on_no_other() -> None:
    for size in (1, 37, 400, 999, 1000):
        sampler = UniformBatchSampler(1000, size, n_batches=3, seed=3)
        first = sampler.batches(0).rows.tolist()
        sampler.batches(1)
        assert sampler.batches(0).rows.tolist() == first


def test_threads_draw_at_the_same_time() -> None:
    sampler = UniformBatchSampler(20_000, 5_000, seed=3)
    expected = [sampler.batches(epoch).rows.tolist() for epoch in range(8)]
    with ThreadPoolExecutor(4) as threads:
        drawn = list(threads.map(lambda epoch: sampler.batches(epoch).rows.tolist(), list(range(8)) * 8))
    assert drawn == expected * 8


def test_length_batch_size_and_replicas() -> None:
    sampler = UniformBatchSampler(100, 7, seed=1)
    assert (len(sampler), sampler.batch_size) == (14, 7)
    whole = UniformBatchSampler(100, 7, seed=1, num_replicas=4)
    ranks = [UniformBatchSampler(100, 7, seed=1, num_replicas=4, rank=rank) for rank in range(4)]
    assert len(whole) == 12 and {len(rank) for rank in ranks} == {3}
    assert [batch for turn in zip(*ranks) for batch in turn] == list(whole)


def test_copies_are_small_and_alike() -> None:
    sampler = UniformBatchSampler(10**6, 10, seed=1)
    first = next(iter(sampler))
    assert len(pickle.dumps(sampler)) < 1000
    for twin in (pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)):
        twin.set_epoch(0)
        assert next(iter(twin)) == first


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("size", [2**30, 2**31 - 1])
def test_an_epoch_beyond_the_memory_is_refused_by_numpy(size: int, replacement: bool) -> None:
    sampler = UniformBatchSampler(size, size, replacement=replacement, n_batches=2**31 - 1, seed=1)
    with pytest.raises((ValueError, MemoryError)):
        sampler.batches(0)


def test_lack_of_memory_is_an_error_after_which_samplers_go_on() -> None:
    code = """
import resource
from pystrat import UniformBatchSampler
large = UniformBatchSampler(2**30, 10, n_batches=1, seed=1)
endless = UniformBatchSampler(2, 2**20, replacement=True, n_batches=2**11, seed=1)
small = UniformBatchSampler(10, 3, seed=1)
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 2**28, resource.RLIM_INFINITY))
for sampler in (large, large, endless):  # the core has no memory, then NumPy
    try:
        sampler.batches(0)
    except MemoryError:
        print("MemoryError", list(small.batches(0)[0]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["MemoryError [8, 3, 6]"] * 3
