# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled inner loops: R's generator, its permutation, the layout of an epoch and the scatter into it.

The generator is that of R's ``set.seed(s, "Mersenne-Twister", "Inversion", "Rejection")`` (M. Matsumoto and
T. Nishimura, 1998; R sources, ``src/main/RNG.c``), so a permutation made here is ``sample.int(n)`` less one, row for
row. Nothing in this file reads or changes any other random state, and every loop over rows runs without the
interpreter's lock.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PYSTRAT_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PYSTRAT_PREFETCH(address) ((void)0)
    #endif
    """
    void prefetch "PYSTRAT_PREFETCH"(const void *address) noexcept nogil

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t

cdef enum:
    STATE_SIZE = 624     # words of the Mersenne-Twister
    STATE_SHIFT = 397
    BLOCK_SIZE = 512     # rows handled together, so that their memory is on its way before it is needed

cdef struct Generator:
    uint32_t state[STATE_SIZE]
    uint16_t draws[STATE_SIZE]  # the upper 16 bits of each output: R's floor(65536 * u)
    uint32_t position           # the next of the draws to be used


cdef void seed_generator(Generator *generator, uint32_t seed) noexcept nogil:
    """R's set.seed: 50 steps of a congruential generator, one value discarded, then the state."""
    cdef uint32_t i
    for i in range(51):
        seed = 69069 * seed + 1
    for i in range(<uint32_t>STATE_SIZE):
        seed = 69069 * seed + 1
        generator.state[i] = seed
    generator.position = STATE_SIZE


cdef inline uint32_t twisted(uint32_t upper, uint32_t lower, uint32_t shifted) noexcept nogil:
    cdef uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu)
    return shifted ^ (mixed >> 1) ^ ((0 - (lower & 1)) & 0x9908B0DFu)


cdef void refill(Generator *generator) noexcept nogil:
    """Make the next 624 draws. Three loops without branches, which compilers turn into vector code."""
    cdef uint32_t *state = generator.state
    cdef uint32_t i, value
    for i in range(<uint32_t>(STATE_SIZE - STATE_SHIFT)):
        state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT])
    for i in range(STATE_SIZE - STATE_SHIFT, STATE_SIZE - 1):
        state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT - STATE_SIZE])
    state[STATE_SIZE - 1] = twisted(state[STATE_SIZE - 1], state[0], state[STATE_SHIFT - 1])
    for i in range(<uint32_t>STATE_SIZE):
        value = state[i]
        value ^= value >> 11
        value ^= (value << 7) & 0x9D2C5680u
        value ^= (value << 15) & 0xEFC60000u
        value ^= value >> 18
        generator.draws[i] = <uint16_t>(value >> 16)
    generator.position = 0


cdef inline uint32_t bits_below(uint32_t left) noexcept nogil:
    """The least number of bits b with left <= 2^b: R's ceil(log2(left))."""
    cdef uint32_t bits = 0
    while (<uint32_t>1 << bits) < left:
        bits += 1
    return bits


cdef void draw_indices(
    Generator *generator, uint32_t left, uint32_t bits, uint32_t wanted, uint32_t *indices
) noexcept nogil:
    """Draw one index below each of left, left - 1, ..., all of which need the same number of bits.

    Below 2^16 an index takes one draw, from there on two, the upper half first. An index that is not below its limit is
    overwritten by the next. Two draws never straddle a refill: a permutation takes its pairs first, singles after.
    """
    cdef uint32_t mask = (<uint32_t>1 << bits) - 1
    cdef uint32_t count = 0
    cdef uint32_t position, value
    while count < wanted:
        if generator.position == STATE_SIZE:
            refill(generator)
        position = generator.position
        if bits < 16:
            while count < wanted and position < STATE_SIZE:
                value = generator.draws[position] & mask
                indices[count] = value
                count += value < left - count
                position += 1
        else:
            while count < wanted and position < STATE_SIZE:
                value = ((<uint32_t>generator.draws[position] << 16) | generator.draws[position + 1]) & mask
                indices[count] = value
                count += value < left - count
                position += 2
        generator.position = position


cdef uint32_t next_rows(Generator *generator, int32_t *pool, uint32_t left, int32_t *rows) noexcept nogil:
    """Take the next rows of the permutation out of the `left` rows of the pool; return how many were taken."""
    cdef uint32_t indices[BLOCK_SIZE]
    cdef uint32_t bits = bits_below(left)
    cdef uint32_t same_bits = left - ((<uint32_t>1 << bits) >> 1)
    cdef uint32_t count = same_bits if same_bits < BLOCK_SIZE else BLOCK_SIZE
    cdef uint32_t i, index
    draw_indices(generator, left, bits, count, indices)
    for i in range(count):
        prefetch(&pool[indices[i]])
    for i in range(count):
        index = indices[i]
        left -= 1
        rows[i] = pool[index]
        pool[index] = pool[left]
    return count


