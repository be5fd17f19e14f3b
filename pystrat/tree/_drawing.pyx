# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (tree.h) for numpy arrays: the draws of a tree, and normal numbers."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t

cimport pystrat._core as core


def cumulate(double[::1] weights, int64_t[::1] offsets):
    """Return the cumulative sums of weights, restarted in each group; float64 of the shape of `weights`."""
    sums = np.empty(weights.shape[0], dtype=np.float64)
    cdef double[::1] out = sums
    cdef int64_t done = 0, end
    if weights.shape[0]:
        with nogil:
            while done < offsets.shape[0] - 1:
                end = core.step_end(done, offsets.shape[0] - 1)
                core.cumulate(&weights[0], &offsets[0], done, end, &out[0])
                done = end
    return sums


def stream_seed(uint32_t seed, int64_t number):
    """Return the seed of the stream of a node, or of an auxiliary value: these have the numbers after the nodes."""
    return core.stream_seed(seed, number)


def make_normal(double[::1] uniforms, double mean, double deviation):
    """Turn uniform numbers, from 0 to below 1, into normal ones, in place."""
    cdef int64_t done = 0, end
    with nogil:
        while done < uniforms.shape[0]:
            end = core.step_end(done, uniforms.shape[0])
            core.make_normal(end - done, mean, deviation, &uniforms[done])
            done = end


cdef class Drawing:
    """The draws of a tree, from the first on: the options of a node are child nodes or, at a leaf, rows.

    Nodes are numbered in preorder, so that node 0 is the root and children have higher numbers than their parents.

    Parameters
    ----------
    modes : int8, shape (n_nodes,)
        0 with replacement, 1 in sequence, 2 shuffled.
    repeats : int64, shape (n_nodes,)
        How many times in a row each option is used.
    leaves : int8, shape (n_nodes,)
        1 if the options are rows.
    options, offsets : int32 and int64, shape (n_nodes + 1,)
        The options of node j are ``options[offsets[j]:offsets[j + 1]]``.
    cumulative, cumulative_begin : float64 and int64, shape (n_nodes,)
        The beginning of the cumulative weights of a node's options; -1 if all options are equally likely.
    by_depth, depths : int64, shape (n_nodes,)
        The nodes sorted by depth, and the depth of each of them.
    seed : int
        From 0 to 2^31 - 2.
    keep : bool
        Whether further calls of `draw` continue with the states of the nodes; otherwise every call starts over.
    """

    cdef const int8_t[::1] modes, leaves
    cdef const int64_t[::1] repeats, offsets, cumulative_begin, by_depth, depths
    cdef const int32_t[::1] options
    cdef const double[::1] cumulative
    cdef int8_t[::1] nodes, generators
    cdef int32_t[::1] pools
    cdef core.DeclaredTree tree
    cdef core.TreeStates states

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
        uint32_t seed,
        bint keep,
    ):
        self.modes, self.leaves, self.repeats = modes, leaves, repeats
        self.options, self.offsets = options, offsets
        self.cumulative, self.cumulative_begin = cumulative, cumulative_begin
        self.by_depth, self.depths = by_depth, depths
        cdef core.DeclaredTree *tree = &self.tree
        tree.n_nodes = self.modes.shape[0]
        tree.modes, tree.leaves, tree.repeats = &self.modes[0], &self.leaves[0], &self.repeats[0]
        tree.options, tree.offsets = &self.options[0], &self.offsets[0]
        tree.cumulative = &self.cumulative[0] if self.cumulative.shape[0] else NULL
        tree.cumulative_begin = &self.cumulative_begin[0]
        tree.by_depth, tree.depths, tree.seed = &self.by_depth[0], &self.depths[0], seed
        cdef core.TreeStatesSize size = core.tree_states_size(tree, keep)
        # Memory that numpy has not touched takes no space; one more number, so that empty memory has an address.
        self.nodes = np.empty(size.nodes * sizeof(core.NodeState) + 1, dtype=np.int8)
        self.generators = np.empty(size.generators * sizeof(core.Generator) + 1, dtype=np.int8)
        self.pools = np.empty(size.pooled + 1, dtype=np.int32)
        core.init_tree_states(
            &self.states,
            tree,
            keep,
            <core.NodeState *>&self.nodes[0],
            <core.Generator *>&self.generators[0],
            &self.pools[0],
        )

    def draw(self, Py_ssize_t count):
        """Return the rows of the next `count` draws, at most 2^31 - 1; int32 of shape (count,).

        After an exception, such as KeyboardInterrupt, no further draws are possible.
        """
        rows = np.empty(count, dtype=np.int32)
        if count == 0:
            return rows
        cdef int32_t[::1] out = rows
        cdef int32_t[:, ::1] draws = np.empty((3, count), dtype=np.int32)
        cdef int64_t[:, ::1] of_nodes = np.empty((3, self.tree.n_nodes), dtype=np.int64)
        cdef core.TreeChunk chunk
        chunk.count, chunk.rows = count, &out[0]
        chunk.picked, chunk.here, chunk.below = &draws[0, 0], &draws[1, 0], &draws[2, 0]
        chunk.begins, chunk.wanted, chunk.cursors = &of_nodes[0, 0], &of_nodes[1, 0], &of_nodes[2, 0]
        with nogil:
            core.begin_chunk(&self.tree, &chunk)
            while not core.draw_chunk(&self.tree, &self.states, &chunk, core.STEP):
                core.hear_signals()
        return rows
