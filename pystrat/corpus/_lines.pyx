# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the C core for files of lines: their words and line indices. The loops release the GIL."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "hashing.h" nogil:
    uint64_t hashed "hash_of_bytes"(const uint8_t *bytes, int64_t size)

cdef extern from "words.h" nogil:
    ctypedef struct LineWords:
        int32_t words
        bint has_begun
    void count_words(const uint8_t *block, int64_t size, LineWords *line, int32_t *counts)

cdef extern from "line_index.h" nogil:
    enum: HEAD_SIZE "INDEX_HEAD_SIZE"
    enum: INDEX_NUMBER_SIZE
    enum: END_SIZE "TEXT_END_SIZE"
    ctypedef struct IndexHead:
        int64_t size, modified, n_lines
        uint64_t inode, text_hash, number_hash
    ctypedef struct Check "IndexCheck":
        int64_t count
        uint64_t hash
    void write_index_head(const IndexHead *head, uint8_t *bytes)
    bint read_head "read_index_head"(const uint8_t *bytes, int64_t index_size, IndexHead *head)
    Check new_index_check()
    void check_index_numbers(const uint8_t *bytes, int64_t count, Check *check)
    bint index_is_whole(const IndexHead *head, const Check *check)
    int64_t count_line_ends(const uint8_t *block, int64_t size)
    int64_t find_line_begins(const uint8_t *block, int64_t size, int64_t read, int64_t *begins)


def line_begins(const uint8_t[::1] block, int64_t read):
    """Return the beginnings of the lines after the newlines of a block of text that follows `read` bytes; int64."""
    cdef int64_t count
    cdef int64_t[::1] out
    if block.shape[0] == 0:
        return np.empty(0, dtype=np.int64)
    with nogil:
        count = count_line_ends(&block[0], block.shape[0])
    begins = np.empty(count, dtype=np.int64)
    out = begins
    if count > 0:
        with nogil:
            find_line_begins(&block[0], block.shape[0], read, &out[0])
    return begins


cdef class WordCounter:
    """Counts the words of lines, block after block of a text. ASCII whitespace separates words."""

    cdef LineWords line

    def take(self, const uint8_t[::1] block not None):
        """Return the words of each line that ends in the next block of the text, int32."""
        cdef int64_t count
        if block.shape[0] == 0:
            return np.empty(0, dtype=np.int32)
        with nogil:
            count = count_line_ends(&block[0], block.shape[0])
        counts = np.empty(max(count, 1), dtype=np.int32)
        cdef int32_t[::1] out = counts
        with nogil:
            count_words(&block[0], block.shape[0], &self.line, &out[0])
        return counts[:count]

    def rest(self):
        """Return the words of a line without a newline at the end of the text, none or one number; int32."""
        return np.array([self.line.words] if self.line.has_begun else [], dtype=np.int32)


def hash_of_bytes(const uint8_t[::1] text not None):
    """Return a hash of text, 64 bits."""
    return hashed(&text[0], text.shape[0])


INDEX_HEAD_SIZE = HEAD_SIZE
TEXT_END_SIZE = END_SIZE


def index_head(IndexHead head):
    """Return the first bytes of an index; the head is a dict of the core's fields."""
    cdef uint8_t[HEAD_SIZE] written
    write_index_head(&head, written)
    return bytes(written[:HEAD_SIZE])


def read_index_head(const uint8_t[::1] head not None, int64_t index_size):
    """Return the head of an index of this size as a dict of the core's fields; None if the bytes are not a head."""
    cdef IndexHead found
    if head.shape[0] != HEAD_SIZE or not read_head(&head[0], index_size, &found):
        return None
    return found


cdef class IndexCheck:
    """The result of checking the numbers of an index so far."""

    cdef Check so_far

    def __cinit__(self):
        self.so_far = new_index_check()

    def take(self, const uint8_t[::1] numbers not None):
        """Check the next numbers of the index, given as its bytes."""
        with nogil:
            check_index_numbers(&numbers[0], numbers.shape[0] // INDEX_NUMBER_SIZE, &self.so_far)

    @property
    def n_lines(self):
        """Return the number of lines that the numbers delimit."""
        return self.so_far.count - 1

    @property
    def hash(self):
        """Return the hash of the numbers."""
        return self.so_far.hash

    def is_whole(self, IndexHead head):
        """Return whether the numbers are all those of an index with this head, and none was altered."""
        return index_is_whole(&head, &self.so_far)
