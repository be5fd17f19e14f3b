"""The small table of pairs that the tests of this folder draw from."""

POSITIVES = [(0, 1), (0, 3), (1, 0), (2, 4), (2, 1), (0, 1), (3, 2), (2, 0), (0, 1)]  # (0, 1) thrice
USERS, ITEMS = zip(*POSITIVES)
N_USERS, N_ITEMS = 5, 6
