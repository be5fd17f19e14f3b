# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the C core for numbering strata.

Arrays in, arrays out: the loops are in the core and release the GIL. The caller checks the limits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from pystrat cimport _core as core

cdef extern from "numbering.h" nogil:
    void compact "compact_codes"(
        const int64_t *wide, int64_t begin, int64_t end, int64_t n_codes, int code_bytes, void *codes, int64_t *counts
    )

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t


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
            compact(&wide[0], done, end, counts.shape[0], sizeof(code_type), &codes[0], &counts[0])
            done = end
