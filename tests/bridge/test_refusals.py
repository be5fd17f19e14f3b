"""What Python refuses, R refuses in the same words, and nothing else: of samplers of every kind."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Callable, Optional

import pandas as pd
import pytest

from pystrat import MultilabelBatchSampler, NegativePairBatchSampler, TripleBatchSampler
from pystrat.corpus import RareEventBatchSampler
from rbridge.session import Session
from tests.bridge.calls import all_calls
from tests.bridge.test_specimens import CALLS, as_json
from tests.reference.golden_specimens import as_text
from tests.specimens import Specimen

ONE_OF_EACH = {call.kind.__name__: call for name, call in CALLS.items() if name == f"{call.kind.__name__} 0"}
VALUES = (0, -1, 0.5, 3, 1e300, float("nan"), "other", True)
# R has other data, or takes a value in another form: names of columns and of a role, a number in a list, text as YAML.
OF_A_LANGUAGE = {"strata", "groups", "labels", "keys", "table", "spec", "source", "users", "items", "rank", "shards"}
OF_A_LANGUAGE |= {"counts", "lengths", "rows", "weights", "suffixes", "targets", "rules", "positives", "negatives"}
OF_A_LANGUAGE |= {"accept", "across_columns", "balance", "shares", "majority", "multiplier", "beta"}
OF_A_LANGUAGE |= {"n_users", "n_items"}  # codes count from 1 in R
# A number of lines is an integer in R, where a task may have the strata.
DIFFERENT = {("CorpusMixtureBatchSampler", "sample"), ("NoDuplicatesBatchSampler", "min_samples_per_stratum")}
REFUSE = """
function(specimen, given) {
  specimen$args[names(given)] = given
  tryCatch({
    do.call(getExportedValue("rbridge", specimen$name), specimen$args, quote = TRUE)(NULL)
    NA_character_
  }, error = conditionMessage)
}
"""
# Several parameters that do not fit each other, or the data.
TABLE = {"users": [0, 0, 1, 2, 2, 0, 3, 2, 0], "items": [1, 3, 0, 4, 1, 1, 2, 0, 1], "n_users": 5, "n_items": 6}
PAIRS = Specimen(NegativePairBatchSampler, {**TABLE, "ratio": 0.3, "batch_size": 8})
TRIPLES = Specimen(TripleBatchSampler, {**TABLE, "batch_size": 2})
TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})
LABELS = Specimen(MultilabelBatchSampler, {"labels": TRIANGLE, "min_samples_per_label": 1})
FILES = Specimen(RareEventBatchSampler, CALLS["RareEventBatchSampler 0"].arguments)
TOGETHER: list[tuple[Specimen, list[dict[str, Any]]]] = [
    (
        PAIRS,
        [
            *({"ratio": ratio} for ratio in (0.9999999999999999, 0.97, 1e-9, 1e-20, 5e-324)),
            {"batch_size": 3},
            {"num_replicas": 10},
            {"num_replicas": 5, "batch_size": 4},
            {"n_items": 2.0**31},
            {"n_users": 2.0**30, "n_items": 2.0**30},
            {"unique": True, "ratio": 0.2},
            {"unique": True, "method": "popularity"},
            {"power": -1.0, "method": "popularity"},
            {"power": 60.0, "method": "popularity"},
            {"full_users": "skip"},
        ],
    ),
    (
        TRIPLES,
        [
            *({"negatives_per_positive": number} for number in (2.0**31, 2.0**31 - 1)),
            {"unique": True, "negatives_per_positive": 5},
            {"num_replicas": 10},
            {"num_replicas": 2, "batch_size": 1},
        ],
    ),
    (LABELS, [{"max_batches": 1.5}, {"num_replicas": 3}, {"num_replicas": 2}, {"min_samples_per_label": 1e20}]),
    (
        FILES,
        [
            *({"multiplier": multiplier} for multiplier in (0.0, 0.001, 18.0, 1e300)),
            {"multiplier": 1.5, "negative_files_per_epoch": 1},
            *({"negative_files_per_epoch": number} for number in (6, 0.5)),
            *({"negative_weight": weight} for weight in (-1.0, "a")),
            {"batch_size": 1},
            {"num_replicas": 31},
        ],
    ),
]


@pytest.fixture(scope="module")
def refuse(r: Session, base: Any, folder: Path, helpers: Any) -> Callable[[Specimen, dict[str, Any]], Optional[str]]:
    """Return a function that gives R a call with some parameters, and returns the message of its refusal."""
    refuse_in_r = base["eval"](base["parse"](text=REFUSE))

    def refusal(call: Specimen, given: dict[str, Any]) -> Optional[str]:
        (folder / "call.json").write_text(as_text({"call": as_json(call)}), encoding="utf-8")
        specimens = r.call_function(helpers["specimens"], str(folder), str(folder / "call.json"))
        message = r.call_function(refuse_in_r, specimens[0], r.named_list(**given))[0]
        return None if message is r.rinterface.NA_Character else str(message)

    return refusal


def refusal_in_python(call: Specimen, given: dict[str, Any]) -> Optional[str]:
    try:
        call.make(**given)
    except (TypeError, ValueError) as error:
        return str(error).replace("Got True instead", "Got TRUE instead").replace("for user 0,", "for user 1,")
    return None


def in_folder(call: Specimen, folder: Path) -> Specimen:
    """Return a call whose files are in a folder."""
    paths = all_calls(folder)[f"{call.kind.__name__} 0"].arguments if call.kind is RareEventBatchSampler else {}
    return Specimen(call.kind, {**call.arguments, **paths})


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_values_of_single_parameters(kind: str, folder: Path, refuse: Any) -> None:
    call, called = ONE_OF_EACH[kind], all_calls(folder)[f"{kind} 0"]
    differing = {}
    parameters = [name for name in inspect.signature(call.kind).parameters if (kind, name) not in DIFFERENT]
    for parameter in set(parameters) - OF_A_LANGUAGE:
        for value in VALUES:
            expected, found = refusal_in_python(called, {parameter: value}), refuse(call, {parameter: value})
            if found != expected:
                differing[(parameter, value)] = (expected, found)
    assert not differing


@pytest.mark.parametrize(("call", "given"), [(call, given) for call, each in TOGETHER for given in each], ids=str)
def test_parameters_that_do_not_fit(call: Specimen, given: dict[str, Any], folder: Path, refuse: Any) -> None:
    expected = refusal_in_python(in_folder(call, folder), given)
    assert expected is not None and refuse(call, given) == expected
