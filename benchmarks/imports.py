"""The import of pystrat over that of numpy and pandas, each in a Python of its own."""

from __future__ import annotations

import subprocess
import sys

from rounds import Timing, head, show_ratio

MEASURED = "import time; begin = time.perf_counter(); import {}; print(time.perf_counter() - begin)"


def seconds(modules: str) -> float:
    command = [sys.executable, "-c", MEASURED.format(modules)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    head()
    found: dict[str, list[float]] = {"pystrat": [], "numpy, pandas": []}
    for _ in range(16):
        for modules, values in found.items():
            values.append(seconds(modules))
    timings = {modules: Timing(values[1:]) for modules, values in found.items()}  # the first ones fill the disk's cache
    show_ratio("import pystrat over import numpy, pandas", timings, "pystrat", "numpy, pandas", 1.1)
