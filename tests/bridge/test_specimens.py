"""Samplers of every kind, called in both languages with the same arguments, are one sampler.

They have the same recipe and file of it, the same batches, answers and states; so has what crosses from Python, is
exported or saved. No other test repeats this for a kind.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import PerLabelBatchSampler, PrioritizedBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.calls import Calls, all_calls
from tests.bridge.recipes import (
    assert_same_batches,
    assert_same_recipe,
    batches_in_r,
    columns_of,
    from_r,
    instance_of,
)
from tests.reference.golden_specimens import FOLDER, are_alike, as_text
from tests.specimens import OF_PAIRS, Specimen

EPOCHS = (0, 1, 6_700_000)
WEIGHTS = {"weights", "class_weights", "importance_weights"}
CALLS = {name: call for name, call in all_calls(FOLDER).items() if are_alike(call)}
R_TESTS = Path(__file__).resolve().parents[2] / "rbridge" / "r" / "tests" / "testthat"

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of rare strata, and of weights without effect


@pytest.fixture(scope="module")
def generators(r: Session, base: Any, calls: Calls, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the generators that R makes of all calls, as its own tests do of the specimens; R has no fractions."""
    helpers, file = base["new.env"](), tmp_path_factory.mktemp("calls") / "calls.json"
    base["sys.source"](str(R_TESTS / "helper-specimens.R"), helpers)
    given = {
        name: as_json(call)
        for name, call in CALLS.items()
        if not any(isinstance(value, Fraction) for value in call.arguments.values())
    }
    file.write_text(as_text(given), encoding="utf-8")
    folder = calls["RareEventBatchSampler 0"].arguments["positives"][0].parent
    made = r.call_function(helpers["generators_of_all_kinds"], str(folder), str(file))
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


def first_row_of(name: str) -> int:
    return 0 if CALLS[name].kind in OF_PAIRS else 1


def epochs_of(specimen: Specimen, sampler: Any) -> tuple[int, ...]:
    """Return the epochs to compare: with feedback, later ones depend on it, and a persistent tree draws all before."""
    if hasattr(sampler, "report"):
        return EPOCHS[:1]
    if "persistent" in specimen.arguments:
        return EPOCHS[:2]
    by_epoch = any(isinstance(specimen.arguments.get(name), dict) for name in ("weights", "rows"))
    return (*range(6), EPOCHS[2]) if by_epoch else EPOCHS


