# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Drawing from a tree in whole chunks, and the grouping of rows of which it is built."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from pystrat._core cimport (
    Generator,
    bits_below,
    draw_indices,
    next_uniform,
    seed_generator,
    take_rows,
)

cdef enum:
    REPLACEMENT = 0
    SEQUENTIAL = 1
    SHUFFLE = 2

cdef struct State:
    Generator *generator  # NULL until the node first draws
    int32_t *pool         # of a shuffle: the options, those that are left first
    int64_t left          # of a shuffle: how many are left; of a sequence: the next one
    int64_t repeats       # how often the current option is still to be used
    int32_t current


def group_rows(int64_t[::1] groups, Py_ssize_t n_groups):
    """Sort places by group, stably; return the order and where each group begins, int64 of (n,) and (n_groups + 1,)."""
    order = np.empty(groups.shape[0], dtype=np.int64)
    offsets = np.zeros(n_groups + 1, dtype=np.int64)
    cdef int64_t[::1] out = order
    cdef int64_t[::1] cursor = np.zeros(n_groups + 1, dtype=np.int64)
    cdef int64_t[::1] begin = offsets
    cdef Py_ssize_t i
    cdef int64_t group
    with nogil:
        for i in range(groups.shape[0]):
            begin[groups[i] + 1] += 1
        for i in range(n_groups):
            begin[i + 1] += begin[i]
            cursor[i] = begin[i]
        for i in range(groups.shape[0]):
            group = groups[i]
            out[cursor[group]] = i
            cursor[group] += 1
    return order, offsets


def cumulate(double[::1] weights, int64_t[::1] offsets):
    """Return the sums of weights from left to right, anew in each group; float64 of the shape of `weights`."""
    sums = np.empty(weights.shape[0], dtype=np.float64)
    cdef double[::1] out = sums
    cdef Py_ssize_t group, i
    cdef double total
    for group in range(offsets.shape[0] - 1):
        total = 0
        for i in range(offsets[group], offsets[group + 1]):
            total += weights[i]
            out[i] = total
    return sums


cdef inline int64_t first_above(double *cumulative, int64_t n_options, double sought) noexcept nogil:
    """Return the first option whose cumulative weight exceeds the sought one; there is one."""
    cdef int64_t low = 0
    cdef int64_t high = n_options - 1
    cdef int64_t middle
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > sought:
            high = middle
        else:
            low = middle + 1
    return low


