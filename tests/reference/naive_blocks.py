"""Blocks of strata dealt to batches, in plain Python: slow, exactly as documented."""

from __future__ import annotations

from typing import Sequence


def block_begin(count: int, n_blocks: int, block: int) -> int:
    return block * (count // n_blocks) + min(block, count % n_blocks)


def naive_blocks(
    order: Sequence[int], codes: Sequence[int], n_blocks: Sequence[int], n_batches: int
) -> list[list[int]]:
    """Return the batches of an epoch: each block of a stratum is in another batch."""
    n_strata = len(n_blocks)
    sequences: list[list[int]] = [[] for _ in range(n_strata)]
    place_of = {row: place for place, row in enumerate(order)}
    for row in order:
        if codes[row] < n_strata:
            sequences[codes[row]].append(row)
    dealt = [0] * n_strata

    def block_of(stratum: int, block: int) -> list[int]:
        begin, end = (block_begin(len(sequences[stratum]), n_blocks[stratum], place) for place in (block, block + 1))
        return sequences[stratum][begin:end]

    batches = []
    for batch in range(n_batches):
        left = [n_blocks[stratum] - dealt[stratum] for stratum in range(n_strata)]
        room = -(-sum(left) // (n_batches - batch))
        needed = [stratum for stratum in range(n_strata) if left[stratum] == n_batches - batch]
        others = [stratum for stratum in range(n_strata) if 0 < left[stratum] < n_batches - batch]
        others.sort(key=lambda stratum: place_of[block_of(stratum, dealt[stratum])[0]])
        assert len(needed) <= room <= len(needed) + len(others)
        chosen = sorted(needed + others[: room - len(needed)])
        batches.append([row for stratum in chosen for row in block_of(stratum, dealt[stratum])])
        for stratum in chosen:
            dealt[stratum] += 1
    assert dealt == list(n_blocks)
    return batches
