"""The style of all pictures: colors, line styles and the size of small text."""

from __future__ import annotations

# The colors of M. Okabe and K. Ito, which people with any kind of color vision tell apart.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
MAIN, ALARM = COLORS[:2]
SMALL = 9  # points; smaller text is hard to read where a page shows a picture at its own size
