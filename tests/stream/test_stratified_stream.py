"""Streams: every row once, the promise in every batch, and the same batches with any number of workers and ranks."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import pandas as pd
import pytest
from torch.utils.data import DataLoader, default_collate

from pystrat import check_ranks
from pystrat.stream import SourceError, StratifiedStream, count_sources
from tests.refused import refusals
from tests.stream.sources import ALL_ROWS, COUNTS, NAMES, Row, declared, label, make_stream, read, rows_of

Batches = list[list[Row]]
OTHER = "must come from a sampler with the same"
NO_MINIMUM = {"min_samples_per_stratum": None}
NO_COUNTS: dict[str, Any] = {"counts": None, "strata": [0, 1]}
BY_MEAN: dict[str, Any] = {**NO_MINIMUM, "mean_batch_size": 20}
TAKEN: dict[str, Any] = {**NO_MINIMUM, "mean_batch_size": 12, "lanes": 2}
OVER, NAMED = {**TAKEN, "balance": "over"}, "name one of the strata, "


def batches_of(stream: StratifiedStream, n_workers: int = 0, **options: Any) -> Batches:
    """Return the batches of an epoch through a DataLoader."""
    return list(DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options))


def epoch_of(epoch: int, **parameters: Any) -> Batches:
    stream = make_stream(**parameters)
    stream.set_epoch(epoch)
    return list(stream)


def rows_in(batches: Batches) -> list[Row]:
    return sorted(row for batch in batches for row in batch)


def by_mean(mean: Any, **parameters: Any) -> StratifiedStream:
    return make_stream(**{"min_samples_per_stratum": None, "mean_batch_size": mean, **parameters})


def test_the_batches_of_the_same_seed_are_the_same_and_of_others_are_not() -> None:
    assert list(make_stream()) == list(make_stream()) != list(make_stream(seed=2))
    stream = make_stream(seed=None)
    first = list(stream)
    assert list(make_stream(seed=stream.seed)) == first
    assert list(pickle.loads(pickle.dumps(stream))) == list(stream) != first, "a copy goes on with the next epoch"


@pytest.mark.parametrize(("n_workers", "persistent"), [(1, False), (2, True), (4, False)])
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_workers_deliver_the_same_batches_in_the_same_order_epoch_by_epoch(n_workers: int, persistent: bool) -> None:
    stream = make_stream()
    loader = DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, persistent_workers=persistent)
    assert [list(loader), list(loader)] == [epoch_of(0), epoch_of(1)]
    stream.set_epoch(5)
    assert list(loader) == epoch_of(5)
    assert stream.epoch == 6
    next(iter(loader))
    stream.set_epoch(7)
    assert list(loader) == epoch_of(7)


def test_workers_of_spawned_processes_deliver_the_same_batches() -> None:
    stream = make_stream()
    options: dict[str, Any] = {"multiprocessing_context": "spawn", "persistent_workers": True}
    loader = DataLoader(stream, batch_size=None, collate_fn=default_collate, num_workers=2, **options)
    found = [[list(zip(*(part.tolist() for part in batch))) for batch in loader] for _ in range(2)]
    assert found == [epoch_of(0), epoch_of(1)], "as tensors"
    stream.load_state_dict(stream.state(5, 3))
    assert len(list(loader)) == len(stream) - 3 and stream.epoch == 6


@pytest.mark.parametrize(
    "parameters", [{}, {"shuffle_sources": 2, "lanes": 2}, {"counts": None, "strata": [0, 1]}, OVER]
)
def test_workers_and_ranks_share_the_batches_in_turn(parameters: dict[str, Any]) -> None:
    whole = list(make_stream(**parameters))
    assert list(make_stream(num_replicas=2, **parameters)) == whole
    ranks = [make_stream(num_replicas=2, rank=rank, **parameters) for rank in range(2)]
    check_ranks(ranks[0])  # no process group runs
    shares = [list(stream) for stream in ranks]
    found = batches_of(make_stream(**parameters), 2)
    if "strata" in parameters:  # without counts, the order may differ once a lane has ended
        assert sorted(shares[0] + shares[1]) == sorted(found) == sorted(whole)
        return
    assert len(shares[0]) == len(shares[1]) == len(ranks[0])
    assert [batch for turn in zip(*shares) for batch in turn] == found == whole


@pytest.mark.parametrize("shuffle", [True, False])
def test_ranks_may_list_sources_and_counts_in_any_order(shuffle: bool) -> None:
    given: dict[str, Any] = {"read": read, "stratum": label, "lanes": 4, "seed": 1, "shuffle": shuffle}
    lists = [(NAMES, COUNTS), (NAMES[::-1], COUNTS.sort_index(ascending=False))]
    ranks = [
        StratifiedStream(names, 2, counts=table, num_replicas=2, rank=rank, **given)
        for rank, (names, table) in enumerate(lists)
    ]
    shares = [list(stream) for stream in ranks]
    assert rows_in(shares[0] + shares[1]) == ALL_ROWS
    if shuffle:
        assert [batch for turn in zip(*shares) for batch in turn] == list(make_stream())
        assert ranks[0].state() == ranks[1].state()
        return
    in_order = StratifiedStream(NAMES[::-1], 2, counts=COUNTS, **{**given, "lanes": 1})
    firsts = [min(row[0] for row in batch) for batch in in_order]
    assert firsts == sorted(firsts, reverse=True), "without shuffling, sources keep the order in which they are given"
    with pytest.raises(ValueError, match=OTHER):
        make_stream(lanes=1, shuffle=False).load_state_dict(in_order.state())


def test_a_full_buffer_names_the_stratum_that_did_not_come() -> None:
    given: dict[str, Any] = {"stratum": int, "strata": [0, 1], "shuffle": False}
    zeros = StratifiedStream(["a", "b"], 1, read=lambda _: [0] * 30, buffer_size=50, **given)
    never = StratifiedStream(["a"], 1, read=lambda _: [0] * 30, **given)
    group = declared(lanes=1, shuffle_sources=3, buffer_size=max(COUNTS.sum(axis=1)) + 10)
    for stream, message in (
        (zeros, r"source 'b' must leave at most 50 rows in the buffer\. Got 60 instead: the next .* of '1'\.$"),
        (never, "^Lane 0 has no batch: the next batch has too few rows of '1'.$"),
        (group, r"must leave at most \d+ rows in the buffer\. Got \d+ instead: the next batch "),
    ):
        with pytest.raises(SourceError, match=message):
            list(stream)


def test_batches_of_a_mean_size_have_the_minimum_that_the_counts_give() -> None:
    stream = by_mean(17)
    held = [sum(label(row) == stratum for row in batch) for batch in stream for stratum in (0, 1)]
    assert min(held) == stream.min_samples_per_stratum
    with pytest.raises(ValueError) as error:
        by_mean(3)
    assert str(error.value) == (
        "The 'mean_batch_size' parameter must be at least 4, for at most 31, the rows of '1' in lane 1 of 4. "
        "Got 3, for 42 batches a lane, instead. Raise it, use fewer lanes, or set 'rare' to 'warn' or 'allow'."
    )
    assert by_mean(4).min_samples_per_stratum > 0


def test_rare_strata_may_be_missing_from_batches_and_are_in_others_in_each_epoch() -> None:
    with pytest.warns(UserWarning, match="^Lane 1 has 31 rows of '1', and the 'mean_batch_size' parameter makes 42 "):
        stream = by_mean(3, rare="warn")
    assert stream.min_samples_per_stratum == 0
    epochs = [[sum(map(label, batch)) for batch in list(stream)[1::4]] for _ in range(20)]
    assert all(max(held) == 1 and sum(held) == 31 for held in epochs) and min(map(max, zip(*epochs))) == 1


def test_a_minimum_above_the_rows_of_a_lane_may_be_one_batch_a_lane() -> None:
    told = (
        "^Lane 1 has 31 rows of '1', and the 'min_samples_per_stratum' parameter is 50: all rows of a lane are in one"
    )
    with pytest.warns(UserWarning, match=told):
        assert len(make_stream(min_samples_per_stratum=50, rare="warn")) == 4
    empty = COUNTS.copy()
    empty.loc[NAMES[1::2], 1] = 0
    with pytest.raises(ValueError, match=r"'lanes' .* rows of each stratum\. Got 0 as the rows of '1' in lane 1 of 2 "):
        make_stream(counts=empty, lanes=2)
    kept = make_stream(min_samples_per_stratum=5, counts=empty, rare="allow", lanes=2)
    assert len(kept) == 2 and kept.min_samples_per_stratum == 0


def test_each_stratum_may_have_a_minimum_of_its_own() -> None:
    for minimums in ({0: 5, 1: 2}, {"1": 3}, {1: 2, "0": 0}):
        stream = make_stream(min_samples_per_stratum=minimums)
        batches = list(stream)
        asked = {int(key): number for key, number in minimums.items() if number}
        totals = [COUNTS.loc[NAMES[lane::4]].sum() for lane in range(4)]
        assert len(stream) == 4 * min(int(own[code]) // number for own in totals for code, number in asked.items())
        for code, number in asked.items():
            assert min(sum(label(row) == code for row in batch) for batch in batches) >= number
    with pytest.raises(ValueError, match=OTHER):
        stream.load_state_dict(make_stream(min_samples_per_stratum={1: 3}).state())


def test_weights_undo_how_often_an_epoch_takes_rows() -> None:
    stream = make_stream(**{**OVER, "balance": "under"})
    batches = [row for batch in stream for row in batch]
    weights = pd.Series(stream.weights(batches)).groupby([label(row) for row in batches]).agg(["sum", "nunique"])
    assert weights["sum"].round(9).tolist() == COUNTS.sum().sort_index().tolist() and (weights["nunique"] == 1).all()
    assert stream.class_weights().index.tolist() == sorted(COUNTS.columns)
    assert stream.weights(batches, normalize=True).mean() == pytest.approx(1)
    assert stream.weights([]).tolist() == [] and make_stream().class_weights().to_dict() == {0: 1.0, 1: 1.0}
    shares = [list(make_stream(**TAKEN, shares=shares)) for shares in ({"0": 3, "1": 1}, {1: 1, 0: 3})]
    assert shares[0] == shares[1], "strata are named by value or as counts show them"
    assert {sum(map(label, batch)) for batch in shares[0]} == {3} and set(map(len, shares[0])) == {12}
    with pytest.raises(ValueError, match="must have strata that are one of '1', '0'. Got '3' instead"):
        stream.weights([(0, 0, 3), (0, 0, 16)])  # the first one, in whatever order a set has them
    with pytest.raises(ValueError, match="'counts' parameter must be given for weights. Got None instead"):
        declared().class_weights()


def test_count_sources_counts_what_it_reads() -> None:
    table = count_sources(NAMES, read=read, stratum=label)
    assert table.to_dict("index") == {name: dict(Counter(map(label, rows_of(name)))) for name in NAMES}
    assert list(table.index) == NAMES
    more = pd.concat([COUNTS, pd.DataFrame({2: [5]}, index=["other"])]).fillna(0)
    assert list(make_stream(counts=more)) == list(make_stream()), "counts of other sources are ignored"


@pytest.mark.parametrize("given", [{}, OVER])
def test_a_source_with_other_rows_than_its_counts_is_an_error(given: dict[str, Any]) -> None:
    for change in (1, -1):
        wrong = COUNTS.copy()
        wrong.loc["source-2", 1] += change
        with pytest.raises(SourceError, match=r"'source-2' must have .* rows of '1', as its counts say. Got \d+ inst"):
            list(make_stream(counts=wrong, **given))


def test_epochs_end_where_there_are_no_more_seeds() -> None:
    many = [f"{number}" for number in range(1000)]
    counts = pd.DataFrame({"0": 1}, index=many)
    stream = StratifiedStream(many, 1, read=lambda _: [0], stratum=int, counts=counts)
    last = (2**31 - 2) // 1001 - 1
    stream.set_epoch(last)
    assert len(list(stream)) == 1000
    for ask in (lambda: stream.set_epoch(last + 1), lambda: list(stream)):
        with pytest.raises(ValueError, match=f"'epoch' .* be an integer from 0 to {last}"):
            ask()


test_refused = refusals(
    make_stream,
    [
        ({"min_samples_per_stratum": 50}, r"'min_samples_per_.* the rows of '\d' in lane \d of 4\. Got 50 "),
        ({"min_batch_size": 10_000}, "'min_batch_size' .* the rows of the smallest lane"),
        ({"min_samples_per_stratum": {1: 90}}, r"ask for at most \d+, the rows of '1' in .* Got 90 rows of '1' "),
        ({"min_samples_per_stratum": {2: 1}}, f"'min_samples_per_.* {NAMED}.* Got '2' "),
        ({"min_samples_per_stratum": {1: 1}, **NO_COUNTS}, "'min_samples_per_.* be a positive integer without 'coun"),
        ({**BY_MEAN, **NO_COUNTS}, "'mean_batch_size' .* be given together with 'counts'. Got 20 "),
        ({"rare": "allow", **NO_COUNTS}, "'rare' parameter must be 'error' without 'counts'. Got 'allow' "),
        ({"num_replicas": 3, "rank": 0}, "'lanes' .* be a multiple of 'num_replicas'"),
        ({"num_replicas": 9, "rank": 0}, "'num_.* at most 8, the number of .* Got 9 .* Divide the data into at lea"),
        ({"shuffle": False, "shuffle_sources": 2}, "'shuffle_sources' parameter must be 1 if 'shuffle' is false. Got"),
        ({"counts": None}, "'counts' .* or 'strata', but not both. Got neither instead"),
        ({"counts": COUNTS.drop(index="source-7")}, "'counts' .* a row for each source. Got none for 'source-7' "),
        ({**TAKEN, "balance": 1}, "'balance' parameter must be at least 2, the number of lanes. Got 1 instead."),
        (
            {**OVER, "balance": 10**6, "mean_batch_size": 10**4},
            "at most [0-9]+ rows of '[01]' in a batch. Got 5000",
        ),
        ({**OVER, "mean_batch_size": 1}, "'mean_batch_size' .* a row of each stratum. Got 1, for .* Raise it."),
        ({**TAKEN, "shares": {"0": 1}}, "'shares' .* name every stratum. Got 1 name too few, '1' among them, "),
        ({**TAKEN, "shares": {"0": 1, "2": 1}}, f"'shares' .* {NAMED}'.', '.'. Got '2' "),
        ({**TAKEN, "shares": {"0": 1, 0: 1}}, "'shares' .* name each stratum once. Got '0' twice "),
    ],
)


def test_workers_that_cannot_share_the_lanes_are_refused() -> None:
    with pytest.raises(ValueError, match="'lanes' .* be a multiple of 2, the number of ranks times that of workers"):
        batches_of(make_stream(lanes=1), 2)
