"""Samplers of every kind, called in both languages with the same arguments: the same recipe, and the same batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbridge
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
from tests.specimens import OF_PAIRS, specimens, write_files
from tools.site.names import IN_PYTHON, r_name

EPOCHS = (0, 1, 6_700_000)
WEIGHTS = {"weights", "class_weights", "importance_weights"}


def in_r(r: Session, value: Any) -> Any:
    """Return an argument as a user of R would write it."""
    if isinstance(value, dict):
        return r.named_list(**{str(name): in_r(r, element) for name, element in value.items()})
    if isinstance(value, pd.DataFrame):
        base, names = r.rinterface.baseenv, [[str(label) for label in axis] for axis in value.axes]
        numbers = r.to_r(value.to_numpy(dtype=np.float64).ravel(order="F"))
        return base["matrix"](numbers, ncol=value.shape[1], dimnames=base["list"](*map(r.to_r, names)))
    if isinstance(value, Path):
        return str(value)
    if type(value) is int:
        return r.rinterface.IntSexpVector([value])
    if isinstance(value, list) and isinstance(value[0], (str, Path)):
        return [str(text) for text in value]
    if isinstance(value, list):
        return np.array(value, dtype=np.int32 if all(type(element) is int for element in value) else np.float64)
    return value


SAME_IN_R = [
    name
    for name, specimen in specimens(Path()).items()
    if specimen.kind.__name__ not in IN_PYTHON and specimen.arguments.get("seed", 1) is not None
]


@pytest.mark.parametrize("name", SAME_IN_R)
def test_both_languages_make_one_recipe_and_draw_the_same(name: str, r: Session, tmp_path: Path) -> None:
    write_files(tmp_path)
    specimen = specimens(tmp_path)[name]
    sampler = specimen.make()
    arguments = {key: in_r(r, value) for key, value in {"seed": 1, **specimen.arguments}.items()}
    for codes in {"users", "items"} & set(arguments):  # R counts from 1
        arguments[codes] = arguments[codes] + 1
    generator = r.call(r_name(specimen.kind.__name__), **arguments)
    epochs = EPOCHS[:1] if hasattr(sampler, "report") else EPOCHS  # later ones depend on what is reported
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        instance = r.call_function(made, None)
        assert WEIGHTS & set(r.rinterface.baseenv["names"](instance)) == WEIGHTS & set(dir(sampler))
        for epoch in epochs:
            rows, offsets = list(r.call_function(instance["batches"], epoch))[:2]
            expected = sampler.batches(epoch)
            assert np.array_equal(as_array(offsets), expected.offsets)
            assert np.array_equal(as_array(rows) - (0 if specimen.kind in OF_PAIRS else 1), expected.rows)
