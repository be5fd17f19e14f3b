# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the C core for the stratified sampler: layout of an epoch, scatter of R's permutation, numbering.

Arrays in, arrays out: the loops are in the core and release the GIL. The caller checks the limits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from pystrat cimport _core as core

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t


def scatter_permutation(
    uint32_t seed, code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out
):
    """Scatter the permutation of `seed` into an epoch, without storing the permutation.

    Parameters
    ----------
    seed
        The seed of the epoch's permutation.
    codes
        Shape (n,). The stratum of each row, from 0.
    cursors
        Shape (number of strata,). The beginning of the ranks of each stratum in the layout; modified.
    layout, out
        Shape (n,). ``out[layout[cursors[s] + rank]]`` becomes the row of that rank in stratum s.
    """
    cdef uint32_t n = <uint32_t>codes.shape[0]
    cdef int32_t[::1] rows = np.empty(n, dtype=np.int32)
    cdef int32_t *pool = &rows[0]
    cdef core.Generator generator
    cdef uint32_t left = n
    with nogil:
        core.seed_generator(&generator, seed)
        core.fill_in_order(pool, n)
        while left > 0:
            if code_type is uint8_t:
                left = core.scatter_permutation_uint8(
                    &generator, pool, left, core.STEP, &codes[0], &cursors[0], &layout[0], 0, &out[0]
                )
            elif code_type is uint16_t:
                left = core.scatter_permutation_uint16(
                    &generator, pool, left, core.STEP, &codes[0], &cursors[0], &layout[0], 0, &out[0]
                )
            else:
                left = core.scatter_permutation_int32(
                    &generator, pool, left, core.STEP, &codes[0], &cursors[0], &layout[0], 0, &out[0]
                )
            core.hear_signals()


def scatter_in_order(code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out):
    """Scatter the rows in dataset order; the parameters are those of `scatter_permutation`."""
    cdef uint32_t n = <uint32_t>codes.shape[0]
    cdef uint32_t done = 0, end
    with nogil:
        while done < n:
            end = <uint32_t>core.step_end(done, n)
            if code_type is uint8_t:
                core.scatter_in_order_uint8(done, end, &codes[0], &cursors[0], &layout[0], 0, &out[0])
            elif code_type is uint16_t:
                core.scatter_in_order_uint16(done, end, &codes[0], &cursors[0], &layout[0], 0, &out[0])
            else:
                core.scatter_in_order_int32(done, end, &codes[0], &cursors[0], &layout[0], 0, &out[0])
            done = end


def number_integers(const int64_t[::1] values, int64_t[::1] codes):
    """Number integers in order of first appearance.

    Parameters
    ----------
    values
        Shape (n,), n below 2^31.
    codes
        Shape (n,). The result, the number of each value; must not share memory with `values`.

    Returns
    -------
    numpy.ndarray of int64
        The distinct values, in the order of their numbers.
    """
    cdef core.NumberTable table
    cdef int32_t[::1] slots
    cdef int64_t[::1] distinct = np.empty(0, dtype=np.int64)
    cdef int64_t n = values.shape[0]
    cdef int64_t row = 0
    core.begin_numbers(&table)
    table.bits = 10
    while True:
        slots = np.empty(1 << table.bits, dtype=np.int32)
        distinct = np.concatenate([distinct, np.empty((1 << (table.bits - 1)) - table.found, dtype=np.int64)])
        table.slots = &slots[0]
        table.distinct = &distinct[0]
        row = fill_table(&table, values, row, codes)
        if row == n:
            return np.array(distinct[: table.found])
        if core.is_flooded(&table, n):
            return number_by_sorting(values, codes)
        table.bits += 2


cdef int64_t fill_table(
    core.NumberTable *table, const int64_t[::1] values, int64_t row, int64_t[::1] codes
) except -1:
    """Number rows until the table is half full, or too many values collide; return the first row that is left."""
    cdef int64_t n = values.shape[0]
    cdef int64_t end
    cdef bint is_ready = False
    with nogil:
        core.clear_slots(table)
        while not is_ready and not core.is_flooded(table, n):
            is_ready = core.enter_known(table, core.STEP)
            core.hear_signals()
        while row < n and not core.is_flooded(table, n):
            end = core.step_end(row, n)
            row = core.number_rows(table, &values[0], row, end, &codes[0])
            if row < end:
                break
    return row


