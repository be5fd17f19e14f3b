"""Streams of R's generator against the standard library's Mersenne-Twister, set to R's state.

The same streams are compared with a live R in tests/bridge.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from pystrat._random import RandomStream


class Reference:
    """R's set.seed and its draws, one by one, on the standard library's generator."""

    def __init__(self, seed: int) -> None:
        words = []
        for step in range(50 + 1 + 624):
            seed = (69069 * seed + 1) % 2**32
            words.append(seed)
        self.outputs = random.Random()
        self.outputs.setstate((3, (*words[51:], 624), None))

    def index(self, limit: int) -> int:
        bits = (limit - 1).bit_length()
        while True:
            value = 0
            for _ in range(0, bits + 1, 16):
                value = value * 65536 + (self.outputs.getrandbits(32) >> 16)
            value %= 2**bits
            if value < limit:
                return value

    def uniform(self) -> float:
        return self.outputs.random()  # the same two outputs, the same 53 bits

    def permutation(self, n_rows: int) -> list[int]:
        pool = list(range(n_rows))
        order = []
        for left in range(n_rows, 0, -1):
            place = self.index(left)
            order.append(pool[place])
            pool[place] = pool[left - 1]
        return order


@pytest.mark.parametrize(
    "limit",
    [1, 2, 3, 255, 65_535, 65_536, 65_537, 10**6, 2**31 - 1, 2**31, 2**31 + 1, 2**32, 10**11, 2**53],
)
def test_indices_are_those_of_r_below_any_limit(limit: int) -> None:
    reference = Reference(7)
    stream = RandomStream(7)
    assert stream.indices(limit, 2_000).tolist() == [reference.index(limit) for _ in range(2_000)]


def test_uniforms_have_53_bits() -> None:
    reference = Reference(3)
    drawn = RandomStream(3).uniforms(5_000)
    assert drawn.tolist() == [reference.uniform() for _ in range(5_000)]
    assert (drawn * 2.0**53 % 2 == 1).any()


def test_kinds_of_draws_may_follow_each_other_in_any_order() -> None:
    """Also where an index of two outputs begins with the last one of a block of 624."""
    reference, stream = Reference(11), RandomStream(11)
    for repeat in range(300):
        assert stream.indices(5, 1).tolist() == [reference.index(5)]
        n_rows = 65_540 if repeat % 100 == 0 else repeat
        assert stream.permutation(n_rows).tolist() == reference.permutation(n_rows)
        assert stream.uniforms(1).tolist() == [reference.uniform()]
        assert stream.indices(10**9, 2).tolist() == [reference.index(10**9) for _ in range(2)]


def test_several_calls_draw_what_one_call_draws() -> None:
    parts, whole = RandomStream(5), RandomStream(5)
    for draw in ("uniforms", "indices"):
        arguments = (70_000,) if draw == "indices" else ()
        cut = [getattr(parts, draw)(*arguments, count) for count in (0, 1, 623, 1_000)]
        assert np.concatenate(cut).tolist() == getattr(whole, draw)(*arguments, 1_624).tolist()
