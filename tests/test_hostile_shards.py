"""Tables of counts, mappings of shards and states that nobody expects: a result that is right, or a message.

`tests.hostile` replaces whole parameters. Here, one thing is wrong with a table or a mapping that is otherwise valid.
"""

from __future__ import annotations

import itertools
import pickle
import re
from collections import ChainMap, OrderedDict, UserDict, defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from pystrat import ShardedStratifiedBatchSampler, bind_counts, gather_counts, shard_counts, sharded_plan
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


def strata(names: Any) -> Callable[[], Any]:
    return table(lambda counts: counts.set_axis(names, axis=1))


# The same table in another form: the batches stay.
SAME: dict[str, Callable[[], Any]] = {
    "rows in another order": table(lambda counts: counts.iloc[[2, 0, 1]]),
    "columns in another order": table(lambda counts: counts.iloc[:, ::-1]),
    "doubles": table(lambda counts: counts.astype(float)),
    "small integers": table(lambda counts: counts.astype(np.uint8)),
    "nullable integers": table(lambda counts: counts.astype("Int64")),
    "sparse": table(lambda counts: counts.astype(pd.SparseDtype("int64", 0))),
    "other byte order": table(lambda counts: counts.astype(">i8")),
    "column-major": table(lambda counts: pd.DataFrame(np.asfortranarray(counts), counts.index, counts.columns)),
    "categories as names": shards(pd.CategoricalIndex(["a", "b", "c"], categories=["c", "b", "a"])),
    "bytes as names": shards([b"a", b"b", b"c"]),
    "names of names": table(lambda counts: counts.rename_axis(index=["yes"], columns=["a"])),
    "a subclass": table(lambda counts: type("Frame", (pd.DataFrame,), {})(counts)),
    "a view": table(lambda counts: pd.concat([counts, counts.rename("{}2".format)])[:3]),
    "a shard without rows": table(lambda counts: pd.concat([counts, pd.DataFrame(0, ["z"], counts.columns)])),
}
# Valid tables of other data: the rows of this process do not match them, or they name other shards.
OTHER: dict[str, Callable[[], Any]] = {
    "a row more": numbers([2, 1, 1]),
    "a row less": numbers([0, 1, 2]),
    "no row of this shard": numbers([0, 5, 1]),
    "transposed": table(lambda counts: counts.T),
    "swapped names of shards": shards(["b", "a", "c"]),
    "swapped names of strata": strata(["yes", "no"]),
    "a shard of another name": shards(["A", "b", "c"]),
    "a stratum of another name": strata(["no", "Yes"]),
    "one stratum": table(lambda counts: counts[["no"]]),
    "a missing shard": table(lambda counts: counts.drop("a")),
    "numbers as names": shards([1, 2, 3]),
    "tuples as names": shards(pd.MultiIndex.from_tuples([("a", 1), ("b", 1), ("c", 1)])),
    "tuples as strata": strata(pd.MultiIndex.from_tuples([("no", 1), ("yes", 1)])),
    "dates as names": shards(pd.date_range("2020-01-01", periods=3)),
    "no names": table(lambda counts: pd.DataFrame(counts.to_numpy())),
    "other forms of a name": shards(["a ", "b", "c"]),
    "accents in two forms": strata(["\u00e9", "e\u0301"]),
    "long names": shards(["a" * 10**5, "b", "c"]),
    "empty names": shards(["", "b", "c"]),
    "missing names": shards([None, "b", "c"]),
}
# No tables of counts.
REFUSED: dict[str, Callable[[], Any]] = {
    "a name twice": shards(["a", "a", "c"]),
    "a stratum twice": strata(["no", "no"]),
    "a number and its text": shards([1, "1", "c"]),
    "objects as names": shards([object(), object(), object()]),
    "lists as names": shards(pd.Index([["a"], ["b"], ["c"]], dtype=object, tupleize_cols=False)),
    "surrogates": shards(pd.Index(["\ud800", "b", "c"], dtype=object)),
    "NUL": shards(["a\0", "b", "c"]),
    "intervals": shards(pd.interval_range(0, 3)),
    "no shards": table(lambda counts: counts[:0]),
    "no strata": table(lambda counts: counts[[]]),
    "no rows of a stratum": numbers([0, 0, 0]),
    "-1": numbers([-1, 1, 1]),
    "a half": numbers([0.5, 1, 1]),
    "NaN": numbers([np.nan, 1, 1]),
    "NA": numbers(pd.array([None, 1, 1], dtype="Int64")),
    "inf": numbers([np.inf, 1, 1]),
    "2**53": numbers([2**53, 1, 1]),
    "2**64 - 1": numbers(np.array([2**64 - 1, 1, 1], dtype=np.uint64)),
    "more rows in all than 2**53": table(lambda counts: counts * 2**51),
    "logical values": numbers([True, True, True]),
    "text": numbers(["1", "1", "1"]),
    "complex": numbers([1j, 1, 1]),
    "times": numbers(pd.to_timedelta([1, 1, 1])),
    "categories": numbers(pd.Categorical([1, 1, 1])),
    "objects": cell(1),
    "an object": cell(object()),
    "a list": cell([1]),
    "None": cell(None),
    "a column": table(lambda counts: counts["no"]),
    "an array": table(lambda counts: counts.to_numpy()),
    "a dict": table(lambda counts: counts.to_dict()),
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


# Mappings of shards to strata --------------------------------------------------------------------------------------


class Made(Mapping):
    """A mapping that is made of functions."""

    def __init__(self, names: Callable[[], Iterator[Any]], get: Callable[[Any], Any], length: int = 2) -> None:
        self._names = names
        self._get = get
        self._length = length

    def __iter__(self) -> Iterator[Any]:
        return self._names()

    def __getitem__(self, name: Any) -> Any:
        return self._get(name)

    def __len__(self) -> int:
        return self._length


def changing(name: Any, turns: Any = itertools.count()) -> list[str]:
    """The strata of a shard, others each time."""
    return ["no"] * (1 + next(turns))


MAPPINGS: dict[str, Callable[[], Any]] = {
    "OrderedDict": lambda: OrderedDict(STRATA),
    "UserDict": lambda: UserDict(STRATA),
    "MappingProxyType": lambda: MappingProxyType(STRATA),
    "ChainMap": lambda: ChainMap({"a": STRATA["a"]}, STRATA),
    "defaultdict": lambda: defaultdict(list, STRATA),
    "other order": lambda: dict(reversed(STRATA.items())),
    "read on access": lambda: Made(lambda: iter(STRATA), STRATA.__getitem__, 3),
    "a length that is wrong": lambda: Made(lambda: iter(STRATA), STRATA.__getitem__, 7),
    "strata that change": lambda: Made(lambda: iter("ab"), changing),
    "a shard twice": lambda: Made(lambda: iter("aab"), STRATA.__getitem__),
    "numbers as names": lambda: {1: ["no"]},
    "None as a name": lambda: {None: ["no"]},
    "an empty name": lambda: {"": ["no"]},
    "a name and a number": lambda: {"a": ["no"], 1: ["no"]},
    "a tuple as a name": lambda: {("a", 1): ["no"]},
    "bytes as a name": lambda: {b"a": ["no"]},
    "NUL in a name": lambda: {"a\0": ["no"]},
    "a surrogate in a name": lambda: {"\ud800": ["no"]},
    "no strata": lambda: {"a": None},
    "a missing stratum": lambda: {"a": ["no", None]},
    "text as strata": lambda: {"a": "no"},
    "a number as strata": lambda: {"a": 3},
    "strata in a mapping": lambda: {"a": {"b": {"c": 1}}},
    "columns of two lengths": lambda: {"a": {"b": [1, 2], "c": [1]}},
    "a table": lambda: {"a": pd.DataFrame({"b": [1, 2], "c": [1, 1]})},
    "logical values and numbers": lambda: {"a": [True, 2]},
    "endless strata": lambda: {"a": itertools.count()},
    "no shards": dict,
    "a list of pairs": lambda: list(STRATA.items()),
    "a Series": lambda: pd.Series(STRATA),
}


@pytest.mark.parametrize("count", [shard_counts, gather_counts])
@pytest.mark.parametrize("case", MAPPINGS)
def test_mappings_of_shards(count: Callable[[Any], pd.DataFrame], case: str) -> None:
    found = outcome(lambda: count(MAPPINGS[case]()))
    if isinstance(found, str):
        assert GRAMMAR.fullmatch(found)
        return
    assert list(found.index) == sorted(set(found.index)) and (found.sum() > 0).all()
    if found.shape == COUNTS.shape and "change" not in case:
        assert found.equals(COUNTS)


def test_a_shard_that_cannot_be_read_raises_its_own_error() -> None:
    for error in (KeyError("b"), OSError("gone"), RuntimeError("closed")):

        def fail(name: Any) -> Any:
            raise error

        for count in (shard_counts, gather_counts):
            with pytest.raises(type(error)) as raised:
                count(Made(lambda: iter("ab"), fail))
            assert raised.value is error


# States ------------------------------------------------------------------------------------------------------------


def test_states_in_any_kind_of_mapping() -> None:
    state = MADE.state()
    for make in (OrderedDict, UserDict, MappingProxyType, ChainMap, lambda given: defaultdict(int, given)):
        sampler = sampler_of(COUNTS)
        sampler.load_state_dict(make({**state, "epoch": 2}))
        assert sampler.state() == {**state, "epoch": 2}


def test_states_whose_entries_are_not_all_there() -> None:
    state = MADE.state()
    for name in state:
        rest = {key: value for key, value in state.items() if key != name}
        for left in (defaultdict(int, rest), ChainMap(rest), UserDict(rest)):
            with pytest.raises(ValueError, match="must have the entries 'version', 'fingerprint', 'epoch' and 'batch'"):
                sampler_of(COUNTS).load_state_dict(left)
            assert len(left) == len(rest), "nothing is added to it"


@pytest.mark.parametrize("case", SAME)
def test_a_state_belongs_to_its_table_in_any_form(case: str) -> None:
    if case == "a shard without rows":  # its number is part of the seeds of the shards after it
        with pytest.raises(ValueError, match="come from a sampler with the same data, parameters and seed"):
            sampler_of(SAME[case]()).load_state_dict(MADE.state())
    else:
        sampler_of(SAME[case]()).load_state_dict(MADE.state())


@pytest.mark.parametrize("case", ["swapped names of shards", "a row more", "a row less"])
def test_a_state_does_not_belong_to_another_table(case: str) -> None:
    counts = OTHER[case]()
    labels = [name for shard in "ca" for name in ("no", "yes") for _ in range(counts.loc[shard, name])]
    sampler = ShardedStratifiedBatchSampler(labels, 1, counts=counts, shards=["c", "a"], seed=1)
    with pytest.raises(ValueError, match="come from a sampler with the same data, parameters and seed"):
        sampler.load_state_dict(MADE.state())


def test_samplers_of_hostile_tables_can_be_pickled() -> None:
    for make in SAME.values():
        sampler = pickle.loads(pickle.dumps(sampler_of(make())))
        assert len([row for batch in sampler.batches(3) for row in batch]) == len(OWN)


# Several processes -------------------------------------------------------------------------------------------------


@pytest.mark.xdist_group("process groups")
def test_hostile_values_in_one_process_end_all_processes() -> None:
    """None waits for another one; all have the same table, or an error that is that of the process."""
    ranks = run("hostile", "-", 2)
    for number, name in enumerate(hostile_values()):
        for call in ("gather_counts", "check_ranks"):
            first, second = (rank[call][number] for rank in ranks)
            if second.startswith("table"):
                assert first == second, name
            else:
                assert GRAMMAR.fullmatch(second), name
                done = "count its shards" if call == "gather_counts" else "describe its sampler"
                assert re.fullmatch(f"Process 1 could not {done}: (Type|Value)Error: {re.escape(second)}", first), name
