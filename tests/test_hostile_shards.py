"""Tables of counts, mappings of shards and states that nobody expects: a result that is right, or a message.

`tests.hostile` replaces whole parameters. Here, one thing is wrong with a table or a mapping that is otherwise valid.
"""

from __future__ import annotations

import re
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

from pystrat import ShardedStratifiedBatchSampler, bind_counts, shard_counts, sharded_plan
from tests.distributed_job import hostile_values
from tests.hostile import GRAMMAR, bounded_memory, refusal
from tests.process_groups import run

STRATA = {"a": ["no", "no", "yes"], "b": ["yes", "no", "no", "no"], "c": ["no", "yes"]}
COUNTS = shard_counts(STRATA)
OWN = STRATA["c"] + STRATA["a"]
MADE = ShardedStratifiedBatchSampler(OWN, 1, counts=COUNTS, shards=["c", "a"], seed=1)
BATCHES = [batch.tolist() for batch in MADE.batches(0)]


def table(change: Callable[[pd.DataFrame], Any]) -> Callable[[], Any]:
    """Return a function that returns the table with a change, which it may make in place."""

    def make() -> Any:
        changed = COUNTS.copy()
        other = change(changed)
        return changed if other is None else other

    return make


def cell(value: Any) -> Callable[[], Any]:
    """The table with another value of one cell; the others keep theirs."""
    return table(lambda counts: counts.astype(object).assign(yes=[value, 1, 1]))


def numbers(values: Any) -> Callable[[], Any]:
    """The table with other numbers in one column, with their dtype."""
    return table(lambda counts: counts.assign(yes=values))


def shards(names: Any) -> Callable[[], Any]:
    return table(lambda counts: counts.set_axis(names, axis=0))


# The same table in another form: the batches stay.
SAME: dict[str, Callable[[], Any]] = {
    "rows in another order": table(lambda counts: counts.iloc[[2, 0, 1]]),
    "columns in another order": table(lambda counts: counts.iloc[:, ::-1]),
    "doubles": table(lambda counts: counts.astype(float)),
    "categories as names": shards(pd.CategoricalIndex(["a", "b", "c"], categories=["c", "b", "a"])),
    "a shard without rows": table(lambda counts: pd.concat([counts, pd.DataFrame(0, ["z"], counts.columns)])),
}
# Valid tables of other data: the rows of this process do not match them, or they name other shards.
OTHER: dict[str, Callable[[], Any]] = {
    "a row more": numbers([2, 1, 1]),
    "a row less": numbers([0, 1, 2]),
    "no row of this shard": numbers([0, 5, 1]),
    "transposed": table(lambda counts: counts.T),
    "swapped names of shards": shards(["b", "a", "c"]),
    "swapped names of strata": table(lambda counts: counts.set_axis(["yes", "no"], axis=1)),
    "a shard of another name": shards(["A", "b", "c"]),
    "a missing shard": table(lambda counts: counts.drop("a")),
    "no names": table(lambda counts: pd.DataFrame(counts.to_numpy())),
}
# No tables of counts.
REFUSED: dict[str, Callable[[], Any]] = {
    "a name twice": shards(["a", "a", "c"]),
    "a stratum twice": table(lambda counts: counts.set_axis(["no", "no"], axis=1)),
    "a number and its text": shards([1, "1", "c"]),
    "NUL": shards(["a\0", "b", "c"]),
    "no shards": table(lambda counts: counts[:0]),
    "no strata": table(lambda counts: counts[[]]),
    "no rows of a stratum": numbers([0, 0, 0]),
    "-1": numbers([-1, 1, 1]),
    "a half": numbers([0.5, 1, 1]),
    "NaN": numbers([np.nan, 1, 1]),
    "more rows in all than 2**53": table(lambda counts: counts * 2**51),
    "logical values": numbers([True, True, True]),
    "text": numbers(["1", "1", "1"]),
    "None": cell(None),
    "a dict of shards": lambda: STRATA,
    "reset": table(lambda counts: counts.reset_index()),
}


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the text of the refusal; fail on any other error."""
    try:
        with bounded_memory():
            return call()
    except Exception as error:
        assert refusal(error) == ""
        return str(error)


def sampler_of(counts: Any) -> ShardedStratifiedBatchSampler:
    return ShardedStratifiedBatchSampler(OWN, 1, counts=counts, shards=["c", "a"], seed=1)


@pytest.mark.parametrize("case", SAME)
def test_the_same_table_in_another_form(case: str) -> None:
    sampler = sampler_of(SAME[case]())
    if "without rows" not in case:
        assert sampler.plan.counts.equals(COUNTS.sort_index(axis=1))
        assert sampler.state() == MADE.state()
        assert [batch.tolist() for batch in sampler.batches(0)] == BATCHES
    bound = bind_counts([SAME[case]()])
    assert bound.loc[list("abc"), ["no", "yes"]].equals(COUNTS[["no", "yes"]])


@pytest.mark.parametrize("case", OTHER)
def test_a_table_of_other_data(case: str) -> None:
    told = outcome(lambda: sampler_of(OTHER[case]()))
    assert isinstance(told, str) and "parameter must" in told
    made = OTHER[case]()
    plan, bound = sharded_plan(made, 1), bind_counts([made])
    assert plan.counts.to_numpy().sum() == bound.to_numpy().sum() == made.to_numpy().sum()
    assert plan.sizes().sum() == made.to_numpy().sum() and len(bound) == len(made)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table(case: str) -> None:
    told = [outcome(lambda: sampler_of(REFUSED[case]())), outcome(lambda: sharded_plan(REFUSED[case](), 1))]
    if case not in ("no strata", "no rows of a stratum"):  # valid, if the table of another process has rows
        told.append(outcome(lambda: bind_counts([REFUSED[case](), COUNTS.rename("{}2".format)])))
    for text in told:
        assert isinstance(text, str) and "parameter must" in text


# Several processes -------------------------------------------------------------------------------------------------


@pytest.mark.xdist_group("process groups")
def test_hostile_values_in_one_process_end_all_processes() -> None:
    """None waits for another one; all have the same table, or an error that is that of the process."""
    ranks = run("hostile", 2)
    for number, name in enumerate(hostile_values()):
        for call in ("gather_counts", "check_ranks"):
            first, second = (rank[call][number] for rank in ranks)
            if second.startswith("table"):
                assert first == second, name
            else:
                assert GRAMMAR.fullmatch(second), name
                done = "count its shards" if call == "gather_counts" else "describe its sampler"
                assert re.fullmatch(f"Process 1 could not {done}: (Type|Value)Error: {re.escape(second)}", first), name
