# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the C core for parts of datasets and files of lines: draws of an epoch, perplexities, line indices.

Arrays in, arrays out: the loops are in the core and release the GIL. The caller checks the limits. Draws continue a
stream that begins with R's ``set.seed()``.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from pystrat cimport _core as core
from pystrat._random cimport RandomStream

def draw_rows(RandomStream stream not None, uint32_t n_rows, Py_ssize_t count):
    """Draw with replacement: R's ``sample.int(n_rows, count, replace = TRUE) - 1``, int32."""
    drawn = np.empty(count, dtype=np.int32)
    cdef int32_t[::1] rows = drawn
    cdef int64_t done = 0, end
    with nogil:
        while done < count:
            end = core.step_end(done, count)
            core.draw_rows(&stream.generator, n_rows, 0, end - done, &rows[done])
            done = end
    return drawn


def perplexity_of(const double[::1] losses):
    """Return the exponential of losses from 0, at most 1e6, to within 2 units in the last place; NaN stays NaN."""
    perplexities = np.empty(losses.shape[0])
    cdef double[::1] out = perplexities
    cdef int64_t done = 0, end
    with nogil:
        while done < losses.shape[0]:
            end = core.step_end(done, losses.shape[0])
            core.find_all_perplexities(&losses[0], done, end, &out[0])
            done = end
    return perplexities


def report_losses(const int32_t[::1] rows, const double[::1] losses, double[::1] reported):
    """Store the perplexities of the losses of rows, counted from 0; for repeated rows, the last one counts.

    If a signal ends the call, nothing is stored.
    """
    cdef const double[::1] perplexities = perplexity_of(losses)
    if rows.shape[0] > 0:
        with nogil:
            core.store_perplexities(&rows[0], &perplexities[0], 0, rows.shape[0], &reported[0])


def is_below_initial(const double[::1] reported, double initial):
    """Return whether the mean perplexity of all examples is below that of one that was never reported."""
    cdef double sum = 0
    cdef int64_t done = 0, end
    with nogil:
        while done < reported.shape[0]:
            end = core.step_end(done, reported.shape[0])
            sum = core.add_differences(&reported[0], initial, done, end, sum)
            done = end
    return sum < 0


def noise_ceiling(const double[::1] reported, double spreads):
    """Return the perplexity that is `spreads` spreads above the mode of those reported; infinite if there is none."""
    cdef core.Reports reports = core.Reports(0, 0, 0, 0, 0, 0)
    cdef int64_t n_rows = reported.shape[0]
    cdef int64_t done = 0, end
    cdef int bits
    cdef uint64_t[::1] table
    with nogil:
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.count_reports(&reported[0], done, end, &reports)
            done = end
    bits = core.mode_table_bits(&reports)
    table = np.zeros(1 << bits, dtype=np.uint64)
    done = 0
    with nogil:
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.find_mode(&reported[0], done, end, &table[0], bits, &reports)
            done = end
        done = 0
        while done < n_rows:
            end = core.step_end(done, n_rows)
            core.add_squares(&reported[0], done, end, &reports)
            done = end
    return core.ceiling_of(&reports, spreads)


def cumulative_weights(const double[::1] reported, double initial, double ceiling, double weight_above):
    """Return the cumulative weights; a reported example above the ceiling has `weight_above`."""
    weights = np.empty(reported.shape[0])
    cdef double[::1] sums = weights
    cdef int64_t done = 0, end
    with nogil:
        while done < reported.shape[0]:
            end = core.step_end(done, reported.shape[0])
            core.add_weights(&reported[0], initial, ceiling, weight_above, done, end, &sums[0])
            done = end
    return weights


def draw_by_sums(RandomStream stream not None, const double[::1] sums, Py_ssize_t count):
    """Draw rows in proportion to weights, given their cumulative sums, with replacement; int32."""
    drawn = np.empty(count, dtype=np.int32)
    cdef int32_t[::1] rows = drawn
    cdef int64_t done = 0, end
    with nogil:
        while done < count:
            end = core.step_end(done, count)
            core.draw_by_sums(&stream.generator, &sums[0], sums.shape[0], 0, end - done, &rows[done])
            done = end
    return drawn


def cut_by_length(
    const int32_t[::1] lengths not None, int32_t longest, int64_t window, int64_t most_rows, int64_t most_tokens
):
    """Sort drawn rows by length within windows, and cut them into batches.

    Parameters
    ----------
    lengths
        The lengths of the drawn rows, in drawn order, at least one, each from 0 to `longest`.
    longest
        An upper limit of the lengths.
    window
        The number of consecutive rows that are sorted together.
    most_rows, most_tokens
        The limits of a batch; see core/length_batches.h.

    Returns
    -------
    tuple of numpy.ndarray
        The places of the rows in drawn order, int32, and the offsets of the batches, int64.
    """
    cdef int64_t n_rows = lengths.shape[0]
    cdef core.LengthLimits limits = core.LengthLimits(window, most_rows, most_tokens)
    cdef core.SortProgress sorting
    cdef core.CutProgress counted = core.CutProgress(0, 0, 0), filled = core.CutProgress(0, 0, 0)
    places = np.empty(n_rows, dtype=np.int32)
    cdef int32_t[::1] order = places
    cdef int32_t[::1] spare = np.empty(n_rows, dtype=np.int32)
    cdef int64_t end
    memset(&sorting, 0, sizeof(sorting))
    with nogil:
        while not core.sort_by_length(
            &lengths[0], n_rows, window, longest, core.STEP, &sorting, &order[0], &spare[0]
        ):
            core.hear_signals()
        while counted.place < n_rows:
            end = core.step_end(counted.place, n_rows)
            core.cut_by_length(&lengths[0], &order[0], end, &limits, &counted, NULL)
    begins = np.empty(counted.n_batches + 1, dtype=np.int64)
    cdef int64_t[::1] offsets = begins
    with nogil:
        while filled.place < n_rows:
            end = core.step_end(filled.place, n_rows)
            core.cut_by_length(&lengths[0], &order[0], end, &limits, &filled, &offsets[0])
    offsets[filled.n_batches] = n_rows
    return places, begins


