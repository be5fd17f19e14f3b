"""Streams in R: the weights of their strata and rows are those of Python."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pystrat.stream import StratifiedStream
from rbridge.session import Session, as_array

COUNTS = pd.DataFrame({"a": [20, 31, 7], "b": [5, 0, 9], "c": [1, 2, 4]}, index=["first", "second", "third"])

IN_R = """
function(..., counts) {
  names = c("first", "second", "third")
  table = matrix(counts, nrow = 3, dimnames = list(names, c("a", "b", "c")))
  rbridge::stratified_stream(stats::setNames(as.list(names), names), counts = table, stratum = "label",
    read = function(name) data.frame(label = rep(colnames(table), times = table[name, ])), seed = 1, ...)
}
"""


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_per_stratum": 1},
        {"mean_batch_size": 5, "rare": "allow"},
        {"mean_batch_size": 10, "balance": "over"},
        {"mean_batch_size": 10, "balance": "under"},
        {"mean_batch_size": 10, "balance": 17},
        {"mean_batch_size": 10, "shares": {"a": 5, "b": 3, "c": 2}},
    ],
    ids=str,
)
def test_weights_are_those_of_r(parameters: dict[str, Any], normalize: bool, r: Session, base: Any) -> None:
    stream = StratifiedStream(
        list(COUNTS.index),
        read=lambda name: [label for label in COUNTS for _ in range(COUNTS.loc[name, label])],
        stratum=lambda row: row,
        counts=COUNTS,
        seed=1,
        **parameters,
    )
    make = base["eval"](base["parse"](text=IN_R))
    given = dict(parameters)
    if "shares" in given:
        given["shares"] = base["unlist"](r.named_list(**{name: float(of) for name, of in given["shares"].items()}))
    counts = COUNTS.to_numpy(dtype="float64").ravel(order="F")
    in_r = r.call_function(make, counts=counts, **given)
    weights = r.call_function(in_r["class_weights"], normalize)
    expected = stream.class_weights(normalize=normalize)
    assert dict(zip(weights.names, as_array(weights))) == expected.to_dict()
    batch = ["c", "a", "b", "a"]
    rows = base["data.frame"](label=base["c"](*batch))
    of_rows = as_array(r.call_function(in_r["weights"], rows, normalize))
    assert of_rows.tolist() == stream.weights(batch, normalize=normalize).tolist()
