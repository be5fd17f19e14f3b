"""The golden vectors are what their scripts write: the facts that the tests of R and of the core in C read as well."""

from __future__ import annotations

from importlib import import_module
from typing import Callable

import pytest

from tests.reference import golden_vectors
from tests.reference.golden_vectors import GOLDEN

OF_THEIR_SCRIPTS = """
    downsampling groups lengths mixed_groups mixtures no_duplicates per_label replay rows_by_epoch sharded specimens
    split stream subsets tree weighted weights_by_epoch
""".split()
WRITERS: dict[str, Callable[[], str]] = {
    "batches": golden_vectors.as_text,
    "bins": golden_vectors.bins_as_text,
    "training": golden_vectors.training_as_text,
    "wanted": golden_vectors.wanted_as_text,
    **{name: import_module(f"tests.reference.golden_{name}").as_text for name in OF_THEIR_SCRIPTS},
}
# Those of functions whose last digits differ between processors, and the texts and numbers of other sources.
OF_OTHER_TESTS = {
    *("advice", "class_weights", "density_weights", "vocabulary"),
    *("aum", "batch_sizes", "losses", "messages"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_what_its_script_writes(name: str) -> None:
    committed, write = (GOLDEN / f"{name}.json").read_text(encoding="utf-8"), WRITERS[name]
    assert write().splitlines() == committed.splitlines(), f"python -m {write.__module__} writes it"


def test_every_file_has_a_test() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {*WRITERS} | OF_OTHER_TESTS
