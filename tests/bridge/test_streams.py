"""Streams in R: the states, batches and weights of those of Python."""

from __future__ import annotations

import json
from typing import Any, Callable

import pandas as pd
import pytest

from pystrat.stream import StratifiedStream
from rbridge.session import Session, as_array
from tests.bridge.test_specimens import InR, in_r

__all__ = ["in_r"]  # the fixture

# Rows of each stratum in each source; R's rows are data frames.
COUNTS = pd.DataFrame({"a": [12, 9, 7], "b": [6, 0, 9], "c": [2, 2, 4]}, index=["first", "second", "third"])
IN_R = """
function(counts, ..., given = list()) {
  names = c("first", "second", "third")
  table = matrix(counts, nrow = 3, dimnames = list(names, c("a", "b", "c")))
  rows = lapply(stats::setNames(nm = names), function(name) {
    label = rep(colnames(table), times = table[name, ])
    data.frame(label = label, text = paste0(name, " ", label, " ", seq_along(label)))
  })
  do.call(rbridge::stratified_stream, c(list(stats::setNames(as.list(names), names), stratum = "label", seed = 3,
    read = function(name) rows[[name]], ...), given, if (!"strata" %in% names(given)) list(counts = table)))
}
"""
TAKEN = "function(stream, n) { following = stream$.iter(); lapply(seq_len(n), function(i) following()$text) }"


def rows_of(name: str) -> list[str]:
    labels = [label for label in COUNTS for _ in range(COUNTS.loc[name, label])]
    return [f"{name} {label} {place + 1}" for place, label in enumerate(labels)]


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_per_stratum": 1, "strata": ["a", "b", "c"]},
        {"min_samples_per_stratum": 1, "shuffle": False},
        {"mean_batch_size": 10, "balance": "over"},
        {"mean_batch_size": 10, "shares": {"a": 5.0, "b": 3.0, "c": 2.0}, "shuffle_sources": 2},
    ],
    ids=str,
)
def test_each_language_continues_the_stream_of_the_other(
    parameters: dict[str, Any], r: Session, base: Any, in_r: InR, evaluated: Callable[[str], Any]
) -> None:
    counted = {} if "strata" in parameters else {"counts": COUNTS}
    stream = StratifiedStream(
        list(COUNTS.index), read=rows_of, stratum=lambda text: text.split()[1], seed=3, **counted, **parameters
    )
    given = {"shares": base["unlist"](r.named_list(**parameters["shares"]))} if "shares" in parameters else {}
    as_list = r.named_list(**{**parameters, **given})
    made = r.call_function(evaluated(IN_R), COUNTS.to_numpy(dtype="float64").ravel(order="F"), given=as_list)
    assert in_r.state(made) == json.loads(json.dumps(stream.state()))
    whole, batches = list(stream), iter(stream)
    next(batches)
    in_r.load(made, stream.state(1, 1))
    in_r.call(made, "set_epoch", 1)
    (of_r,) = r.call_function(evaluated(TAKEN), made, 1)
    assert list(of_r) == list(next(batches))
    stream.load_state_dict(in_r.state(made))
    assert [list(batch) for batch in stream] == [list(batch) for batch in batches] and len(whole) > 2
    rows = ["x c", "x a", "x b", "x a"]
    table = base["data.frame"](label=base["c"](*(row[2:] for row in rows)))
    for normalize in (False, True) if counted else ():
        weights = r.call_function(made["class_weights"], normalize)
        assert dict(zip(weights.names, as_array(weights))) == stream.class_weights(normalize=normalize).to_dict()
        of_rows = as_array(r.call_function(made["weights"], table, normalize))
        assert of_rows.tolist() == stream.weights(rows, normalize=normalize).tolist()