def permutation(uint32_t seed, int32_t[::1] order):
    """Fill `order` with R's ``set.seed(seed); sample.int(n) - 1``, n its length."""
    cdef int32_t[::1] pool = np.arange(order.shape[0], dtype=np.int32)
    cdef uint32_t left = <uint32_t>order.shape[0]
    cdef Py_ssize_t done = 0
    cdef Generator generator
    cdef uint32_t count
    with nogil:
        seed_generator(&generator, seed)
        while left > 0:
            count = next_rows(&generator, &pool[0], left, &order[done])
            done += count
            left -= count


cdef void scatter_rows(
    const int32_t *rows, uint32_t count, code_type *codes, int64_t *cursors, const int32_t *layout, int32_t *out
) noexcept nogil:
    """Put rows where the layout wants the next row of their stratum."""
    cdef int32_t places[BLOCK_SIZE]
    cdef uint32_t i
    cdef code_type code
    for i in range(count):
        prefetch(&codes[rows[i]])
    for i in range(count):
        code = codes[rows[i]]
        places[i] = layout[cursors[code]]
        cursors[code] += 1
        prefetch(&out[places[i]])
    for i in range(count):
        out[places[i]] = rows[i]


def scatter_permutation(
    uint32_t seed, code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out
):
    """Scatter the permutation of `seed` into an epoch, without ever writing the permutation down.

    Parameters
    ----------
    seed
        The seed of the epoch's permutation.
    codes
        Shape (n,). The stratum of each row, from 0.
    cursors
        Shape (number of strata,). Where the ranks of each stratum begin in the layout; used up.
    layout, out
        Shape (n,). ``out[layout[cursors[s] + rank]]`` becomes the row of that rank in stratum s.
    """
    cdef int32_t[::1] pool = np.arange(codes.shape[0], dtype=np.int32)
    cdef uint32_t left = <uint32_t>codes.shape[0]
    cdef int32_t rows[BLOCK_SIZE]
    cdef Generator generator
    cdef uint32_t count
    with nogil:
        seed_generator(&generator, seed)
        while left > 0:
            count = next_rows(&generator, &pool[0], left, rows)
            scatter_rows(rows, count, &codes[0], &cursors[0], &layout[0], &out[0])
            left -= count


def scatter_in_order(code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out):
    """Scatter the rows in dataset order; the parameters are those of `scatter_permutation`."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(codes.shape[0]):
            out[layout[cursors[codes[row]]]] = <int32_t>row
            cursors[codes[row]] += 1


def count_codes(code_type[::1] codes, int64_t[::1] counts):
    """Add to `counts` how often each code occurs."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(codes.shape[0]):
            counts[codes[row]] += 1


def batch_sizes(const int64_t[::1] counts, bint even, int64_t[::1] sizes):
    """Add to `sizes`, one entry a batch, how many rows each batch holds."""
    cdef int64_t n_batches = sizes.shape[0]
    cdef int64_t n_rows = 0
    cdef int64_t before, upto, batch
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            n_rows += counts[stratum]
            if even:
                continue
            before = 0
            for batch in range(n_batches):
                upto = (batch + 1) * counts[stratum] // n_batches
                sizes[batch] += upto - before
                before = upto
        if even:
            for batch in range(n_batches):
                sizes[batch] = n_rows // n_batches + (batch < n_rows % n_batches)


def fill_layout(const int64_t[::1] counts, bint even, int64_t[::1] free, int32_t[::1] layout):
    """Say for every stratum and rank, in that order, which place of the epoch the row takes.

    Parameters
    ----------
    counts
        Shape (number of strata,). Rows of each stratum.
    even
        Deal the rows round robin; else the proportional rule, batch = ceil(rank * n_batches / count).
    free
        Shape (n_batches,). The first place of each batch; moved on as places are taken.
    layout
        Shape (sum of counts,). The result.
    """
    cdef int64_t n_batches = free.shape[0]
    cdef int64_t place = 0
    cdef int64_t rank, count, batch
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            count = counts[stratum]
            for rank in range(1, count + 1):
                if even:
                    batch = place % n_batches
                else:
                    batch = (rank * n_batches + count - 1) // count - 1
                layout[place] = <int32_t>free[batch]
                free[batch] += 1
                place += 1
