# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (free_cells.h, negatives.h, pairs.h) for numpy arrays: the cells that are not positives.

A cell is ``row * columns + column``. The free cells, those that are not positives, have ranks 0, 1, ... in order of
their numbers. They are drawn directly, whatever their share, without rejection.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

cimport pystrat._core as core
from pystrat._random cimport RandomStream


cdef class FreeCells:
    """The free cells of a table, by rank.

    Parameters
    ----------
    positives : numpy.ndarray of int64, shape (number of positives,)
        The cells that are not free: sorted, all different, below `n_cells`. At most 2^31 - 1. Kept, not copied.
    n_cells : int
        From 1 to 2^52.

    Attributes
    ----------
    count : int
        The number of free cells.
    nbytes : int
        The memory of the buckets, at most 2 bytes per positive and 8 more.
    """

    cdef const int64_t[::1] positives
    cdef int32_t[::1] buckets
    cdef core.FreeCells free

    def __init__(self, const int64_t[::1] positives not None, int64_t n_cells):
        self.positives = positives
        core.init_free_cells(&self.free, &positives[0], positives.shape[0], n_cells)
        self.buckets = np.empty(self.free.n_buckets + 1, dtype=np.int32)
        self.free.buckets = &self.buckets[0]
        cdef int64_t bucket = 0, done = 0, end
        with nogil:
            while bucket <= self.free.n_buckets:
                end = core.step_end(done, positives.shape[0])
                bucket = core.fill_buckets(&self.free, bucket, done, end)
                done = end

    @property
    def count(self):
        return self.free.count

    @property
    def nbytes(self):
        return self.buckets.nbytes

    def cells(self, int64_t[::1] ranks not None):
        """Replace ranks, from 0 to ``count - 1``, by cells, in place."""
        cdef int64_t done = 0, end
        with nogil:
            while done < ranks.shape[0]:
                end = core.step_end(done, ranks.shape[0])
                core.find_free_cells(&self.free, &ranks[done], end - done)
                done = end


def popularity(const int64_t[::1] cells not None, int64_t n_items, double power):
    """Return the weights by which items are drawn: this power of the number of their positives, scaled to at most 1.

    `cells` are those of at least one positive; the result is float64 of shape (n_items,).
    """
    cdef int64_t[::1] counts = np.zeros(n_items, dtype=np.int64)
    weights = np.empty(n_items)
    cdef double[::1] out = weights
    cdef int64_t most, done = 0, end
    with nogil:
        while done < cells.shape[0]:
            end = core.step_end(done, cells.shape[0])
            core.count_columns(&cells[0], done, end, n_items, &counts[0])
            done = end
    most = np.max(counts)
    done = 0
    with nogil:
        while done < n_items:
            end = core.step_end(done, n_items)
            core.weigh_columns(&counts[0], most, power, done, end, &out[0])
            done = end
    return weights


def kept_shares(const int64_t[::1] distinct not None, int64_t n_users, const double[::1] weights not None):
    """Return, for each user, the share of the items drawn by weight that are not positives of the user.

    `distinct` are the cells of the positives, each once; the result is float64 of shape (n_users,).
    """
    lost = np.zeros(n_users)
    cdef double[::1] out = lost
    cdef double total = np.sum(weights)
    cdef int64_t done = 0, end
    with nogil:
        while done < distinct.shape[0]:
            end = core.step_end(done, distinct.shape[0])
            core.add_lost_shares(&distinct[0], done, end, weights.shape[0], &weights[0], total, &out[0])
            done = end
    return 1 - lost


def popular_cells(
    RandomStream stream not None,
    const int64_t[::1] cells not None,
    const int64_t[::1] starts,
    int64_t n_items,
    double[::1] sums not None,
    int64_t count,
):
    """Draw the user of a random positive with an item by weight; positives are drawn again.

    Parameters
    ----------
    cells
        Shape (number of positives,). The distinct cells, sorted, then those that are repeated.
    starts
        Shape (n_users + 1,). The beginning of the distinct cells of each user. None if positives may be drawn.
    n_items
        The total number of items.
    sums
        The numbers of the sum tree of their weights. At least one cell that is not a positive has a user with positives
        and an item with a weight.
    count
        The number of cells to draw.

    Returns
    -------
    numpy.ndarray of int64, shape (count,)
    """
    drawn = np.empty(count, dtype=np.int64)
    cdef int64_t[::1] out = drawn
    cdef core.SumTree tree
    cdef core.PopularDraw draw
    if count == 0:
        return drawn
    draw.cells, draw.n_positives = &cells[0], cells.shape[0]
    draw.starts, draw.n_distinct = NULL, 0
    if starts is not None:
        draw.starts, draw.n_distinct = &starts[0], starts[starts.shape[0] - 1]
    core.init_sum_tree(&tree, n_items, &sums[0], NULL, 0)
    draw.columns, draw.n_columns = &tree, n_items
    draw.drawn, draw.count = &out[0], count
    draw.n_kept = draw.n_rows_drawn = draw.n_drawn = draw.n_checked = draw.n_free = 0
    with nogil:
        while not core.draw_popular(&draw, &stream.generator, core.STEP):
            core.hear_signals()
    return drawn