def answers(sampler: Any) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Yield what a sampler tells of its batches: the method in R, its arguments there, and what Python tells."""
    files = hasattr(sampler, "negative_files")
    for normalize in (False, True) if hasattr(sampler, "class_weights") else ():
        epoch = (1,) if files else ()
        weights = sampler.class_weights(*epoch, normalize=normalize)
        yield "class_weights", (*epoch, normalize), weights.to_numpy() if files else weights
        if isinstance(sampler, PerLabelBatchSampler):
            numbers = sampler.batches(0).rows
            told = sampler.weights(numbers, normalize=normalize)
            yield "weights", (numbers.astype(np.float64), normalize), told
        elif not files:
            yield "weights", (None, normalize), sampler.weights(normalize=normalize)
    if files:
        yield "negative_files", (1,), [str(path) for path in sampler.negative_files(1)]
    if hasattr(sampler, "keep_rates"):
        yield "keep_rates", (), sampler.keep_rates
    if hasattr(sampler, "label_counts"):
        yield "label_counts", (1,), pd.DataFrame(sampler.label_counts(1))
        short = sampler.shortfalls(1)
        yield "shortfalls", (1,), short.assign(batch=short["batch"] + 1)[["batch", "label", "rows", "missing"]]
    if hasattr(sampler, "n_users"):
        named = ("n_users", "n_items", "n_positives", "n_negatives", "n_skipped_users")
        yield "counts", (), {name: getattr(sampler, name) for name in named if hasattr(sampler, name)}
    if hasattr(getattr(sampler, "plan", None), "rows_of_strata"):
        yield "plan", (), pd.DataFrame(sampler.plan.rows_of_strata(), columns=list(sampler.plan.names))


def assert_told(expected: Any, told: Any) -> None:
    """Assert that R tells the same: values in order, tables column by column, and strata by name, if R has the name."""
    if isinstance(expected, dict):
        found = {name: column[0] for name, column in columns_of(told).items()}
        assert found.items() >= expected.items()
    elif isinstance(expected, pd.DataFrame):
        columns = list(columns_of(told).items())[-expected.shape[1] :]
        assert [list(column) for _, column in columns] == [expected[name].tolist() for name in expected]
        assert all(name == other for name, (other, _) in zip(expected, columns) if isinstance(name, str))
    elif isinstance(expected, pd.Series):
        by_name = {str(label): weight for label, weight in expected.items()}
        of_r = dict(zip(told.names, as_array(told)))
        pairs = ((of_r[name], by_name[name]) for name in of_r) if set(of_r) == set(by_name) else ()
        for found, value in (*pairs, (np.sort(as_array(told)), np.sort(expected))):
            np.testing.assert_allclose(found, value, rtol=1e-15)
    elif isinstance(expected, list):
        assert list(told) == expected
    else:
        np.testing.assert_allclose(as_array(told), expected, rtol=1e-15)


@pytest.mark.parametrize("name", CALLS)
def test_both_languages_make_one_sampler(name: str, r: Session, calls: Calls, generators: dict[str, Any]) -> None:
    specimen = calls[name]
    sampler: Any = specimen.make()
    crossed = rbridge.as_torch_sampler(sampler)
    for made in (*([generators[name]] if name in generators else []), crossed):
        assert_same_recipe(r, sampler, made)
    instance = r.call_function(made, None)
    assert WEIGHTS & set(r.rinterface.baseenv["names"](instance)) == WEIGHTS & set(dir(sampler))
    if specimen.is_endless:
        following = r.call_function(instance[".iter"])
        for batch in islice(sampler, 3):
            assert from_r(r.call_function(following)).tolist() == list(batch)
        return
    for epoch in epochs_of(specimen, sampler):
        expected = sampler.batches(epoch)
        assert_same_batches(batches_in_r(r, instance, epoch), expected)
        r.call_function(instance["set_epoch"], epoch)
        assert len(expected) == r.call_function(instance[".length"])[0]
    for method, arguments, told in answers(sampler):
        assert_told(told, r.call_function(instance[method], *arguments))


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
def test_a_dataloader_in_r_delivers_the_batches_of_a_dataset_of_as_many_rows(name: str, calls: Calls) -> None:
    sampler: Any = calls[name].make()
    n_rows = n_rows_of(sampler) if first_row_of(name) else 10
    assert_same_batches(rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows), sampler.batches(0))


class InR:
    """Instances of samplers in R, their states as JSON, and the rest of an epoch as lists of rows from 0."""

    def __init__(self, r: Session, evaluated: Callable[[str], Any]) -> None:
        self.r = r
        self._load = evaluated("function(sampler, text) sampler$load_state_dict(jsonlite::fromJSON(text))")
        self._state = evaluated(
            "function(sampler, ...) { state = if (is.function(sampler$state)) sampler$state else sampler$state_dict; "
            "as.character(jsonlite::toJSON(state(...), auto_unbox = TRUE, null = 'null', digits = I(17))) }"
        )
        self._take = evaluated(
            "function(sampler, most) { following = sampler$.iter(); found = list(); while (length(found) < most) { "
            "rows = following(); if (coro::is_exhausted(rows)) break; found[[length(found) + 1L]] = as.vector(rows) }; "
            "found }"
        )

    def load(self, instance: Any, state: dict[str, Any]) -> None:
        self.r.call_function(self._load, instance, json.dumps(state, default=lambda array: array.tolist()))

    def state(self, instance: Any, *consumed: int) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self.r.call_function(self._state, instance, *consumed)[0])
        return state

    def call(self, instance: Any, method: str, *arguments: Any) -> Any:
        return self.r.call_function(self.r.rinterface.baseenv["$"](instance, method), *arguments)

    def take(self, instance: Any, n_batches: float) -> list[list[float]]:
        return [from_r(rows).tolist() for rows in self.r.call_function(self._take, instance, n_batches)]


@pytest.fixture(scope="module")
def in_r(r: Session, evaluated: Callable[[str], Any]) -> InR:
    return InR(r, evaluated)


# The forms of one kind have the same state.
@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if re.search(" (long )?[01]$", name)])
def test_a_state_crosses_in_both_directions(name: str, in_r: InR, calls: Calls) -> None:
    """Each language continues with exactly the batches that the other left; a state names the same fingerprint."""
    sampler: Any = calls[name].make()
    instance = in_r.r.call_function(rbridge.as_torch_sampler(sampler), None)
    assert in_r.state(instance) == json.loads(json.dumps(sampler.state(), default=lambda array: array.tolist()))
    if calls[name].is_endless:
        return
    sampler.set_epoch(3)
    rest = [list(batch) for batch in sampler][1:] or [batch.tolist() for batch in sampler.batches(4)]
    sampler.set_epoch(3)
    list(islice(iter(sampler), 1))
    instance = instance_of(in_r.r, sampler)
    in_r.load(instance, sampler.state(3, 1))
    assert in_r.take(instance, float("inf")) == rest
    instance = instance_of(in_r.r, sampler)
    in_r.call(instance, "set_epoch", 3)
    in_r.take(instance, 1)
    sampler.load_state_dict(in_r.state(instance, 3, 1))
    assert [list(batch) for batch in sampler] == rest


WITHOUT_PYTHON = """
drawn = function(generator) {
  batches = generator(NULL)$batches(0)
  list(rows = I(batches$rows), offsets = I(batches$offsets))
}
scripts = list.files("exported", "[.]R$", full.names = TRUE)
exported = lapply(stats::setNames(nm = scripts), function(script) drawn(source(script)$value))
names(exported) = sub("[.]R$", "", basename(scripts))
found = list(exported = exported, saved = lapply(readRDS("saved.rds"), drawn))
stopifnot(!"reticulate" %in% loadedNamespaces())
cat(jsonlite::toJSON(found, digits = I(17)))
"""


def test_what_is_exported_or_saved_goes_on_in_another_process_without_python(
    calls: Calls, tmp_path: Path, base: Any, rscript: Callable[..., Any]
) -> None:
    (tmp_path / "exported").mkdir()
    samplers: dict[str, Any] = {name: calls[name].make() for name, call in CALLS.items() if not call.is_endless}
    for name, sampler in samplers.items():
        rbridge.export_r(sampler, tmp_path / "exported" / f"{name}.R")
    kept = {name: rbridge.as_torch_sampler(sampler) for name, sampler in samplers.items() if name in OF_ROWS}
    base["saveRDS"](base["list"](**kept), str(tmp_path / "saved.rds"))
    found = rscript(WITHOUT_PYTHON, cwd=tmp_path, RETICULATE_PYTHON="nowhere")
    assert set(found["exported"]) == set(samplers) and set(found["saved"]) == set(kept)
    for name, drawn in [*found["exported"].items(), *found["saved"].items()]:
        expected, first = samplers[name].batches(0), first_row_of(name)
        assert [row - first for row in drawn["rows"]] == expected.rows.tolist(), name
        assert drawn["offsets"] == expected.offsets.tolist(), name
