# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Streams of R's generator."""

import numpy as np

from libc.stdint cimport int32_t, uint32_t

from pystrat cimport _core as core

cdef extern from "random.h" nogil:
    enum: STATE_SIZE
    void seed_generator(core.Generator *generator, uint32_t seed)

cdef extern from "permutation.h" nogil:
    void fill_in_order(int32_t *pool, uint32_t n_rows)
    void take_rows(core.Generator *generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows)

cdef extern from "stream.h" nogil:
    void save_generator(const core.Generator *generator, uint32_t *words)
    bint restore_generator(core.Generator *generator, const uint32_t *words)


cdef class RandomStream:
    """The random numbers after R's ``set.seed(seed)``, which the C core draws. The caller checks the limits.

    Parameters
    ----------
    seed : int
        From 0 to 2^31 - 1.
    """

    def __init__(self, uint32_t seed):
        seed_generator(&self.generator, seed)

    @property
    def address(self):
        """Where the generator is, for the core in C++."""
        return <size_t>&self.generator

    def state(self):
        """Return the words of the Mersenne-Twister and the position among them, as in R's .Random.seed.

        uint32 of shape (625,), the position first.
        """
        words = np.empty(STATE_SIZE + 1, dtype=np.uint32)
        cdef uint32_t[::1] out = words
        save_generator(&self.generator, &out[0])
        return words

    def __reduce__(self):
        return stream_at, (self.state(),)

    def permutation(self, uint32_t n_rows):
        """Draw without replacement: R's ``sample.int(n_rows) - 1``, int32 of shape (n_rows,), at most 2^31 - 1."""
        order = np.empty(n_rows, dtype=np.int32)
        pool = np.empty(n_rows, dtype=np.int32)
        cdef int32_t[::1] rows = order
        cdef int32_t[::1] left = pool
        cdef uint32_t done = 0, end
        with nogil:
            fill_in_order(&left[0], n_rows)
            while done < n_rows:
                end = <uint32_t>core.step_end(done, n_rows)
                take_rows(&self.generator, &left[0], n_rows - done, end - done, &rows[done])
                done = end
        return order


def stream_at(uint32_t[::1] words not None):
    """Return the stream at a `RandomStream.state`; raise ValueError unless it is 625 words, the first at most 624."""
    cdef RandomStream stream = RandomStream(0)
    if words.shape[0] != STATE_SIZE + 1 or not restore_generator(&stream.generator, &words[0]):
        raise ValueError("A state of the generator has 625 words, the first of which is at most 624.")
    return stream