cdef class Drawing:
    """The draws of a tree, from the first on: a node's options are child nodes or, at a leaf, rows.

    Nodes are numbered in preorder, so that node 0 is the root and children have higher numbers than their parents.

    Parameters
    ----------
    modes : int8, shape (n_nodes,)
        0 with replacement, 1 in sequence, 2 shuffled.
    repeats : int64, shape (n_nodes,)
        How often in a row each option is used.
    leaves : int8, shape (n_nodes,)
        1 where the options are rows.
    options, offsets : int32 and int64, shape (n_nodes + 1,)
        Those of node j are ``options[offsets[j]:offsets[j + 1]]``.
    cumulative, cumulative_begin : float64 and int64, shape (n_nodes,)
        Where the sums of the weights of a node's options begin; -1 where they all have the same chance.
    by_depth, depths : int64, shape (n_nodes,)
        The nodes sorted by depth, and the depth of each of them.
    seeds : int64, shape (n_nodes,)
        The seed of each node's stream.
    keep : bool
        Whether further calls of `draw` shall go on with the states of the nodes; else every call begins anew.
    """

    cdef int8_t[::1] modes, leaves
    cdef int64_t[::1] repeats, offsets, cumulative_begin, by_depth, depths, seeds
    cdef int32_t[::1] options
    cdef double[::1] cumulative
    cdef State *states
    cdef State lone
    cdef Generator lone_generator
    cdef Py_ssize_t n_nodes
    cdef bint keep

    def __cinit__(self):
        self.states = NULL

    def __init__(
        self,
        modes,
        repeats,
        leaves,
        options,
        offsets,
        cumulative,
        cumulative_begin,
        by_depth,
        depths,
        seeds,
        bint keep,
    ):
        self.modes, self.leaves, self.repeats = modes, leaves, repeats
        self.options, self.offsets = options, offsets
        self.cumulative, self.cumulative_begin = cumulative, cumulative_begin
        self.by_depth, self.depths, self.seeds = by_depth, depths, seeds
        self.n_nodes = self.modes.shape[0]
        self.keep = keep
        if keep:
            self.states = <State *>calloc(self.n_nodes, sizeof(State))
            if self.states == NULL:
                raise MemoryError()

    def __dealloc__(self):
        cdef Py_ssize_t node
        if self.states != NULL:
            for node in range(self.n_nodes):
                free(self.states[node].generator)
                free(self.states[node].pool)
            free(self.states)

    def draw(self, Py_ssize_t count):
        """Return the rows of the next `count` draws, at most 2^31 - 1; int32 of shape (count,)."""
        rows = np.empty(count, dtype=np.int32)
        if count == 0:
            return rows
        cdef int32_t[::1] out = rows
        cdef int32_t[::1] picked = np.empty(count, dtype=np.int32)
        # The draws that each node is to give, by their places in the chunk: the nodes of one depth share the places.
        cdef int32_t[::1] here = np.arange(count, dtype=np.int32)
        cdef int32_t[::1] below = np.empty(count, dtype=np.int32)
        cdef int64_t[::1] begin = np.zeros(self.n_nodes, dtype=np.int64)
        cdef int64_t[::1] wanted = np.zeros(self.n_nodes, dtype=np.int64)
        cdef int64_t[::1] cursor = np.zeros(self.n_nodes, dtype=np.int64)
        cdef int64_t depth = 0
        cdef int64_t given = 0
        cdef int64_t node, child, i, place
        wanted[0] = count
        for place in range(self.n_nodes):
            node = self.by_depth[place]
            if self.depths[place] != depth:
                depth = self.depths[place]
                here, below = below, here
                given = 0
            if wanted[node] == 0:
                continue
            self.pick(node, wanted[node], &picked[0])
            if self.leaves[node]:
                for i in range(wanted[node]):
                    out[here[begin[node] + i]] = picked[i]
                continue
            for i in range(wanted[node]):
                wanted[picked[i]] += 1
            for i in range(self.offsets[node], self.offsets[node + 1]):
                child = self.options[i]
                begin[child] = given
                cursor[child] = given
                given += wanted[child]
            for i in range(wanted[node]):
                child = picked[i]
                below[cursor[child]] = here[begin[node] + i]
                cursor[child] += 1
        return rows

    cdef int pick(self, int64_t node, int64_t count, int32_t *to) except -1:
        """Write the next `count` options of a node, repeated ones included."""
        cdef State *state = &self.lone
        cdef int64_t repeat = self.repeats[node]
        cdef int64_t done = 0
        cdef int64_t fresh, i, k
        cdef int32_t value
        cdef int32_t *drawn
        if self.keep:
            state = &self.states[node]
        else:
            state.generator = NULL
            state.pool = NULL
            state.left = state.repeats = 0
        while done < count and state.repeats > 0:
            to[done] = state.current
            done += 1
            state.repeats -= 1
        if done == count:
            return 0
        fresh = (count - done + repeat - 1) // repeat
        drawn = to + (count - fresh)  # the end, from which repeating never overtakes reading
        try:
            self.draw_options(state, node, fresh, drawn)
        finally:
            if not self.keep:
                free(state.pool)
                state.pool = NULL
        state.repeats = fresh * repeat - (count - done)
        state.current = drawn[fresh - 1]
        if repeat > 1:
            for k in range(fresh):
                value = drawn[k]
                for i in range(min(repeat, count - done)):
                    to[done + i] = value
                done += repeat
        return 0

    cdef int draw_options(self, State *state, int64_t node, int64_t count, int32_t *to) except -1:
        cdef int64_t n_options = self.offsets[node + 1] - self.offsets[node]
        cdef int32_t *options = &self.options[self.offsets[node]]
        cdef double *cumulative
        cdef double total
        cdef int64_t i
        if self.modes[node] == SEQUENTIAL:
            for i in range(count):
                to[i] = options[state.left]
                state.left += 1
                if state.left == n_options:
                    state.left = 0
            return 0
        self.find_generator(state, node)
        if self.modes[node] == SHUFFLE:
            return self.shuffle(state, options, n_options, count, to)
        if self.cumulative_begin[node] < 0:
            # An index fits where the option belongs that it stands for.
            draw_indices(
                state.generator, <uint32_t>n_options, 0, bits_below(n_options), <uint32_t>count, <uint32_t *>to
            )
            for i in range(count):
                to[i] = options[to[i]]
            return 0
        cumulative = &self.cumulative[self.cumulative_begin[node]]
        total = cumulative[n_options - 1]
        for i in range(count):
            to[i] = options[first_above(cumulative, n_options, next_uniform(state.generator) * total)]
        return 0

    cdef int find_generator(self, State *state, int64_t node) except -1:
        if state.generator != NULL:
            return 0
        if self.keep:
            state.generator = <Generator *>malloc(sizeof(Generator))
            if state.generator == NULL:
                raise MemoryError()
        else:
            state.generator = &self.lone_generator
        seed_generator(state.generator, <uint32_t>self.seeds[node])
        return 0

    cdef int shuffle(
        self, State *state, int32_t *options, int64_t n_options, int64_t count, int32_t *to
    ) except -1:
        """Take options out of the pool, as R's sample() does, and fill it again whenever it is empty."""
        cdef uint32_t wanted
        if state.pool == NULL:
            state.pool = <int32_t *>malloc(n_options * sizeof(int32_t))
            if state.pool == NULL:
                raise MemoryError()
        while count > 0:
            if state.left == 0:
                memcpy(state.pool, options, n_options * sizeof(int32_t))
                state.left = n_options
            wanted = <uint32_t>min(count, state.left)
            take_rows(state.generator, state.pool, <uint32_t>state.left, wanted, to)
            state.left -= wanted
            to += wanted
            count -= wanted
        return 0