def split_batches(const int64_t[::1] offsets not None, int64_t n_parts):
    """Split the batches with the most rows, so that there are n_parts, at most as many as rows; return the offsets."""
    cdef int64_t n_batches = offsets.shape[0] - 1
    cdef core.SplitProgress progress = core.SplitProgress(1, offsets[n_batches], 0, 0)
    begins = np.empty(n_parts + 1, dtype=np.int64)
    cdef int64_t[::1] parts = begins
    with nogil:
        while not core.find_largest_part(&offsets[0], n_batches, n_parts, core.STEP, &progress):
            core.hear_signals()
        core.split_batches(&offsets[0], n_batches, progress.least, n_parts, &parts[0])
    return begins


def shuffle_batches(
    RandomStream stream not None, const int32_t[::1] order not None, const int64_t[::1] offsets not None
):
    """Shuffle batches of places by R's ``sample.int(number of batches)``.

    Returns
    -------
    tuple of numpy.ndarray
        The places, int32, and the offsets of the batches, int64.
    """
    cdef int64_t n_batches = offsets.shape[0] - 1
    cdef int64_t done = 0, end
    cdef const int32_t[::1] shuffled = stream.permutation(n_batches)
    places = np.empty(order.shape[0], dtype=np.int32)
    begins = np.empty(n_batches + 1, dtype=np.int64)
    cdef int32_t[::1] out = places
    cdef int64_t[::1] epoch_offsets = begins
    with nogil:
        while done < n_batches:
            end = core.step_end(done, n_batches)
            core.arrange_batches(&order[0], &offsets[0], &shuffled[0], done, end, &epoch_offsets[0], &out[0])
            done = end
    return places, begins


def line_begins(const uint8_t[::1] block, int64_t read):
    """Return the beginnings of the lines after the newlines of a block of text that follows `read` bytes; int64."""
    cdef int64_t count
    cdef int64_t[::1] out
    if block.shape[0] == 0:
        return np.empty(0, dtype=np.int64)
    with nogil:
        count = core.count_line_ends(&block[0], block.shape[0])
    begins = np.empty(count, dtype=np.int64)
    out = begins
    if count > 0:
        with nogil:
            core.find_line_begins(&block[0], block.shape[0], read, &out[0])
    return begins


cdef class WordCounter:
    """Counts the words of lines, block after block of a text. ASCII whitespace separates words."""

    cdef core.LineWords line

    def take(self, const uint8_t[::1] block not None):
        """Return the words of each line that ends in the next block of the text, int32."""
        cdef int64_t count
        if block.shape[0] == 0:
            return np.empty(0, dtype=np.int32)
        with nogil:
            count = core.count_line_ends(&block[0], block.shape[0])
        counts = np.empty(max(count, 1), dtype=np.int32)
        cdef int32_t[::1] out = counts
        with nogil:
            core.count_words(&block[0], block.shape[0], &self.line, &out[0])
        return counts[:count]

    def rest(self):
        """Return the words of a line without a newline at the end of the text, none or one number; int32."""
        return np.array([self.line.words] if self.line.has_begun else [], dtype=np.int32)


def hash_of_bytes(const uint8_t[::1] text not None):
    """Return a hash of text, 64 bits."""
    return core.hash_of_bytes(&text[0], text.shape[0])


INDEX_HEAD_SIZE = core.INDEX_HEAD_SIZE
TEXT_END_SIZE = core.TEXT_END_SIZE


def index_head(core.IndexHead head):
    """Return the first bytes of an index; the head is a dict of the core's fields."""
    cdef uint8_t[core.INDEX_HEAD_SIZE] written
    core.write_index_head(&head, written)
    return bytes(written[:core.INDEX_HEAD_SIZE])


def read_index_head(const uint8_t[::1] head not None, int64_t index_size):
    """Return the head of an index of this size as a dict of the core's fields; None if the bytes are not a head."""
    cdef core.IndexHead found
    if head.shape[0] != core.INDEX_HEAD_SIZE or not core.read_index_head(&head[0], index_size, &found):
        return None
    return found


cdef class IndexCheck:
    """The result of checking the numbers of an index so far."""

    cdef core.IndexCheck so_far

    def __cinit__(self):
        self.so_far = core.new_index_check()

    def take(self, const uint8_t[::1] numbers not None):
        """Check the next numbers of the index, given as its bytes."""
        with nogil:
            core.check_index_numbers(&numbers[0], numbers.shape[0] // core.INDEX_NUMBER_SIZE, &self.so_far)

    @property
    def n_lines(self):
        """Return the number of lines that the numbers delimit."""
        return self.so_far.count - 1

    @property
    def hash(self):
        """Return the hash of the numbers."""
        return self.so_far.hash

    def is_whole(self, core.IndexHead head):
        """Return whether the numbers are all those of an index with this head, and none was altered."""
        return core.index_is_whole(&head, &self.so_far)