cdef number_by_sorting(const int64_t[::1] values, int64_t[::1] codes):
    """Number integers if too many collide; like `number_integers`."""
    cdef int64_t n = values.shape[0]
    cdef int32_t[::1] rows = np.empty(n, dtype=np.int32), before = np.empty(n, dtype=np.int32)
    cdef int64_t[::1] distinct = np.empty(n, dtype=np.int64)
    cdef core.NumberSorting sorting
    sorting.values, sorting.n_rows, sorting.rows, sorting.before = &values[0], n, &rows[0], &before[0]
    sorting.codes, sorting.distinct = &codes[0], &distinct[0]
    core.begin_sorting(&sorting)
    with nogil:
        while not core.number_by_sorting(&sorting, core.STEP):
            core.hear_signals()
    return np.array(distinct[: sorting.found])


def number_texts(list values, int64_t[::1] codes):
    """Number texts in order of first appearance, by their characters alone, a NUL among them.

    pandas compares the texts of a column as C strings, which end at a NUL.

    Parameters
    ----------
    values
        n texts, n below 2^31. Anything that is not text is missing.
    codes
        Shape (n,). The result, the number of each text; -1 if it is missing.

    Returns
    -------
    list of str
        The distinct texts, in the order of their numbers. None is of a subclass, whose equality may be its own.
    """
    cdef dict known = {}
    cdef list distinct = []
    cdef object value, code
    cdef Py_ssize_t row
    for row in range(len(values)):
        if row % core.STEP == 0:
            core.hear_signals()
        value = values[row]
        if not isinstance(value, str):
            codes[row] = -1
            continue
        if type(value) is not str:
            value = str.__str__(value)
        code = known.get(value)
        if code is None:
            code = known[value] = len(distinct)
            distinct.append(value)
        codes[row] = code
    return distinct


def compact_codes(const int64_t[::1] wide, code_type[::1] codes, int64_t[::1] counts):
    """Store codes in a smaller type, and add the number of occurrences of each code to `counts`.

    Parameters
    ----------
    wide
        Shape (n,). Codes from 0; a negative code means a dropped row, whose code becomes the last one.
    codes
        Shape (n,). The result.
    counts
        Shape (number of codes,). Added to.
    """
    cdef int64_t done = 0, end
    with nogil:
        while done < wide.shape[0]:
            end = core.step_end(done, wide.shape[0])
            core.compact_codes(&wide[0], done, end, counts.shape[0], sizeof(code_type), &codes[0], &counts[0])
            done = end


def fill_offsets(const int64_t[::1] counts, bint even, int64_t[::1] offsets):
    """Compute the place in the epoch where each batch begins, and where the last one ends.

    Parameters
    ----------
    counts
        Shape (number of strata,). The rows of each stratum.
    even
        Whether the rows are dealt round robin; else by the proportional rule.
    offsets
        Shape (n_batches + 1,). The result; zeros on entry.
    """
    cdef int64_t n_batches = offsets.shape[0] - 1
    cdef int64_t n_rows = 0, done = 0, end
    cdef Py_ssize_t stratum
    cdef core.OffsetsProgress progress = core.OffsetsProgress(0, 0, 0, 0)
    with nogil:
        if even:
            for stratum in range(counts.shape[0]):
                n_rows += counts[stratum]
            while done <= n_batches:
                end = core.step_end(done, n_batches + 1)
                core.fill_even_offsets(n_rows, n_batches, done, end, &offsets[0])
                done = end
        else:
            while not core.fill_proportional_offsets(
                &counts[0], counts.shape[0], n_batches, core.STEP, &progress, &offsets[0]
            ):
                core.hear_signals()


def fill_layout(const int64_t[::1] counts, bint even, int64_t[::1] free, int32_t[::1] layout):
    """Compute the place in the epoch of every stratum and rank, in that order.

    Parameters
    ----------
    counts
        Shape (number of strata,). The rows of each stratum.
    even
        Whether the rows are dealt round robin; else by the proportional rule, batch = ceil(rank * n_batches / count).
    free
        Shape (n_batches,). The first place of each batch; advanced as places are taken.
    layout
        Shape (n,), n at least the sum of counts. The result; a place beyond that sum is its own.
    """
    cdef core.LayoutProgress progress = core.LayoutProgress(0, 0, 0, 0, 0)
    with nogil:
        while not core.fill_layout(
            &counts[0],
            counts.shape[0],
            free.shape[0],
            even,
            layout.shape[0],
            core.STEP,
            &progress,
            &free[0],
            &layout[0],
        ):
            core.hear_signals()


