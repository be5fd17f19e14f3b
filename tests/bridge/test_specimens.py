"""Samplers of every kind, called in both languages with the same arguments: the same recipe, and the same batches.

What crosses from Python, and what is exported, is the same as well. No other test repeats this for a kind.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pytest

import rbridge
from pystrat import PrioritizedBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
from tests.bridge.calls import all_calls
from tests.reference.golden_specimens import FOLDER, are_alike, as_text
from tests.specimens import OF_PAIRS, Specimen

EPOCHS = (0, 1, 6_700_000)
WEIGHTS = {"weights", "class_weights", "importance_weights"}
CALLS = {name: call for name, call in all_calls(FOLDER).items() if are_alike(call)}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of rare strata, and of weights without effect


@pytest.fixture(scope="module")
def generators(r: Session, folder: Path, helpers: Any) -> dict[str, Any]:
    """Return the generators that R makes of all calls, as its own tests do of the specimens."""
    calls = folder / "calls.json"
    calls.write_text(
        as_text({name: as_json(call) for name, call in CALLS.items() if is_exact_in_r(call)}), encoding="utf-8"
    )
    made = r.call_function(helpers["generators_of_all_kinds"], str(folder), str(calls))
    return dict(zip(made.names, made))


def as_json(call: Specimen) -> Specimen:
    """Return a call with rows from 1, texts that are no names of columns, and trees as text, since JSON is YAML."""
    arguments = dict(call.arguments)
    if "rows" in arguments:
        arguments["rows"] = {epoch: [row + 1 for row in rows] for epoch, rows in arguments["rows"].items()}
    if isinstance(arguments.get("spec"), dict):
        arguments["spec"] = json.dumps(arguments["spec"])
    for name in {"strata", "groups"} & set(arguments):
        if isinstance(arguments[name], list) and isinstance(arguments[name][0], str):
            arguments[name] = [arguments[name]]
    return Specimen(call.kind, arguments)


def is_exact_in_r(call: Specimen) -> bool:
    """Return whether R can be given a call as it is; R has no fractions, which only cross."""
    return not any(isinstance(value, Fraction) for value in call.arguments.values())


def epochs_of(specimen: Specimen, sampler: Any) -> tuple[int, ...]:
    """Return the epochs to compare: with feedback, later ones depend on it, and a persistent tree draws all before."""
    if hasattr(sampler, "report"):
        return EPOCHS[:1]
    if "persistent" in specimen.arguments:
        return EPOCHS[:2]
    by_epoch = any(isinstance(specimen.arguments.get(name), dict) for name in ("weights", "rows"))
    return (*range(6), EPOCHS[2]) if by_epoch else EPOCHS


def pairs_of_batches(r: Session, specimen: Specimen, sampler: Any, instance: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the batches of a sampler and of an instance in R, as arrays."""
    first = 0 if specimen.kind in OF_PAIRS else 1
    if specimen.is_endless:
        following = r.call_function(instance[".iter"])
        sampler.set_epoch(0)
        for batch in islice(sampler, 3):
            yield np.array(batch), as_array(r.call_function(following)) - first
        return
    for epoch in epochs_of(specimen, sampler):
        rows, offsets = list(r.call_function(instance["batches"], epoch))[:2]
        expected = sampler.batches(epoch)
        sampler.set_epoch(epoch)
        r.call_function(instance["set_epoch"], epoch)
        assert len(sampler) == len(expected) == r.call_function(instance[".length"])[0]
        yield expected.offsets, as_array(offsets)
        yield expected.rows, as_array(rows) - first


@pytest.mark.parametrize("name", CALLS)
def test_both_languages_make_one_recipe_and_draw_the_same(
    name: str, r: Session, folder: Path, generators: dict[str, Any]
) -> None:
    specimen = all_calls(folder)[name]
    sampler: Any = specimen.make()
    made_in_r = [generators[name]] if name in generators else []
    for made in (*made_in_r, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        instance = r.call_function(made, None)
        assert WEIGHTS & set(r.rinterface.baseenv["names"](instance)) == WEIGHTS & set(dir(sampler))
        for expected, found in pairs_of_batches(r, specimen, sampler, instance):
            assert np.array_equal(expected, found)


# A buffer takes a dataset of any length.
OF_ROWS = [
    name
    for name, call in CALLS.items()
    if name == f"{call.kind.__name__} 0" and call.kind is not PrioritizedBatchSampler
]


def n_rows_of(sampler: Any) -> int:
    """Return the number of rows of a dataset that fits a sampler, which the refusal of another one names."""
    with pytest.raises(rbridge.RError, match="as many rows as|one (value|row) for each row") as refused:
        rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10**6)
    return int(re.findall(r"\b[0-9]+\b", str(refused.value).replace("1000000", ""))[0])


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_dataloader_in_r_delivers_the_batches_of_a_dataset_of_as_many_rows(name: str, folder: Path) -> None:
    sampler: Any = all_calls(folder)[name].make()
    expected = [batch.tolist() for batch in sampler.batches(0)]
    n_rows = 10 if CALLS[name].kind in OF_PAIRS else n_rows_of(sampler)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows)
    assert [batch.tolist() for batch in delivered] == expected


DRAW_EXPORTED = """
drawn = lapply(list.files("exported", "[.]R$", full.names = TRUE), function(script) {
  batches = source(script)$value(NULL)$batches(0)
  list(name = basename(script), rows = I(batches$rows), offsets = I(batches$offsets))
})
stopifnot(!"reticulate" %in% loadedNamespaces())
cat(jsonlite::toJSON(drawn, digits = I(17), auto_unbox = TRUE))
"""


def test_exported_samplers_draw_the_same_in_another_process_without_python(
    folder: Path, tmp_path: Path, rscript: Callable[..., str]
) -> None:
    (tmp_path / "exported").mkdir()
    calls = {name: call for name, call in all_calls(folder).items() if name in CALLS and not call.is_endless}
    samplers: dict[str, Any] = {name: call.make() for name, call in calls.items()}
    for name, sampler in samplers.items():
        rbridge.export_r(sampler, tmp_path / "exported" / f"{name}.R")
    drawn = json.loads(rscript(DRAW_EXPORTED, RETICULATE_PYTHON="nowhere"))
    assert len(drawn) == len(samplers) > 200
    for found in drawn:
        name = found["name"][: -len(".R")]
        expected = samplers[name].batches(0)
        first = 0 if CALLS[name].kind in OF_PAIRS else 1
        assert [row - first for row in found["rows"]] == expected.rows.tolist(), name
        assert found["offsets"] == expected.offsets.tolist(), name
