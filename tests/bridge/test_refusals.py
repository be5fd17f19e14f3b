"""What Python refuses, R refuses in the same words, and nothing else: of samplers of every kind."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pandas as pd
import pytest

from pystrat import MultilabelBatchSampler
from rbridge.session import Session
from tests.bridge.calls import Calls
from tests.bridge.test_specimens import CALLS, R_TESTS, as_json
from tests.reference.golden_specimens import as_text
from tests.specimens import Specimen
from tools.site.names import r_name

ONE_OF_EACH = {call.kind.__name__: call for name, call in CALLS.items() if name == f"{call.kind.__name__} 0"}
VALUES = (0, -1, 0.5, 3, 1e300, float("nan"), "other", True)
# R has other data, or takes a value in another form: names of columns and of a role, a number in a list, text as YAML.
OF_A_LANGUAGE = {"strata", "groups", "labels", "keys", "table", "spec", "source", "users", "items", "rank", "shards"}
OF_A_LANGUAGE |= {"counts", "lengths", "rows", "weights", "suffixes", "targets", "rules", "positives", "negatives"}
OF_A_LANGUAGE |= {"accept", "across_columns", "balance", "shares", "majority", "multiplier", "beta"}
OF_A_LANGUAGE |= {"n_users", "n_items", "sampler"}  # codes count from 1 in R; a generator in place of a sampler
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
TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})
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
        text = re.sub(r"(\d+), counted from 0", lambda found: f"{int(found[1]) + 1}, counted from 1", text)
        return re.sub(r"batch (\d+) lacks", lambda found: f"batch {int(found[1]) + 1} lacks", text)
    return None


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_values_of_single_parameters(kind: str, calls: Calls, refusals_in_r: Refusals) -> None:
    parameters = sorted(set(inspect.signature(ONE_OF_EACH[kind].kind).parameters) - OF_A_LANGUAGE)
    given = [{name: value} for name in parameters if (kind, name) not in DIFFERENT for value in VALUES]
    expected = [refusal_in_python(calls[f"{kind} 0"], each) for each in given]
    assert refusals_in_r(ONE_OF_EACH[kind], given) == expected


def test_a_refusal_names_batches_from_1(refusals_in_r: Refusals) -> None:
    call = Specimen(MultilabelBatchSampler, {"labels": TRIANGLE, "min_samples_per_label": 1})
    expected = refusal_in_python(call, {})
    assert expected is not None and refusals_in_r(call, [{}]) == [expected]


def test_a_shortfall_is_warned_of_with_batches_counted_from_1(r: Session, base: Any) -> None:
    columns = r.named_list(**{name: TRIANGLE[name].to_numpy(dtype=np.int32) for name in TRIANGLE})
    with pytest.warns(UserWarning, match="^batch 1 lacks 1 row of label 'c', in the order of the dataset.$"):
        r.call("batch_sampler_multilabel", base["as.data.frame"](columns), 1, rare="warn")
