# The largest numbers, as in pystrat/core/limits.py and src/core/numbers.hpp.

largest_count = 2147483647 # of rows, draws or batches

largest_exact = 2^53 # doubles hold all integers up to it

largest_seed = 2147483646

largest_epoch = 6700000
