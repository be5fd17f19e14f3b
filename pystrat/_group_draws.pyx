# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Numbers drawn within groups that have their own limits, with or without replacement (group_draw.h of the core)."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t

cimport pystrat._core as core
from pystrat._random cimport RandomStream


cdef int64_t count_places(
    const int64_t[::1] firsts, const int64_t[::1] limits, const int64_t[::1] counts, bint distinct
) except -1:
    """Return the sum of the counts; refuse a sum that is too large, and draws from empty groups."""
    cdef int64_t n_places = 0
    cdef Py_ssize_t group
    if firsts.shape[0] != counts.shape[0] or limits.shape[0] != counts.shape[0]:
        raise ValueError("firsts, limits and counts must have one length")
    for group in range(counts.shape[0]):
        if counts[group] < 0 or counts[group] > core.LARGEST_COUNT - n_places:
            raise ValueError("counts must be at least 0, and 2^31 - 1 in all at most")
        if counts[group] > 0 and limits[group] < (counts[group] if distinct else 1):
            raise ValueError("limits must be as large as what is drawn within them")
        n_places += counts[group]
    return n_places


def indices_within(
    RandomStream stream not None,
    const int64_t[::1] firsts not None,
    const int64_t[::1] limits not None,
    const int64_t[::1] counts not None,
):
    """Draw, for each group in turn, ``counts[g]`` of the numbers ``firsts[g] .. firsts[g] + limits[g] - 1``.

    With replacement: R's ``sample.int(limits[g], counts[g], replace = TRUE)``. A limit is at least 1 if its count is.
    The result is int64 of shape (sum of counts,). Anything else is refused.
    """
    drawn = np.empty(count_places(firsts, limits, counts, False), dtype=np.int64)
    if drawn.size:
        draw_within(stream, firsts, limits, counts, NULL, drawn)
    return drawn


def subsets_within(
    RandomStream stream not None,
    const int64_t[::1] firsts not None,
    const int64_t[::1] limits not None,
    const int64_t[::1] counts not None,
):
    """Draw as `indices_within` does, without replacement: R's ``sample.int(limits[g], counts[g])``.

    A count is at most its limit. A limit above 10^7 of which at most half is drawn, or above 2^31 - 1, takes memory
    only for the drawn numbers; any other limit takes 4 bytes for each number below it.
    """
    drawn = np.empty(count_places(firsts, limits, counts, True), dtype=np.int64)
    if drawn.size == 0:
        return drawn
    cdef core.SubsetScratch scratch
    cdef Py_ssize_t group
    scratch.n_pool = scratch.n_places = scratch.n_table = 1
    for group in range(counts.shape[0]):
        core.enlarge_subset_scratch(&scratch, limits[group], counts[group])
    cdef int32_t[::1] pool = np.arange(scratch.n_pool, dtype=np.int32)
    cdef uint32_t[::1] places = np.empty(scratch.n_places, dtype=np.uint32)
    cdef int64_t[::1] table = np.empty(scratch.n_table, dtype=np.int64)
    scratch.pool, scratch.places, scratch.table = &pool[0], &places[0], &table[0]
    draw_within(stream, firsts, limits, counts, &scratch, drawn)
    return drawn


cdef int draw_within(
    RandomStream stream,
    const int64_t[::1] firsts,
    const int64_t[::1] limits,
    const int64_t[::1] counts,
    core.SubsetScratch *scratch,
    int64_t[::1] drawn,
) except -1:
    cdef core.GroupDraw draw
    draw.firsts, draw.limits, draw.counts = &firsts[0], &limits[0], &counts[0]
    draw.n_groups, draw.scratch = counts.shape[0], scratch
    draw.group = draw.n_drawn = draw.n_done = 0
    with nogil:
        while not core.draw_in_groups(&draw, &stream.generator, core.STEP, &drawn[0]):
            core.hear_signals()
    return 0
