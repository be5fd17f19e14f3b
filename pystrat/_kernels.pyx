# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the C core for numbering strata.

Arrays in, arrays out: the loops are in the core and release the GIL. The caller checks the limits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from pystrat cimport _core as core

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t


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
