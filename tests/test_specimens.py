"""The table of specimens is complete, and the tests of R read the same one."""

from __future__ import annotations

from tests.reference.golden_specimens import as_text
from tests.reference.golden_vectors import GOLDEN
from tests.specimens import NAMES, public_samplers


def test_every_public_sampler_has_a_specimen() -> None:
    assert {name.partition(" ")[0] for name in NAMES} == {kind.__name__ for kind in public_samplers()}


def test_the_golden_file_is_the_table() -> None:
    found = (GOLDEN / "specimens.json").read_text(encoding="utf-8")
    assert found == as_text(), "`python -m tests.reference.golden_specimens` writes the file"
