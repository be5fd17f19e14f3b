# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (multilabel.h) for numpy arrays: the assignment of rows with several labels to batches."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

from pystrat cimport _core as core


def assign_rows(
    const int64_t[::1] codes not None,
    const uint8_t[:, ::1] sets not None,
    int64_t n_batches,
    int64_t minimum,
):
    """Assign rows to batches so that each batch has a minimum of rows of every label, as far as possible.

    Parameters
    ----------
    codes
        Shape (n_rows,). The label set of each row, from 0, in the order in which the rows are assigned.
    sets
        Shape (n_sets, n_labels), at least one label. 1 if the rows of a set have a label, else 0.
    n_batches
        From 1 to n_rows.
    minimum
        From 1 to 2^31.

    Returns
    -------
    members : numpy.ndarray of int64, shape (n_rows,)
        The rows, sorted by label set; the order of the sets is the same for any order of the rows.
    batches : numpy.ndarray of int32, shape (n_rows,)
        The batch of each of the members.
    held : numpy.ndarray of int64, shape (n_batches, n_labels)
        The number of rows of each label in each batch.
    """
    cdef int64_t n_rows = codes.shape[0]
    cdef int64_t n_sets = sets.shape[0]
    members = np.empty(n_rows, dtype=np.int64)
    batches = np.empty(n_rows, dtype=np.int32)
    held = np.empty((n_batches, sets.shape[1]), dtype=np.int64)
    cdef int64_t[::1] counts = np.bincount(codes, minlength=n_sets).astype(np.int64, copy=False)
    cdef int64_t[::1] member_places = members
    cdef int32_t[::1] batch_places = batches
    cdef int64_t[:, ::1] held_places = held
    cdef core.Assignment assignment
    assignment.given.sets, assignment.given.counts = &sets[0, 0], &counts[0]
    assignment.given.n_rows, assignment.given.n_sets, assignment.given.n_labels = n_rows, n_sets, sets.shape[1]
    assignment.given.n_batches, assignment.given.minimum = n_batches, minimum
    assignment.members, assignment.batches = &member_places[0], &batch_places[0]
    assignment.held = &held_places[0, 0]
    cdef int64_t[::1] numbers = np.empty(core.assignment_length(&assignment.given), dtype=np.int64)
    cdef int64_t done = 0, end
    with nogil:
        core.begin_assignment(&assignment, &numbers[0])
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.place_members(&codes[0], done, end, assignment.keys, assignment.members)
            done = end
        while not core.assign_rows(&assignment, core.STEP):
            core.hear_signals()
    return members, batches, held


def gather_batches(
    const int64_t[::1] members not None,
    const int32_t[::1] batches not None,
    const int32_t[::1] order not None,
    int64_t n_batches,
):
    """Return the rows of an epoch, batch after batch, and the offsets of the batches.

    Parameters
    ----------
    members, batches
        The results of `assign_rows`.
    order
        Shape (n_rows,). The row of the dataset that was assigned as each row.
    n_batches
        The number of batches; all numbers of batches are below it.

    Returns
    -------
    rows : numpy.ndarray of int32, shape (n_rows,)
        The rows of a batch, in the order of `order`.
    offsets : numpy.ndarray of int64, shape (n_batches + 1,)
    """
    cdef int64_t n_rows = order.shape[0]
    rows = np.empty(n_rows, dtype=np.int32)
    offsets = np.zeros(n_batches + 1, dtype=np.int64)
    cdef int32_t[::1] row_places = rows
    cdef int64_t[::1] begins = offsets
    cdef int32_t[::1] of_rows = np.empty(n_rows, dtype=np.int32)
    cdef int64_t[::1] cursors = np.empty(n_batches, dtype=np.int64)
    cdef int64_t done = 0, end
    with nogil:
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.note_batches(&members[0], &batches[0], done, end, &of_rows[0], &begins[0])
            done = end
        core.begin_groups(n_batches, &begins[0], &cursors[0])
        done = 0
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.place_in_batches(&of_rows[0], &order[0], done, end, 0, &cursors[0], &row_places[0])
            done = end
    return rows, offsets
