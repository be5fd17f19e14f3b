"""The largest numbers that vectors and numbers of both languages hold, and that seeds allow."""

MAX_COUNT = 2**31 - 1  # of rows, draws, batches, codes or repeats: the largest integer of an R vector
MAX_EXACT = 2**53  # doubles hold all integers up to it, and down to its negative
SEED_MODULUS = 2**31 - 1  # a prime; seeds are remainders modulo it
MAX_SEED = SEED_MODULUS - 1
MAX_EPOCH = 6_700_000  # up to it, R's doubles hold the products of epochs and their step exactly
SAMPLE_EPOCH = MAX_EPOCH + 1  # what samplers draw outside epochs comes from the stream of this one
