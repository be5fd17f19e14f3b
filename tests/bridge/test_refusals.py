"""What Python refuses, R refuses in the same words, and nothing else: of samplers of every kind."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pandas as pd
import pytest

from pystrat import MultilabelBatchSampler, NegativePairBatchSampler, TripleBatchSampler
from pystrat.corpus import RareEventBatchSampler
from pystrat.corpus.mixture import weights_of_files
from rbridge import RError
from rbridge.session import Session
from tests.bridge.calls import Calls
from tests.bridge.test_specimens import CALLS, R_TESTS, as_json
from tests.corpus.test_mixture import REFUSED
from tests.reference.golden_specimens import as_text
from tests.specimens import Specimen
from tools.site.names import r_name

ONE_OF_EACH = {call.kind.__name__: call for name, call in CALLS.items() if name == f"{call.kind.__name__} 0"}
VALUES = (0, -1, 0.5, 3, 1e300, float("nan"), "other", True)
# R has other data, or takes a value in another form: names of columns and of a role, a number in a list, text as YAML.
OF_A_LANGUAGE = {"strata", "groups", "labels", "keys", "table", "spec", "source", "users", "items", "rank", "shards"}
OF_A_LANGUAGE |= {"counts", "lengths", "rows", "weights", "suffixes", "targets", "rules", "positives", "negatives"}
OF_A_LANGUAGE |= {"accept", "across_columns", "balance", "shares", "majority", "multiplier", "beta"}
OF_A_LANGUAGE |= {"n_users", "n_items"}  # codes count from 1 in R
# In R, a task may have the strata.
DIFFERENT = {("NoDuplicatesBatchSampler", "min_samples_per_stratum")}
REFUSE = """
function(specimen, given) {
  vapply(given, function(values) {
    specimen$args[names(values)] = values
    tryCatch({
      do.call(getExportedValue("rbridge", specimen$name), specimen$args, quote = TRUE)(NULL)
      NA_character_
    }, error = conditionMessage)
  }, "")
}
"""
# Several parameters that do not fit each other, or the data.
TABLE = {"users": [0, 0, 1, 2, 2, 0, 3, 2, 0], "items": [1, 3, 0, 4, 1, 1, 2, 0, 1], "n_users": 5, "n_items": 6}
TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})
CROWDED = (np.random.default_rng(1).random((400, 12)) < 0.5).astype(np.int32)
CROWDED = pd.DataFrame(CROWDED, columns=[f"l{label}" for label in range(12)])
TOGETHER: dict[str, tuple[Specimen, list[dict[str, Any]]]] = {
    "pairs": (
        Specimen(NegativePairBatchSampler, {**TABLE, "ratio": 0.3, "batch_size": 8}),
        [
            *({"ratio": ratio} for ratio in (0.9999999999999999, 0.97, 1e-9, 1e-20, 5e-324)),
            *({"batch_size": size, "num_replicas": replicas} for size, replicas in ((3, 1), (8, 10), (4, 5))),
            *({"n_users": users, "n_items": items} for users, items in ((5, 2.0**31), (2.0**30, 2.0**30))),
            *({"unique": True, **given} for given in ({"ratio": 0.2}, {"method": "popularity"})),
            *({"method": "popularity", "power": power} for power in (-1.0, 60.0)),
            {"full_users": "skip"},
        ],
    ),
    "triples": (
        Specimen(TripleBatchSampler, {**TABLE, "batch_size": 2}),
        [
            *({"negatives_per_positive": number} for number in (2.0**31, 2.0**31 - 1)),
            *({"num_replicas": replicas, "batch_size": size} for replicas, size in ((10, 2), (2, 1))),
            {"unique": True, "negatives_per_positive": 5},
        ],
    ),
    "labels": (
        Specimen(MultilabelBatchSampler, {"labels": TRIANGLE, "min_samples_per_label": 1}),
        [{"max_batches": 1.5}, {"num_replicas": 3}, {"num_replicas": 2}, {"min_samples_per_label": 1e20}],
    ),
    "crowded labels": (
        Specimen(MultilabelBatchSampler, {"labels": CROWDED, "min_samples_per_label": 1}),
        [{"num_replicas": replicas} for replicas in (1, 2, 3)],
    ),
    "files": (
        CALLS["RareEventBatchSampler 0"],
        [
            *({"multiplier": multiplier} for multiplier in (0.0, 0.001, 18.0, 1e300)),
            *({"negative_files_per_epoch": number, "multiplier": 1.5} for number in (1, 6, 0.5)),
            *({"negative_weight": weight} for weight in (-1.0, "a")),
            *({"batch_size": size, "num_replicas": replicas} for size, replicas in ((1, 1), (6, 31))),
        ],
    ),
}
Refusals = Callable[[Specimen, list[dict[str, Any]]], list[Optional[str]]]


@pytest.fixture(scope="module")
def refusals_in_r(
    r: Session, base: Any, calls: Calls, evaluated: Any, tmp_path_factory: pytest.TempPathFactory
) -> Refusals:
    """Return a function that gives R a call with some parameters each time, and returns the messages of refusals."""
    refuse, helpers = evaluated(REFUSE), base["new.env"]()
    base["sys.source"](str(R_TESTS / "helper-specimens.R"), helpers)
    folder, file = folder_of(calls), tmp_path_factory.mktemp("calls") / "call.json"

    def refusals(call: Specimen, given: list[dict[str, Any]]) -> list[Optional[str]]:
        file.write_text(as_text({"call": as_json(call)}), encoding="utf-8")
        specimens = r.call_function(helpers["specimens"], str(folder), str(file))
        each = base["list"](*(r.named_list(**values) for values in given))
        messages = r.call_function(refuse, specimens[0], each)
        return [None if message is r.rinterface.NA_Character else str(message) for message in messages]

    return refusals


def folder_of(calls: Calls) -> Path:
    folder: Path = calls["RareEventBatchSampler 0"].arguments["positives"][0].parent
    return folder


def refusal_in_python(call: Specimen, given: dict[str, Any]) -> Optional[str]:
    """Return the message of a refusal with the names, the logical values and the numbers from 1 of R."""
    try:
        call.make(**given)
    except (TypeError, ValueError) as error:
        text = str(error).replace("Got True instead", "Got TRUE instead")
        text = text.replace(call.kind.__name__, r_name(call.kind.__name__))
        return re.sub(r"for user '(\d+)',|batch (\d+) lacks", count_from_1, text)
    return None


def count_from_1(found: re.Match[str]) -> str:
    return re.sub(r"\d+", lambda number: str(int(number.group()) + 1), found.group())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_values_of_single_parameters(kind: str, calls: Calls, refusals_in_r: Refusals) -> None:
    parameters = sorted(set(inspect.signature(ONE_OF_EACH[kind].kind).parameters) - OF_A_LANGUAGE)
    given = [{name: value} for name in parameters if (kind, name) not in DIFFERENT for value in VALUES]
    expected = [refusal_in_python(calls[f"{kind} 0"], each) for each in given]
    assert refusals_in_r(ONE_OF_EACH[kind], given) == expected


@pytest.mark.parametrize("name", TOGETHER)
def test_parameters_that_do_not_fit(name: str, calls: Calls, refusals_in_r: Refusals) -> None:
    call, given = TOGETHER[name]
    called = calls["RareEventBatchSampler 0"] if call.kind is RareEventBatchSampler else call
    expected = [refusal_in_python(called, each) for each in given]
    assert None not in expected and refusals_in_r(call, given) == expected


def test_a_shortfall_is_warned_of_with_batches_counted_from_1(r: Session, base: Any) -> None:
    columns = r.named_list(**{name: TRIANGLE[name].to_numpy(dtype=np.int32) for name in TRIANGLE})
    with pytest.warns(UserWarning, match="^batch 1 lacks 1 row of label 'c', in the order of the dataset.$"):
        r.call("batch_sampler_multilabel", base["as.data.frame"](columns), 1, rare="warn")


@pytest.mark.parametrize("weights", [given["weights"] for given, _ in REFUSED if type(given.get("weights")) is list])
def testweights_of_files(weights: Any, r: Session, base: Any) -> None:
    values = [float(weight) if type(weight) is int else weight for weight in weights]
    crossed = base["list"](*[r.rinterface.NULL if value is None else value for value in values])
    try:
        expected = list(weights_of_files(weights, list("abcd")))
    except (TypeError, ValueError) as refused:
        with pytest.raises(RError) as refused_in_r:
            r.call("weights_of_stage", crossed, list("abcd"))
        assert str(refused_in_r.value) == str(refused)
        return
    assert list(r.call("weights_of_stage", crossed, list("abcd"))) == expected
