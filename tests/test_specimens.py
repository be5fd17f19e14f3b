"""The table of specimens is complete, and the tests of R read the same one."""

from __future__ import annotations

from tests.specimens import NAMES, public_samplers


def test_every_public_sampler_has_a_specimen() -> None:
    assert {name.partition(" ")[0] for name in NAMES} == {kind.__name__ for kind in public_samplers()}
