"""Uniform batches: R's draws, every subset equally likely, the same rows whatever was drawn before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pystrat import UniformBatchSampler
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_random import NaiveStream


@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (2, 2), (10, 3), (700, 700), (65_535, 5), (65_540, 20), (70_000, 3_000), (10**6, 256)]
)
def test_a_batch_is_r_s_sample_without_replacement(n: int, k: int) -> None:
    sampler = UniformBatchSampler(n, k, n_batches=3, seed=7)
    reference = NaiveStream(epoch_seed(7, 2))
    assert [batch.tolist() for batch in sampler.batches(2)] == [reference.permutation(n, k) for _ in range(3)]


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
        print("MemoryError", small.batches(0)[0].tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["MemoryError [8, 3, 6]"] * 3
