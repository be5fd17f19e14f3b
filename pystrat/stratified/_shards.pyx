# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (shards.h): rows of shards, dealt to batches. The caller checks the limits."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from pystrat cimport _core as core

ctypedef fused code_type:
    uint8_t
    int32_t


def lay_out(const int64_t[::1] counts, const int64_t[::1] begins, int64_t n_batches, int32_t[::1] layout):
    """Compute where each batch begins, and the place of each row in the epoch.

    Parameters
    ----------
    counts, begins
        Shape (number of cells,). The rows of each stratum in each shard, shard by shard, and the batch of the first.
    n_batches
        At least 1.
    layout
        Shape (n,), n the sum of `counts`. The result.

    Returns
    -------
    numpy.ndarray of int64, shape (n_batches + 1,)
    """
    cdef core.ShardCells cells
    cdef core.ShardOffsets adding = core.ShardOffsets(0, 0, 0)
    cdef core.ShardsProgress progress
    cdef int64_t whole = 0, done = 0, end
    offsets = np.zeros(n_batches + 1, dtype=np.int64)
    cdef int64_t[::1] places = offsets, free
    cells.n_cells, cells.n_batches, cells.counts, cells.begins = counts.shape[0], n_batches, &counts[0], &begins[0]
    with nogil:
        while done < cells.n_cells:
            end = core.step_end(done, cells.n_cells)
            core.count_shard_rows(&cells, done, end, &whole, &places[0])
            done = end
        while adding.batch <= n_batches:
            core.add_up_shard_rows(whole, core.step_end(adding.batch, n_batches + 1), &adding, &places[0])
    free = offsets.copy()
    core.begin_shard_layout(&progress)
    with nogil:
        while not core.fill_shard_layout(&cells, core.STEP, &progress, &free[0], &layout[0]):
            core.hear_signals()
    return offsets


def scatter(
    code_type[::1] codes,
    const int64_t[:, ::1] counts,
    const int32_t[::1] layout,
    int32_t[::1] rows,
    const int64_t[::1] shards,
    uint32_t n_shards,
    uint32_t seed,
    int64_t epoch,
):
    """Draw an epoch: shuffle each shard separately, and put each row in its place.

    Parameters
    ----------
    codes
        Shape (n,). The stratum of each row, shard after shard.
    counts
        Shape (number of shards of this process, number of strata). How often each code occurs in each shard.
    layout
        Shape (n,). The layout filled by `lay_out`.
    rows
        Shape (n,). The result.
    shards
        The numbers of the shards of this process, each below `n_shards`.
    n_shards
        Of all processes.
    seed
    epoch
        Below 2^31 / n_shards; -1 keeps the rows of each stratum in each shard in their order.
    """
    cdef int64_t n_strata = counts.shape[1], shard, first_row = 0, size, longest = 0, done = 0
    cdef core.ShardCells cells
    cdef int64_t[::1] cursors = np.empty(n_strata, dtype=np.int64)
    cdef int32_t[::1] pool
    cells.counts = &counts[0, 0]
    for shard in range(shards.shape[0]):
        longest = max(longest, core.shard_rows(&cells, shard * n_strata, n_strata))
    pool = np.empty(longest, dtype=np.int32)
    with nogil:
        for shard in range(shards.shape[0]):
            size = core.shard_rows(&cells, shard * n_strata, n_strata)
            if size == 0:
                continue
            core.fill_shard_cursors(&cells, shard * n_strata, n_strata, first_row, &cursors[0])
            if epoch < 0:
                scatter_in_order(&codes[first_row], size, &cursors[0], &layout[0], first_row, &rows[0])
            else:
                scatter_shard(
                    core.shard_seed(seed, <uint32_t>epoch, n_shards, <uint32_t>shards[shard]),
                    &pool[0],
                    &codes[first_row],
                    size,
                    &cursors[0],
                    &layout[0],
                    first_row,
                    &rows[0],
                )
            first_row += size
            done += size
            if done >= core.STEP:  # many small shards
                core.hear_signals()
                done = 0


cdef int scatter_shard(
    uint32_t seed,
    int32_t *pool,
    code_type *codes,
    int64_t size,
    int64_t *cursors,
    const int32_t *layout,
    int64_t first_row,
    int32_t *rows,
) except -1 nogil:
    """Shuffle the rows of a shard, which begin at `first_row`, and put them in their places."""
    cdef core.Generator generator
    cdef uint32_t left = <uint32_t>size
    core.seed_generator(&generator, seed)
    core.fill_in_order(pool, left)
    while left > 0:
        if code_type is uint8_t:
            left = core.scatter_permutation_uint8(
                &generator, pool, left, core.STEP, codes, cursors, layout, <int32_t>first_row, rows
            )
        else:
            left = core.scatter_permutation_int32(
                &generator, pool, left, core.STEP, codes, cursors, layout, <int32_t>first_row, rows
            )
        if left > 0:
            core.hear_signals()
    return 0


cdef int scatter_in_order(
    code_type *codes,
    int64_t size,
    int64_t *cursors,
    const int32_t *layout,
    int64_t first_row,
    int32_t *rows,
) except -1 nogil:
    """Put the rows of a shard in their places without shuffling."""
    cdef int64_t done = 0, end
    while done < size:
        end = core.step_end(done, size)
        if code_type is uint8_t:
            core.scatter_in_order_uint8(
                <uint32_t>done, <uint32_t>end, codes, cursors, layout, <int32_t>first_row, rows
            )
        else:
            core.scatter_in_order_int32(
                <uint32_t>done, <uint32_t>end, codes, cursors, layout, <int32_t>first_row, rows
            )
        done = end
    return 0
