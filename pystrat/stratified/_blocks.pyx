# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (blocks.h): blocks of rows of strata, dealt to batches. The caller checks the limits."""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from pystrat cimport _core as core


def deal_blocks(
    const int32_t[::1] order,
    const int32_t[::1] codes,
    const int64_t[::1] counts,
    const int64_t[::1] n_blocks,
    int64_t n_batches,
):
    """Deal the blocks of an epoch to its batches.

    Parameters
    ----------
    order
        Shape (n,). The rows in the order of the epoch.
    codes
        Shape (n,). The stratum of each row; the number of strata for rows that the epoch leaves out.
    counts
        Shape (number of strata,). How often each code occurs.
    n_blocks
        Shape (number of strata,). The blocks of each stratum, from 0 to `n_batches`; 0 leaves the stratum out.
    n_batches
        At least 1, and at most the sum of `n_blocks`.

    Returns
    -------
    rows : numpy.ndarray of int32
        Batch after batch, each in order of stratum.
    offsets : numpy.ndarray of int64, shape (n_batches + 1,)
    """
    cdef int64_t n_strata = counts.shape[0]
    cdef const int64_t[::1] starts = np.concatenate([[0], np.cumsum(counts)])
    cdef const int64_t[::1] begins = np.concatenate([[0], np.cumsum(n_blocks)])
    cdef int32_t[::1] sequences = np.empty(starts[n_strata], dtype=np.int32)
    cdef int32_t[::1] firsts = np.empty(begins[n_strata], dtype=np.int32)
    cdef int32_t[::1] batch_of = np.empty(begins[n_strata], dtype=np.int32)
    cdef core.Blocks blocks
    blocks.n_strata, blocks.n_batches, blocks.n_all = n_strata, n_batches, begins[n_strata]
    blocks.counts, blocks.n_blocks, blocks.starts, blocks.begins = &counts[0], &n_blocks[0], &starts[0], &begins[0]
    blocks.sequences, blocks.firsts, blocks.batch_of = &sequences[0], &firsts[0], &batch_of[0]
    gather(order, codes, &blocks)
    deal(&blocks)
    return written(&blocks, starts[n_strata])


cdef int gather(const int32_t[::1] order, const int32_t[::1] codes, core.Blocks *blocks) except -1:
    """Find the rows of the strata in the order of the epoch, and the beginning of their blocks."""
    cdef int64_t[::1] ranks = np.zeros(blocks.n_strata, dtype=np.int64)
    cdef int64_t[::1] found = np.zeros(blocks.n_strata, dtype=np.int64)
    cdef int64_t done = 0, end
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.gather_blocks(&order[0], &codes[0], 0, done, end, &ranks[0], &found[0], blocks)
            done = end
    return 0


cdef int deal(core.Blocks *blocks) except -1:
    """Find the batch of each block."""
    cdef int32_t[:, ::1] memory = np.empty((7, blocks.n_strata), dtype=np.int32)
    cdef int32_t[::1] heads = np.empty(blocks.n_batches + 1, dtype=np.int32)
    cdef core.Dealing dealing
    dealing.heap, dealing.keys, dealing.always = &memory[0, 0], &memory[1, 0], &memory[2, 0]
    dealing.left, dealing.next, dealing.previous = &memory[3, 0], &memory[4, 0], &memory[5, 0]
    dealing.heads = &heads[0]
    with nogil:
        core.begin_dealing(blocks, &dealing)
        while not core.deal_blocks(blocks, &dealing, 1 << 12, &memory[6, 0]):
            core.hear_signals()
    return 0


cdef object written(core.Blocks *blocks, int64_t n_rows):
    """Return the rows and the offsets of the epoch."""
    rows, offsets = np.empty(n_rows, dtype=np.int32), np.zeros(blocks.n_batches + 1, dtype=np.int64)
    cdef int32_t[::1] out = rows
    cdef int64_t[::1] places = offsets
    cdef int64_t[::1] free
    cdef int64_t done = 0, end
    with nogil:
        core.fill_block_offsets(blocks, &places[0])
    free = offsets.copy()
    with nogil:
        while done < blocks.n_strata:
            end = core.step_end(done, blocks.n_strata)
            core.write_blocks(blocks, done, end, &free[0], &out[0])
            done = end
    return rows, offsets
