# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The numbering of texts."""

from libc.stdint cimport int64_t

from pystrat cimport _core as core


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
