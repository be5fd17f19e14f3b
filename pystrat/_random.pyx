# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Streams of R's generator, for samplers that draw more than one permutation per epoch."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from pystrat cimport _core as core


cdef class RandomStream:
    """The random numbers after R's ``set.seed(seed)``, drawn in whole arrays.

    Several calls draw the same numbers as one call for all of them. The caller checks the limits.

    Parameters
    ----------
    seed : int
        From 0 to 2^31 - 1.
    """

    def __init__(self, uint32_t seed):
        core.seed_generator(&self.generator, seed)

    def state(self):
        """Return the words of the Mersenne-Twister and the position among them, as in R's .Random.seed.

        uint32 of shape (625,), the position first.
        """
        words = np.empty(core.STATE_SIZE + 1, dtype=np.uint32)
        cdef uint32_t[::1] out = words
        core.save_generator(&self.generator, &out[0])
        return words

    def restore(self, uint32_t[::1] words not None):
        """Continue at a `state`; raise ValueError if the array is not 625 words, the first at most 624."""
        if words.shape[0] != core.STATE_SIZE + 1 or not core.restore_generator(&self.generator, &words[0]):
            raise ValueError("A state of the generator has 625 words, the first of which is at most 624.")

    def __reduce__(self):
        return stream_at, (self.state(),)

    def indices(self, uint64_t limit, Py_ssize_t count):
        """Draw with replacement from 0 .. limit - 1: R's ``sample.int(limit, count, replace = TRUE) - 1``.

        `limit` is from 1 to 2^53; the result is int64 of shape (count,).
        """
        drawn = np.empty(count, dtype=np.int64)
        cdef int64_t[::1] out = drawn
        cdef int64_t done = 0, end
        with nogil:
            while done < count:
                end = core.step_end(done, count)
                core.draw_numbers(&self.generator, limit, end - done, &out[done])
                done = end
        return drawn

    def uniforms(self, Py_ssize_t count):
        """Draw multiples of 2^-53 in [0, 1), two outputs of the generator each; float64 of shape (count,)."""
        drawn = np.empty(count, dtype=np.float64)
        cdef double[::1] out = drawn
        cdef int64_t done = 0, end
        with nogil:
            while done < count:
                end = core.step_end(done, count)
                core.draw_uniforms(&self.generator, end - done, &out[done])
                done = end
        return drawn

    def permutation(self, uint32_t n_rows):
        """Draw without replacement: R's ``sample.int(n_rows) - 1``, int32 of shape (n_rows,), at most 2^31 - 1."""
        order = np.empty(n_rows, dtype=np.int32)
        pool = np.empty(n_rows, dtype=np.int32)
        cdef int32_t[::1] rows = order
        cdef int32_t[::1] left = pool
        with nogil:
            core.fill_in_order(&left[0], n_rows)
            take_rows(&self.generator, &left[0], n_rows, n_rows, &rows[0])
        return order


def stream_at(uint32_t[::1] words not None):
    """Return a stream that continues at a `RandomStream.state`."""
    stream = RandomStream(0)
    stream.restore(words)
    return stream