def spread_layout(const int64_t[::1] taken, const int64_t[::1] available, int32_t[::1] layout):
    """Make room in a layout for the rows that an epoch leaves out, which go after the epoch.

    Parameters
    ----------
    taken, available
        Shape (number of strata,). The rows of each stratum in an epoch, and in the dataset.
    layout
        Shape (n,), n at least the sum of `available`. Changed in place.
    """
    cdef core.SpreadProgress progress
    with nogil:
        core.begin_spread(&taken[0], &available[0], available.shape[0], &progress)
        while not core.spread_layout(&taken[0], &available[0], core.STEP, &progress, &layout[0]):
            core.hear_signals()


def fill_passes_layout(
    const int64_t[::1] taken, const int64_t[::1] available, int64_t[::1] free, int32_t[::1] layout
):
    """Compute the place in the epoch of every entry of the strata, in order; rows may occur several times.

    Parameters
    ----------
    taken, available
        Shape (number of strata,). The entries of each stratum in an epoch, and its rows in the dataset.
    free
        Shape (n_batches,). The first place of each batch; advanced as places are taken.
    layout
        Shape (n,), n at least the sum of `taken`. The result; a place beyond that sum is its own.
    """
    cdef core.LayoutProgress progress = core.LayoutProgress(0, 0, 0, 0, 0)
    with nogil:
        while not core.fill_passes_layout(
            &taken[0],
            &available[0],
            taken.shape[0],
            free.shape[0],
            layout.shape[0],
            core.STEP,
            &progress,
            &free[0],
            &layout[0],
        ):
            core.hear_signals()


def name_rows(int64_t n_rows, const int32_t[::1] repeated, int32_t[::1] rows):
    """Replace each number from `n_rows` on by the row that it represents, in place.

    Parameters
    ----------
    n_rows
        The number of rows of the dataset.
    repeated
        Shape (number of repetitions,). The repeated rows; n_rows + i represents ``repeated[i]``.
    rows
        Shape (n,).
    """
    cdef int64_t done = 0, end
    if repeated.shape[0] == 0:
        return
    with nogil:
        while done < rows.shape[0]:
            end = core.step_end(done, rows.shape[0])
            core.name_rows(n_rows, &repeated[0], 0, done, end, &rows[0])
            done = end


def keep_apart(
    const int64_t[::1] taken,
    const int64_t[::1] available,
    const int32_t[::1] layout,
    int64_t n_rows,
    int64_t n_batches,
    int32_t[::1] rows,
):
    """Defer rows that a batch would hold twice to the next batch, in place.

    Parameters
    ----------
    taken, available
        As in `fill_passes_layout`.
    layout
        The result of `fill_passes_layout`.
    n_rows
        The number of rows of the dataset.
    n_batches
        The number of batches of the epoch.
    rows
        Shape (sum of `taken`,). The rows of the epoch.
    """
    cdef int32_t[::1] seen = np.zeros(n_rows, dtype=np.int32)
    cdef int32_t[::1] waiting = np.empty(np.max(available), dtype=np.int32)
    cdef core.Sequence sequence
    cdef Py_ssize_t stratum
    cdef int64_t dealt = 0, batch, begin
    sequence.rows, sequence.first_row, sequence.n_batches = &rows[0], 0, n_batches
    sequence.seen, sequence.waiting = &seen[0], &waiting[0]
    with nogil:
        for stratum in range(taken.shape[0]):
            if taken[stratum] > available[stratum]:
                sequence.places = &layout[dealt]
                sequence.taken, sequence.available, sequence.dealt = taken[stratum], available[stratum], dealt
                batch = begin = 0
                while batch < n_batches:
                    batch = core.keep_apart(&sequence, batch, core.STEP, &begin)
                    core.hear_signals()
            dealt += taken[stratum]
