"""R's generator, for the compiled loops that draw from it.

It is that of R's ``set.seed(s, "Mersenne-Twister", "Inversion", "Rejection")`` (M. Matsumoto and T. Nishimura, 1998; R
sources, ``src/main/RNG.c``). A stream lives in a `Generator`; nothing here reads or changes any other random state.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PYSTRAT_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PYSTRAT_PREFETCH(address) ((void)0)
    #endif
    """
    void prefetch "PYSTRAT_PREFETCH"(const void *address) noexcept nogil

cdef enum:
    STATE_SIZE = 624     # words of the Mersenne-Twister
    STATE_SHIFT = 397
    BLOCK_SIZE = 512     # rows handled together, so that their memory is on its way before it is needed

cdef struct Generator:
    uint32_t state[STATE_SIZE]
    uint32_t outputs[STATE_SIZE]  # R's uniform is an output times 2^-32
    uint32_t position             # the next of the outputs to be used


cdef inline void seed_generator(Generator *generator, uint32_t seed) noexcept nogil:
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


cdef inline void temper(Generator *generator) noexcept nogil:
    """Make the outputs of the state."""
    cdef uint32_t i, value
    for i in range(<uint32_t>STATE_SIZE):
        value = generator.state[i]
        value ^= value >> 11
        value ^= (value << 7) & 0x9D2C5680u
        value ^= (value << 15) & 0xEFC60000u
        value ^= value >> 18
        generator.outputs[i] = value


cdef inline void refill(Generator *generator) noexcept nogil:
    """Make the next 624 outputs. Loops without branches, which compilers turn into vector code."""
    cdef uint32_t *state = generator.state
    cdef uint32_t i
    for i in range(<uint32_t>(STATE_SIZE - STATE_SHIFT)):
        state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT])
    for i in range(STATE_SIZE - STATE_SHIFT, STATE_SIZE - 1):
        state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT - STATE_SIZE])
    state[STATE_SIZE - 1] = twisted(state[STATE_SIZE - 1], state[0], state[STATE_SHIFT - 1])
    temper(generator)
    generator.position = 0


cdef inline uint32_t next_output(Generator *generator) noexcept nogil:
    """Return 32 random bits."""
    if generator.position == STATE_SIZE:
        refill(generator)
    generator.position += 1
    return generator.outputs[generator.position - 1]


cdef inline double next_uniform(Generator *generator) noexcept nogil:
    """Return a multiple of 2^-53 in [0, 1), made of two outputs."""
    cdef uint32_t upper = next_output(generator) >> 5
    cdef uint32_t lower = next_output(generator) >> 6
    return (upper * 67108864.0 + lower) / 9007199254740992.0


cdef inline uint32_t bits_below(uint64_t limit) noexcept nogil:
    """The least number of bits b with limit <= 2^b: R's ceil(log2(limit))."""
    cdef uint32_t bits = 0
    while (<uint64_t>1 << bits) < limit:
        bits += 1
    return bits


cdef inline uint64_t index_below(Generator *generator, uint64_t limit, uint32_t bits) noexcept nogil:
    """Draw R's index below a limit of 1 to 2^53, which needs so many bits: 16 an output, until it is below the limit."""
    cdef uint64_t mask = (<uint64_t>1 << bits) - 1
    cdef uint64_t value
    cdef uint32_t drawn
    while True:
        value = 0
        for drawn in range(0, bits + 1, 16):
            value = (value << 16) | (next_output(generator) >> 16)
        value &= mask
        if value < limit:
            return value


cdef inline void draw_indices(
    Generator *generator, uint32_t limit, uint32_t step, uint32_t bits, uint32_t wanted, uint32_t *indices
) noexcept nogil:
    """Draw R's index below each of limit, limit - step, ..., all of which need the same number of bits, at most 31.

    Below 2^16 an index takes one output, from there on two, the upper half first. An index that is not below its limit
    is overwritten by the next.
    """
    cdef uint32_t mask = (<uint32_t>1 << bits) - 1
    cdef uint32_t count = 0
    cdef uint32_t position, value
    while count < wanted:
        if bits >= 16 and generator.position == STATE_SIZE - 1:  # the two outputs straddle a refill
            value = next_output(generator) & 0xFFFF0000u
            value = (value | (next_output(generator) >> 16)) & mask
            indices[count] = value
            count += value < limit - step * count
        if generator.position == STATE_SIZE:
            refill(generator)
        position = generator.position
        if bits < 16:
            while count < wanted and position < STATE_SIZE:
                value = (generator.outputs[position] >> 16) & mask
                indices[count] = value
                count += value < limit - step * count
                position += 1
        else:
            while count < wanted and position + 1 < STATE_SIZE:
                value = generator.outputs[position] & 0xFFFF0000u
                value = (value | (generator.outputs[position + 1] >> 16)) & mask
                indices[count] = value
                count += value < limit - step * count
                position += 2
        generator.position = position


cdef inline uint32_t next_indices(
    Generator *generator, const int32_t *pool, uint32_t left, uint32_t *indices
) noexcept nogil:
    """Draw where in the `left` rows of the pool the next rows of a permutation stand; return how many were drawn.

    They are taken out one after another: each time the last of the rows that are left takes the place.
    """
    cdef uint32_t bits = bits_below(left)
    cdef uint32_t same_bits = left - ((<uint32_t>1 << bits) >> 1)
    cdef uint32_t count = same_bits if same_bits < BLOCK_SIZE else BLOCK_SIZE
    cdef uint32_t i
    draw_indices(generator, left, 1, bits, count, indices)
    for i in range(count):
        prefetch(&pool[indices[i]])
    return count


cdef inline int32_t take_row(int32_t *pool, uint32_t index, uint32_t last) noexcept nogil:
    """Take the row at an index out of the pool; the last row takes its place."""
    cdef int32_t row = pool[index]
    pool[index] = pool[last]
    return row


cdef inline uint32_t next_rows(Generator *generator, int32_t *pool, uint32_t left, int32_t *rows) noexcept nogil:
    """Take the next rows of the permutation out of the `left` rows of the pool; return how many were taken."""
    cdef uint32_t indices[BLOCK_SIZE]
    cdef uint32_t count = next_indices(generator, pool, left, indices)
    cdef uint32_t i
    for i in range(count):
        rows[i] = take_row(pool, indices[i], left - 1 - i)
    return count


cdef inline void next_subset(
    Generator *generator, int32_t *pool, uint32_t left, uint32_t size, uint32_t *places, int32_t *rows
) noexcept nogil:
    """Take `size` of the pool's rows, R's sample without replacement, and put everything back.

    The pool holds 0, 1, ...; `places` has room for `size` numbers. Only the places that were drawn have changed.
    """
    cdef uint32_t done = 0
    cdef uint32_t bits, count, i
    while done < size:
        bits = bits_below(left)
        count = left - ((<uint32_t>1 << bits) >> 1)  # as many need this number of bits
        count = min(count, size - done, <uint32_t>BLOCK_SIZE)
        draw_indices(generator, left, 1, bits, count, &places[done])
        for i in range(done, done + count):
            prefetch(&pool[places[i]])
        for i in range(done, done + count):
            left -= 1
            rows[i] = pool[places[i]]
            pool[places[i]] = pool[left]
        done += count
    for i in range(size):
        pool[places[i]] = <int32_t>places[i]
