"""The import of pystrat over that of numpy and pandas, each in a Python of its own, from compiled files.

Python may be set to keep no compiled files; an installed package has them. They are kept in a folder of this script's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from rounds import Timing, head, show_ratio

MEASURED = "import time; begin = time.perf_counter(); {}; print(time.perf_counter() - begin)"
STATEMENTS = ("import pystrat", "import numpy, pandas", "from pystrat import *")
ROUNDS = 31


def seconds(statement: str, compiled: str) -> float:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", MEASURED.format(statement)]
    environment = {**kept, "PYTHONPYCACHEPREFIX": compiled}
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


if __name__ == "__main__":
    head()
    found: dict[str, list[float]] = {statement: [] for statement in STATEMENTS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS + 1):
            for statement, values in found.items():
                values.append(seconds(statement, folder))
    timings = {statement: Timing(values[1:]) for statement, values in found.items()}  # the first ones compile
    reference = "import numpy, pandas"
    show_ratio(f"import pystrat over {reference}", timings, "import pystrat", reference, 1.1)
    show_ratio(f"from pystrat import * over {reference}", timings, "from pystrat import *", reference)
