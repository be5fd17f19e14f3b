# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core (groups_*.h): groups of rows, dealt to batches. The caller checks the limits."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

from pystrat cimport _core as core


def deal_together(
    const int32_t[::1] order,
    const int32_t[::1] groups,
    const int32_t[::1] sizes,
    const int32_t[::1] strata_of,
    int64_t n_strata,
    int64_t n_batches,
    int64_t minimum,
):
    """Deal the groups of an epoch to its batches, each with all of its rows.

    Parameters
    ----------
    order
        Shape (n,). The rows in the order of the epoch.
    groups
        Shape (n,). The group of each row; the number of groups for rows that the epoch leaves out.
    sizes, strata_of
        Shape (number of groups,). How often each group occurs, and its stratum.
    n_strata, n_batches
        At least 1. Each stratum has at least `n_batches` groups that occur.
    minimum
        At least 1. Groups of at least so many rows come first.

    Returns
    -------
    rows : numpy.ndarray of int32
        Batch after batch, each in order of stratum.
    offsets : numpy.ndarray of int64, shape (n_batches + 1,)
    """
    cdef int32_t[:, ::1] memory = np.full((4, sizes.shape[0]), -1, dtype=np.int32)
    cdef int64_t[:, ::1] numbers = np.zeros((2, n_strata), dtype=np.int64)
    cdef core.GroupedRows grouped
    grouped.n_strata, grouped.n_groups, grouped.n_batches = n_strata, sizes.shape[0], n_batches
    grouped.minimum, grouped.n_found = minimum, 0
    grouped.sizes, grouped.strata_of = &sizes[0], &strata_of[0]
    grouped.found, grouped.line, grouped.next_places = &memory[0, 0], &memory[1, 0], &memory[2, 0]
    grouped.batch_of = &memory[3, 0]
    grouped.n_first, grouped.n_other = &numbers[0, 0], &numbers[1, 0]
    line_up(order, groups, &grouped)
    offsets = dealt(&grouped)
    return written(order, groups, offsets, &grouped), offsets


cdef int line_up(const int32_t[::1] order, const int32_t[::1] groups, core.GroupedRows *grouped) except -1:
    """Put the groups in the order in which they are dealt."""
    cdef int64_t[:, ::1] places = np.empty((2, grouped.n_strata), dtype=np.int64)
    cdef int64_t done = 0, end
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.find_groups(&order[0], &groups[0], done, end, grouped)
            done = end
        core.begin_line(grouped, &places[0, 0], &places[1, 0])
        done = 0
        while done < grouped.n_found:
            end = core.step_end(done, grouped.n_found)
            core.line_up_groups(grouped, done, end, &places[0, 0], &places[1, 0])
            done = end
    return 0


cdef object dealt(core.GroupedRows *grouped):
    """Find the batch of each group; return the offsets of the batches."""
    offsets = np.empty(grouped.n_batches + 1, dtype=np.int64)
    cdef int64_t[::1] places = offsets
    cdef int32_t[:, ::1] memory = np.empty((3, grouped.n_batches), dtype=np.int32)
    cdef core.GroupDealing dealing
    dealing.n_batches = grouped.n_batches
    dealing.held, dealing.totals, dealing.heap = &memory[0, 0], &memory[1, 0], &memory[2, 0]
    with nogil:
        core.begin_dealing_groups(&dealing)
        while dealing.dealt < grouped.n_found:
            core.deal_groups(grouped, &dealing, core.step_end(dealing.dealt, grouped.n_found))
        core.fill_group_offsets(&dealing, &places[0])
    return offsets


cdef object written(const int32_t[::1] order, const int32_t[::1] groups, offsets, core.GroupedRows *grouped):
    """Return the rows of the epoch."""
    rows = np.empty(offsets[grouped.n_batches], dtype=np.int32)
    cdef int32_t[::1] out = rows
    cdef int64_t[::1] free = offsets.copy()
    cdef int64_t done = 0, end
    with nogil:
        while done < grouped.n_found:
            end = core.step_end(done, grouped.n_found)
            core.place_groups(grouped, done, end, &free[0])
            done = end
        done = 0
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.write_grouped_rows(&order[0], &groups[0], 0, done, end, grouped, &out[0])
            done = end
    return rows


