"""The sanitizers end the replay at a fault, so that a replay that ends well had none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.core.__main__ import HERE, compiled
from tests.core.recipes import numbers_of_recipes


@pytest.mark.thorough
def test_a_read_beyond_the_end_of_a_vector_ends_the_replay(tmp_path: Path) -> None:
    replay, begin = tmp_path / "replay.cpp", "  std::vector<Call> calls = read_calls();\n"
    text = (HERE / "replay.cpp").read_text(encoding="utf-8")
    assert text.count(begin) == 1
    replay.write_text(
        text.replace(begin, begin + "  if (calls.data()[calls.size()].parts.empty()) return 0;\n"), "utf-8"
    )
    command = [str(compiled("gcc", tmp_path / "replay", replay)), "1"]
    numbers = " ".join(map(str, numbers_of_recipes()))
    done = subprocess.run(command, input=numbers, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "AddressSanitizer: heap-buffer-overflow" in done.stderr
