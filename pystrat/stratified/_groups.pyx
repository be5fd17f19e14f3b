# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Groups of rows, dealt to batches by the core (groups_together.h). The limits are the caller's to check."""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from pystrat cimport _core as core


def deal_together(
    const int32_t[::1] order,
    const int32_t[::1] groups,
    const int32_t[::1] sizes,
    const int32_t[::1] strata_of,
    int64_t n_strata,
    int64_t n_batches,
    int64_t minimum,
):
    """Deal the groups of an epoch to its batches, each with all of its rows.

    Parameters
    ----------
    order
        Shape (n,). The rows in the order of the epoch.
    groups
        Shape (n,). The group of each row; the number of groups for rows that the epoch leaves out.
    sizes, strata_of
        Shape (number of groups,). How often each group occurs, and its stratum.
    n_strata, n_batches
        At least 1. Each stratum has at least `n_batches` groups that occur.
    minimum
        At least 1. Groups of so many rows come first.

    Returns
    -------
    rows : numpy.ndarray of int32
        Batch after batch, each in order of stratum.
    offsets : numpy.ndarray of int64, shape (n_batches + 1,)
    """
    cdef int32_t[:, ::1] memory = np.full((4, sizes.shape[0]), -1, dtype=np.int32)
    cdef int64_t[:, ::1] numbers = np.zeros((2, n_strata), dtype=np.int64)
    cdef core.GroupedRows grouped
    grouped.n_strata, grouped.n_groups, grouped.n_batches = n_strata, sizes.shape[0], n_batches
    grouped.minimum, grouped.n_found = minimum, 0
    grouped.sizes, grouped.strata_of = &sizes[0], &strata_of[0]
    grouped.found, grouped.line, grouped.next_places = &memory[0, 0], &memory[1, 0], &memory[2, 0]
    grouped.batch_of = &memory[3, 0]
    grouped.n_first, grouped.n_other = &numbers[0, 0], &numbers[1, 0]
    line_up(order, groups, &grouped)
    offsets = dealt(&grouped)
    return written(order, groups, offsets, &grouped), offsets


cdef int line_up(const int32_t[::1] order, const int32_t[::1] groups, core.GroupedRows *grouped) except -1:
    """Put the groups in the order in which they are dealt."""
    cdef int64_t[:, ::1] places = np.empty((2, grouped.n_strata), dtype=np.int64)
    cdef int64_t done = 0, end
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.find_groups(&order[0], &groups[0], done, end, grouped)
            done = end
        core.begin_line(grouped, &places[0, 0], &places[1, 0])
        done = 0
        while done < grouped.n_found:
            end = core.step_end(done, grouped.n_found)
            core.line_up_groups(grouped, done, end, &places[0, 0], &places[1, 0])
            done = end
    return 0


cdef object dealt(core.GroupedRows *grouped):
    """Find the batch of each group; return the offsets of the batches."""
    offsets = np.empty(grouped.n_batches + 1, dtype=np.int64)
    cdef int64_t[::1] places = offsets
    cdef int32_t[:, ::1] memory = np.empty((3, grouped.n_batches), dtype=np.int32)
    cdef core.GroupDealing dealing
    dealing.n_batches = grouped.n_batches
    dealing.held, dealing.totals, dealing.heap = &memory[0, 0], &memory[1, 0], &memory[2, 0]
    with nogil:
        core.begin_dealing_groups(&dealing)
        while dealing.dealt < grouped.n_found:
            core.deal_groups(grouped, &dealing, core.step_end(dealing.dealt, grouped.n_found))
        core.fill_group_offsets(&dealing, &places[0])
    return offsets


cdef object written(const int32_t[::1] order, const int32_t[::1] groups, offsets, core.GroupedRows *grouped):
    """Return the rows of the epoch."""
    rows = np.empty(offsets[grouped.n_batches], dtype=np.int32)
    cdef int32_t[::1] out = rows
    cdef int64_t[::1] free = offsets.copy()
    cdef int64_t done = 0, end
    with nogil:
        while done < grouped.n_found:
            end = core.step_end(done, grouped.n_found)
            core.place_groups(grouped, done, end, &free[0])
            done = end
        done = 0
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.write_grouped_rows(&order[0], &groups[0], 0, done, end, grouped, &out[0])
            done = end
    return rows