def deal_apart(
    const int32_t[::1] order,
    const int32_t[::1] strata,
    const int32_t[::1] groups,
    const int32_t[::1] stratum_counts,
    const int32_t[::1] group_counts,
    int64_t n_batches,
    bint nested,
):
    """Deal the rows of an epoch to its batches, so that each has its share of every stratum and of every group.

    Parameters
    ----------
    order
        Shape (n,). The rows in the order of the epoch.
    strata, groups
        Shape (n,). The stratum and the group of each row; the numbers of strata and of groups for rows that the epoch
        leaves out.
    stratum_counts, group_counts
        Shape (number of strata,) and (number of groups,). How often each of them occurs.
    n_batches
        At least 1, and at most the rows of an epoch.
    nested
        Whether each group has rows of only one stratum.

    Returns
    -------
    rows : numpy.ndarray of int32
        Batch after batch, each in order of stratum, then of the epoch.
    offsets : numpy.ndarray of int64, shape (n_batches + 1,)
    """
    begins = np.concatenate([[0], np.cumsum(stratum_counts)])
    colors, sizes = np.empty(begins[stratum_counts.shape[0]], dtype=np.int32), np.zeros(n_batches, dtype=np.int64)
    cdef int32_t[::1] batches = colors
    cdef int64_t[::1] batch_sizes = sizes
    cdef core.RowGraph graph
    graph.n_batches, graph.n_edges = n_batches, batches.shape[0]
    graph.n_found = graph.n_colored = 0
    graph.colors, graph.sizes = &batches[0], &batch_sizes[0]
    graph.sides[0].n_labels, graph.sides[1].n_labels = stratum_counts.shape[0], group_counts.shape[0]
    graph.sides[0].labels, graph.sides[1].labels = &strata[0], &groups[0]
    graph.sides[0].counts, graph.sides[1].counts = &stratum_counts[0], &group_counts[0]
    if nested:
        deal_nested(order, begins.copy(), &graph)
    else:
        color_rows(order, &graph)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return rows_apart(order, begins, offsets.copy(), &graph), offsets


cdef int deal_nested(const int32_t[::1] order, int64_t[::1] begins, core.RowGraph *graph) except -1:
    """Deal the rows in turn, in order of stratum and group."""
    cdef int32_t[::1] next_places = np.full(graph.sides[1].n_labels, -1, dtype=np.int32)
    cdef int64_t done = 0, end
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.deal_in_turn(&order[0], done, end, &begins[0], &next_places[0], graph)
            done = end
    return 0


cdef int color_rows(const int32_t[::1] order, core.RowGraph *graph) except -1:
    """Color the rows as the edges of a graph of strata and groups."""
    memory = [side_memory(&graph.sides[side], graph) for side in range(2)]
    cdef core.Equalizing progress
    cdef int64_t done = 0, end
    progress.giver, progress.taker, progress.vertex = 0, 0, 0
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.cut_into_blocks(&order[0], done, end, graph)
            done = end
        while not core.color_edges(graph, core.STEP):
            core.hear_signals()
        while not core.equalize_sizes(graph, core.STEP, &progress):
            core.hear_signals()
    del memory
    return 0


cdef object side_memory(core.GraphSide *side, core.RowGraph *graph):
    """Give a side of the graph new arrays; return them."""
    cdef int64_t n_vertices = core.most_vertices(side.counts, side.n_labels, graph.n_batches)
    cdef int32_t[:, ::1] of_labels = np.zeros((3, side.n_labels), dtype=np.int32)
    cdef int32_t[::1] vertices = np.empty(graph.n_edges, dtype=np.int32)
    cdef int32_t[::1] edges = np.full(n_vertices * graph.n_batches, -1, dtype=np.int32)
    cdef uint64_t[::1] free_colors = np.empty(n_vertices * core.color_words(graph.n_batches), dtype=np.uint64)
    cdef int32_t[::1] first_words = np.zeros(n_vertices, dtype=np.int32)
    cdef int64_t done = 0, end
    side.n_vertices = side.room = 0
    side.ranks, side.rests, side.wholes = &of_labels[0, 0], &of_labels[1, 0], &of_labels[2, 0]
    side.vertices, side.edges = &vertices[0], &edges[0]
    side.free_colors, side.first_words = &free_colors[0], &first_words[0]
    with nogil:
        while done < n_vertices:
            end = core.step_end(done, n_vertices)
            core.free_all_colors(side, graph.n_batches, done, end)
            done = end
    return of_labels, vertices, edges, free_colors, first_words


cdef object rows_apart(
    const int32_t[::1] order, int64_t[::1] next_places, int64_t[::1] next_free, core.RowGraph *graph
):
    """Return the rows of the epoch."""
    memory, result = np.empty((2, graph.n_edges), dtype=np.int32), np.empty(graph.n_edges, dtype=np.int32)
    cdef int32_t[:, ::1] by_stratum = memory
    cdef int32_t[::1] out = result
    cdef int64_t done = 0, end, n_done = 0
    cdef int32_t *rows = &by_stratum[0, 0]
    cdef int32_t *batches = &by_stratum[1, 0]
    with nogil:
        while done < order.shape[0]:
            end = core.step_end(done, order.shape[0])
            core.sort_by_stratum(&order[0], graph, done, end, &n_done, &next_places[0], rows, batches)
            done = end
        done = 0
        while done < graph.n_edges:
            end = core.step_end(done, graph.n_edges)
            core.write_rows_apart(rows, batches, 0, done, end, &next_free[0], &out[0])
            done = end
    return result