def share_out(
    const int64_t[::1] counts not None, int64_t whole, int64_t rest, int64_t denominator
):
    """Return the increments of the rounded running total of ``counts * (whole + rest / denominator)``.

    Totals are rounded to the nearest integer, halves up. The sum of the counts and that of the results is below 2^31,
    `rest` is below the denominator, which is below 2^62. The result is int64 of the shape of `counts`.
    """
    shares = np.empty(counts.shape[0], dtype=np.int64)
    cdef int64_t[::1] out = shares
    cdef core.ExactNumber number
    number.whole, number.rest, number.denominator = whole, rest, denominator
    cdef int64_t running = 0, done = 0, end
    with nogil:
        while done < counts.shape[0]:
            end = core.step_end(done, counts.shape[0])
            running = core.share_negatives(&counts[0], number, running, done, end, &out[0])
            done = end
    return shares


def deal_pairs(
    const int32_t[::1] order not None,
    const int64_t[::1] positives not None,
    const int64_t[::1] negatives not None,
    const int64_t[::1] offsets not None,
    int64_t[::1] numbers not None,
):
    """Deal positives and negatives to the batches in turn, positives first, and store their pair numbers.

    The number of a pair is twice its cell, plus one if it is a positive.

    Parameters
    ----------
    order
        Shape (n,). A permutation of 0 .. n - 1; numbers up to that of the positives mean positives, others negatives.
    positives, negatives
        Cells; n in total.
    offsets
        Shape (number of batches + 1,). The beginning of each batch; sizes differ by at most 1, larger ones first.
    numbers
        Shape (n,). The result.
    """
    cdef int64_t n_positives = positives.shape[0]
    cdef int64_t n_batches = offsets.shape[0] - 1
    if not order.shape[0] == n_positives + negatives.shape[0] == numbers.shape[0]:
        raise ValueError("order and numbers must have one place for each positive and negative")
    if n_batches < 1 or offsets[0] != 0 or offsets[n_batches] != order.shape[0]:
        raise ValueError("offsets must begin at 0 and end at the number of pairs")
    cdef core.Deal deal
    deal.order, deal.offsets, deal.numbers = &order[0], &offsets[0], &numbers[0]
    deal.positives, deal.negatives = &positives[0], &negatives[0]
    deal.n_positives, deal.n_batches = n_positives, n_batches
    cdef int64_t done = 0, end
    with nogil:
        core.begin_deal(&deal)
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.deal_next_pairs(&deal, done, end)
            done = end


def group_pairs(
    const int32_t[::1] order not None,
    const int64_t[::1] positives not None,
    const int64_t[::1] negatives not None,
    int64_t per_positive,
):
    """Return the pair numbers of the positives in an order, each followed by those of its own negatives.

    Parameters
    ----------
    order
        Shape (n,). A permutation of 0 .. n - 1.
    positives
        Shape (n,). Their cells.
    negatives
        Shape (n * per_positive,). The cells of the negatives of each positive in turn.
    per_positive
        At least 1.

    Returns
    -------
    numpy.ndarray of int64, shape (n * (per_positive + 1),)
    """
    cdef int64_t count = order.shape[0]
    if count < 1 or per_positive < 1 or positives.shape[0] != count or negatives.shape[0] != count * per_positive:
        raise ValueError("positives must have one place for each of the order, and negatives per_positive places")
    numbers = np.empty(count * (per_positive + 1), dtype=np.int64)
    cdef int64_t[::1] out = numbers
    cdef int64_t done = 0, end
    with nogil:
        while done < count:
            end = core.step_end(done, count)
            core.write_groups(&order[0], &positives[0], &negatives[0], per_positive, done, end, &out[0])
            done = end
    return numbers
