# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core's ranking (ranking.h) for numpy arrays, rows in the order of keys that change, and of powers.

A call holds the GIL, so that it is a single step for other threads, except while a signal handler runs. If the handler
raises an error, keys and ranks are restored to those before the call.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

cimport pystrat._core as core

cdef enum:
    SORTED_FROM = 16  # sorting all rows is faster than moving one in 16 of them


cdef class Ranking:
    """Rows 0, ..., n - 1 of at most `capacity`, by key: largest first, ties by row number.

    The caller checks the limits of sizes, and that keys are finite.

    Parameters
    ----------
    capacity : int
        From 1 to 2^31 - 1.
    keys : numpy.ndarray of float64
        The keys of the first rows.
    """

    cdef core.Ranking ranking
    cdef readonly object keys  # shape (capacity,); changed only by `set_keys`
    cdef object rows
    cdef object begins

    def __init__(self, Py_ssize_t capacity, keys):
        self.keys = np.zeros(capacity)
        self.rows = np.empty(core.ranking_length(capacity), dtype=np.int32)
        self.begins = np.zeros(core.ranking_blocks(capacity) + 1, dtype=np.int32)
        cdef double[::1] keys_memory = self.keys
        cdef int32_t[::1] rows_memory = self.rows
        cdef int32_t[::1] begins_memory = self.begins
        core.init_ranking(&self.ranking, capacity, &keys_memory[0], &rows_memory[0], &begins_memory[0], 0, 1)
        self.keys[: len(keys)] = keys
        self.rank_all(len(keys))

    def __len__(self):
        return self.ranking.n_ranked

    def set_keys(self, int64_t[::1] rows not None, double[::1] keys not None):
        """Set the keys of rows; of repeated rows the last counts. Rows without a rank are the next ones, in order."""
        cdef int64_t count = rows.shape[0], done = 0, end
        n_before = self.ranking.n_ranked
        n_after = max(n_before, int(np.max(rows, initial=-1)) + 1)
        positions = np.asarray(rows)
        previous = self.keys[positions]
        try:
            if count * SORTED_FROM > n_before:
                self.keys[positions] = keys
                self.rank_all(n_after, hears_signals=True)
                done = count
            while done < count:
                end = core.step_end(done, count)
                core.set_keys(&self.ranking, &rows[0], &keys[0], done, end)
                done = end
        except BaseException:
            self.keys[positions] = previous
            self.rank_all(n_before)
            raise

    cdef rank_all(self, int64_t n_ranked, bint hears_signals=False):
        """Rank the first rows from scratch."""
        order = np.argsort(-self.keys[:n_ranked], kind="stable").astype(np.int32)
        cdef int32_t[::1] sorted_rows = order
        cdef int64_t done = 0, end
        core.begin_ranking(&self.ranking, n_ranked)
        while done < n_ranked:
            end = core.step_end(done, n_ranked) if hears_signals else n_ranked
            core.fill_ranking(&self.ranking, &sorted_rows[0], done, end)
            done = end

    def rows_of(self, ranks):
        """Replace an int32 array of ranks by their rows, and return it."""
        cdef int32_t[::1] found = ranks
        cdef int64_t done = 0, end
        while done < found.shape[0]:
            end = core.step_end(done, found.shape[0])
            core.ranks_to_rows(&self.ranking, &found[done], end - done)
            done = end
        return ranks

    def ranks_of(self, int64_t[::1] rows not None):
        """Return the ranks of rows, int64."""
        found = np.empty(rows.shape[0], dtype=np.int64)
        cdef int64_t[::1] ranks = found
        cdef int64_t done = 0, end, i
        while done < rows.shape[0]:
            end = core.step_end(done, rows.shape[0])
            for i in range(done, end):
                ranks[i] = core.rank_of_row(&self.ranking, <int32_t>rows[i])
            done = end
        return found


def rank_weights(int64_t first, int64_t count, double alpha):
    """Return the weights of `count` ranks from `first` on, counted from 0: (rank + 1) ^ -alpha."""
    weights = np.empty(count)
    cdef double[::1] out = weights
    cdef int64_t done = 0, end
    while done < count:
        end = core.step_end(done, count)
        core.weigh_ranks(first + done, end - done, alpha, &out[done])
        done = end
    return weights


def powers_of(const double[::1] numbers not None, double exponent):
    """Return numbers^exponent, float64, with the same digits as in R."""
    powers = np.empty(numbers.shape[0])
    cdef double[::1] out = powers
    cdef int64_t done = 0, end
    while done < numbers.shape[0]:
        end = core.step_end(done, numbers.shape[0])
        core.raise_all(&numbers[done], end - done, exponent, &out[done])
        done = end
    return powers
