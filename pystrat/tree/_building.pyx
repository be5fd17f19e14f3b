# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (tree_*.h) for numpy arrays: the nodes of a tree, their weights and the length of a pass."""

import numpy as np

from libc.stdint cimport INT32_MAX, int8_t, int32_t, int64_t, uint8_t

cimport pystrat._core as core

FOUND = core.NODES_FOUND
MISSING = core.VALUES_MISSING
ENDLESS_PASS = core.ENDLESS_PASS


cdef class Nodes:
    """The nodes of a declared tree for a table. Each parameter except the first has one item for each declared node.

    Parameters
    ----------
    n_rows : int
        The number of rows of the table.
    parents : list of int
        -1 for the root. Parents come before their children.
    codes : list of int32 arrays
        The column of a condition or of clones, -1 for missing values; None selects all rows of the parent.
    n_values : list of int
        The number of distinct values of that column.
    taken : list of uint8 arrays
        Whether each code meets the condition, beginning with missing values; None makes clones.
    missing, prune : list of int
        What to do with missing values, and with empty clones: the numbers of tree_nodes.h.
    """

    cdef readonly object declared, values, parents, depths, offsets, options, node_rows, untaken, weights, matter
    cdef object _declarations, _kept
    cdef core.NodeBuilding building

    def __init__(self, n_rows, parents, codes, n_values, taken, missing, prune):
        cdef Py_ssize_t n_declared = len(parents)
        cdef Py_ssize_t node
        cdef const int32_t[::1] column
        cdef const uint8_t[::1] chosen
        cdef int32_t[::1] scratch = np.empty(n_rows, dtype=np.int32)
        cdef int8_t[::1] declarations = np.empty(n_declared * sizeof(core.NodeDeclaration), dtype=np.int8)
        cdef int8_t[::1] clones = np.empty(n_declared * sizeof(core.Clones), dtype=np.int8)
        cdef core.NodeDeclaration *declared = <core.NodeDeclaration *>&declarations[0]
        self._declarations, self._kept = declarations, [codes, taken, scratch, clones]
        for node in range(n_declared):
            declared[node].parent = parents[node]
            declared[node].codes = declared[node].taken = NULL
            if codes[node] is not None:
                column = codes[node]
                declared[node].codes = &column[0]
            if taken[node] is not None:
                chosen = taken[node]
                declared[node].taken = &chosen[0]
            declared[node].n_values = n_values[node]
            declared[node].missing, declared[node].prune = missing[node], prune[node]
        self.building.declared = declared
        self.building.clones = <core.Clones *>&clones[0]
        self.building.scratch = &scratch[0]
        self.building.n_declared, self.building.n_rows = n_declared, n_rows
        core.begin_nodes(&self.building)

    def build(self):
        """Build the nodes; return FOUND, MISSING or, if nothing is left to draw, another number."""
        cdef int8_t[::1] memory
        cdef int outcome = core.NODES_GO_ON
        while outcome == core.NODES_GO_ON:
            if self.building.wanted:
                memory = np.empty(self.building.wanted, dtype=np.int8)
                self._kept.append(memory)
                self.building.memory = &memory[0]
            with nogil:
                outcome = core.build_nodes(&self.building, core.STEP)
                core.hear_signals()
        if outcome == core.NODES_FOUND:
            self._fill()
        return outcome

    def _fill(self):
        cdef int64_t node, n_nodes = self.building.n_nodes
        if n_nodes > INT32_MAX:
            raise OverflowError(f"A tree has at most {INT32_MAX} nodes, not {n_nodes}.")
        self.declared, self.values, self.parents, self.depths = (np.empty(n_nodes, dtype=np.int32) for _ in range(4))
        self.offsets = np.empty(n_nodes + 1, dtype=np.int64)
        self.options = np.empty(self.building.n_options, dtype=np.int32)
        self.node_rows, self.untaken = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.int64)
        cdef int32_t[::1] declared = self.declared, values = self.values, parents = self.parents, depths = self.depths
        cdef int32_t[::1] options = self.options
        cdef int64_t[::1] offsets = self.offsets, cursors = np.empty(n_nodes, dtype=np.int64)
        cdef int64_t[::1] node_rows = self.node_rows, untaken = self.untaken
        cdef uint8_t[::1] marks = np.zeros(self.building.n_rows, dtype=np.uint8)
        cdef core.TreeNodes nodes
        nodes.declared, nodes.values, nodes.parents, nodes.depths = &declared[0], &values[0], &parents[0], &depths[0]
        nodes.offsets, nodes.options, nodes.cursors = &offsets[0], &options[0], &cursors[0]
        with nogil:
            while not core.fill_nodes(&self.building, &nodes):
                core.hear_signals()
            for node in range(self.building.n_declared):
                core.count_node_rows(&self.building, node, &marks[0], &node_rows[0], &untaken[0])
                core.hear_signals()
        self._kept = None

    @property
    def failed(self):
        """The declared node of a refusal."""
        return self.building.failed

    @property
    def emptied(self):
        """The declared node that may not be pruned: `failed`, or the node that it made empty."""
        return self.building.emptied

    @property
    def n_missing(self):
        """The number of missing values of a refusal."""
        return self.building.n_missing

    @property
    def n_looked_at(self):
        """The number of rows among which these missing values are."""
        return self.building.n_looked_at

    def path_of_failed(self):
        """Return the declared node and the code, -1 for none, of the empty clone and of its ancestors."""
        cdef int64_t[::1] declared = np.empty(self.building.n_declared, dtype=np.int64)
        cdef int64_t[::1] values = np.empty(self.building.n_declared, dtype=np.int64)
        core.tell_path(&self.building, self.building.failed, self.building.failed_clone, &declared[0], &values[0])
        cdef Py_ssize_t depth = 0
        while declared[depth] != self.building.failed:
            depth += 1
        return [(declared[place], values[place]) for place in range(depth + 1)]

    def weigh(self, forms, modes, numbers, summed, row_weights):
        """Compute the weights of the options of all nodes; each parameter has one item for each declared node.

        Parameters
        ----------
        forms, modes : list of int
            The form of each weight and the mode of each node: the numbers of tree_weights.h and tree.h.
        numbers : list of float
            The fixed weights.
        summed, row_weights : list of float64 arrays
            The columns whose sums are weights, and the columns of row weights; None for none.

        Returns
        -------
        tuple of int, bool and float, or None
            None, or a refusal: the declared node whose column contains an invalid number, whether the column is its
            `row_weights`, and the number; or the node whose weights have an invalid sum, None, and the sum.
        """
        cdef Py_ssize_t n_declared = len(forms), node
        cdef int64_t n_nodes = self.building.n_nodes
        cdef const double[::1] column
        cdef int8_t[::1] declarations = np.empty(n_declared * sizeof(core.WeightDeclaration), dtype=np.int8)
        cdef core.WeightDeclaration *weighed = <core.WeightDeclaration *>&declarations[0]
        for node in range(n_declared):
            weighed[node].form, weighed[node].mode, weighed[node].weight = forms[node], modes[node], numbers[node]
            weighed[node].summed = weighed[node].row_weights = NULL
            if summed[node] is not None:
                column = summed[node]
                weighed[node].summed = &column[0]
            if row_weights[node] is not None:
                column = row_weights[node]
                weighed[node].row_weights = &column[0]
        cdef int32_t[::1] declared = self.declared, depths = self.depths, options = self.options
        cdef int64_t[::1] offsets = self.offsets
        cdef double[::1] scratch = np.empty(2 * n_nodes, dtype=np.float64)
        cdef int64_t[::1] listed = np.empty(n_nodes + n_declared + 2, dtype=np.int64)
        cdef double[::1] weights = np.empty(len(self.options), dtype=np.float64)
        cdef core.TreeNodes nodes
        nodes.declared, nodes.depths, nodes.options, nodes.offsets = &declared[0], &depths[0], &options[0], &offsets[0]
        cdef core.Weighing weighing
        weighing.declared, weighing.weighed, weighing.nodes = self.building.declared, weighed, &nodes
        weighing.n_declared, weighing.n_nodes = n_declared, n_nodes
        weighing.chances, weighing.sums, weighing.weights = &scratch[0], &scratch[n_nodes], &weights[0]
        weighing.clones, weighing.begins = &listed[0], &listed[n_nodes]
        cdef int outcome = core.WEIGHTS_GO_ON
        with nogil:
            core.begin_weighing(&weighing)
            while outcome == core.WEIGHTS_GO_ON:
                outcome = core.weigh_nodes(&weighing, core.STEP)
                core.hear_signals()
        if outcome != core.WEIGHTS_FOUND:
            of_column = None if outcome == core.TOTAL_REFUSED else bool(weighing.of_rows)
            return weighing.failed, of_column, weighing.refused
        self.weights = np.asarray(weights)
        self.matter = np.array([weighed[node].matter for node in range(n_declared)], dtype=bool)[self.declared]
        return None


def pass_length(const int8_t[::1] modes, const int32_t[::1] parents, const int32_t[::1] depths,
                const int64_t[::1] offsets, const int64_t[::1] repeats, int64_t node):
    """Return the number of draws until every row below a node of a tree in preorder is drawn, and -1.

    If a node on the way draws with replacement, return 0 and that node. ENDLESS_PASS means a larger number.
    """
    cdef int64_t n_nodes = modes.shape[0]
    cdef int64_t[::1] most = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t wrong = core.find_replacement(&modes[0], &parents[0], &depths[0], n_nodes, node)
    if wrong >= 0:
        return 0, wrong
    return core.pass_length(&parents[0], &depths[0], &offsets[0], &repeats[0], n_nodes, node, &most[0]), -1
