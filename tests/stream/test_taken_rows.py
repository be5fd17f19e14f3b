"""Streams whose epochs take rows of some strata less or more often than once, by shares or balance."""

from __future__ import annotations

from collections import Counter
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat.stream import SourceError, StratifiedStream
from tests.reference.naive_stream import Row, taken_batches
from tests.stream.sources import COUNTS, NAMES, label, read

Sources = list[list[int]]  # the strata of the rows of each source


def balanced(mean: int = 12, **parameters: Any) -> StratifiedStream:
    """Return a stream of the sources of all tests, by default with equally many rows of both labels."""
    parameters = {"counts": COUNTS, "balance": "over", "lanes": 2, "seed": 1, **parameters}
    return StratifiedStream(NAMES, mean_batch_size=mean, read=read, stratum=label, **parameters)


def stream_of(sources: Sources, held: Any = tuple, **parameters: Any) -> StratifiedStream:
    """Return a stream of rows (source, number), which `held` makes of them."""
    strata = range(1 + max(code for codes in sources for code in codes))
    counts = pd.DataFrame([[codes.count(code) for code in strata] for codes in sources])
    counts.index = [f"{number}" for number in range(len(sources))]
    return StratifiedStream(
        counts.index,
        counts=counts.rename(columns=str),
        read=lambda name: (held((int(name), row)) for row in range(len(sources[int(name)]))),
        stratum=lambda row: sources[tuple(row)[0]][tuple(row)[1]],
        **parameters,
    )


@st.composite
def streams(draw: st.DrawFn) -> tuple[Sources, dict[str, Any]]:
    """Draw sources, each lane of which has all strata, and the parameters of a stream."""
    n_strata, lanes = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    sources = draw(st.lists(st.lists(st.integers(0, n_strata - 1), max_size=25), min_size=lanes, max_size=7))
    for lane in range(lanes):
        sources[lane] = sources[lane] + list(range(n_strata))
    shuffle = draw(st.booleans())
    way = draw(
        st.one_of(
            st.fixed_dictionaries({"balance": st.one_of(st.sampled_from(["over", "under"]), st.integers(2, 90))}),
            st.fixed_dictionaries({"shares": st.lists(st.integers(1, 5), min_size=n_strata, max_size=n_strata)}),
        )
    )
    together = draw(st.integers(1, len(sources))) if shuffle else 1
    mean = draw(st.integers(n_strata, 60))
    return sources, {"lanes": lanes, "shuffle": shuffle, "shuffle_sources": together, "mean_batch_size": mean, **way}


def made(sources: Sources, parameters: dict[str, Any], **more: Any) -> Any:
    """Return a stream, or None if it is refused."""
    if "shares" in parameters:
        parameters = {**parameters, "shares": {f"{code}": share for code, share in enumerate(parameters["shares"])}}
    try:
        return stream_of(sources, seed=3, **parameters, **more)
    except ValueError:
        return None


@settings(max_examples=60, deadline=None)
@given(streams(), st.integers(0, 30))
def test_batches_are_those_of_the_rule(drawn: tuple[Sources, dict[str, Any]], epoch: int) -> None:
    sources, parameters = drawn
    stream = made(sources, parameters)
    if stream is None:
        return
    stream.set_epoch(epoch)
    batches = list(stream)
    way = {name: parameters[name] for name in ("balance", "shares") if name in parameters}
    seed = 3 if parameters["shuffle"] else None
    assert batches == taken_batches(
        sources,
        mean=parameters["mean_batch_size"],
        n_lanes=parameters["lanes"],
        together=parameters["shuffle_sources"],
        seed=seed,
        epoch=epoch,
        **way,
    )
    for first in {0, len(batches) // 2, len(batches) - 1}:
        stream.load_state_dict({**stream.state_dict(), "epoch": epoch, "batch": first})
        assert list(stream) == batches[first:]


@settings(max_examples=40, deadline=None)
@given(streams(), st.integers(0, 10), st.integers(1, 5))
def test_rows_of_a_lane_are_taken_equally_often_in_even_batches(
    drawn: tuple[Sources, dict[str, Any]], first: int, n_epochs: int
) -> None:
    sources, parameters = drawn
    stream = made(sources, parameters)
    if stream is None:
        return
    lanes, times = parameters["lanes"], Counter[Row]()
    stream.set_epoch(first)
    for _ in range(n_epochs):
        batches = list(stream)
        assert len(batches) == len(stream)
        for batch in batches:
            assert len(set(batch)) == len(batch)
        times.update(row for batch in batches for row in batch)
    rows = [(source, row) for source, codes in enumerate(sources) for row in range(len(codes))]
    for lane in range(lanes):
        for code in range(1 + max(map(max, filter(None, sources)))):
            own = [row for row in rows if row[0] % lanes == lane and sources[row[0]][row[1]] == code]
            held = [sum(sources[s][row] == code for s, row in batch) for batch in batches[lane::lanes]]
            taken = sum(held)
            assert {floor(taken / len(held)), ceil(taken / len(held))} >= set(held)
            assert min(held) >= stream.min_samples_per_stratum > 0
            expected = n_epochs * taken
            assert {expected // len(own), -(-expected // len(own))} >= {times[row] for row in own}


@settings(max_examples=60, deadline=None)
@given(streams())
def test_no_lane_holds_more_rows_than_it_says(drawn: tuple[Sources, dict[str, Any]]) -> None:
    alive: Counter[str] = Counter()
    most = 0

    class Held:
        def __init__(self, row: Row) -> None:
            nonlocal most
            self.row = row
            alive["rows"] += 1
            most = max(most, alive["rows"])

        def __iter__(self) -> Any:
            return iter(self.row)

        def __del__(self) -> None:
            alive["rows"] -= 1

    sources, parameters = drawn
    stream = made(sources, {**parameters, "lanes": 1}, held=Held)
    if stream is None:
        return
    for _ in range(2):
        for batch in stream:
            del batch
    assert 0 < most <= stream.buffer_needed
    assert made(sources, {**parameters, "lanes": 1}, buffer_size=stream.buffer_needed) is not None
    assert made(sources, {**parameters, "lanes": 1}, buffer_size=stream.buffer_needed - 1) is None


def test_the_same_row_comes_again_ten_batches_later() -> None:
    random = np.random.default_rng(1)
    sources = [(random.random(200) < 0.2).astype(int).tolist() for _ in range(20)]
    stream = stream_of(sources, balance="over", mean_batch_size=20, seed=1)
    batches = list(stream)
    places: dict[Row, list[int]] = {}
    for place, batch in enumerate(batches):
        for row in batch:
            places.setdefault(row, []).append(place)
    gaps = [after - before for found in places.values() for before, after in zip(found, found[1:])]
    assert gaps and min(gaps) >= 10
    assert stream.buffer_needed is not None and stream.buffer_needed < 4000


def test_shares_name_strata_by_value_or_as_counts_show_them() -> None:
    expected = list(balanced(balance=None, shares={"0": 3, "1": 1}))
    assert list(balanced(balance=None, shares={1: 1, 0: 3})) == expected
    positives = [sum(map(label, batch)) for batch in expected]
    assert set(positives) == {3} and set(map(len, expected)) == {12}


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_workers_and_ranks_share_what_is_taken() -> None:
    whole = list(balanced())
    assert list(DataLoader(balanced(), batch_size=None, collate_fn=list, num_workers=2)) == whole
    ranks = [list(balanced(num_replicas=2, rank=rank)) for rank in (0, 1)]
    assert [batch for turn in zip(*ranks) for batch in turn] == whole
    with pytest.raises(ValueError, match="must come from a sampler with the same"):
        balanced(balance="under").load_state_dict(balanced().state_dict())


def test_only_sources_of_wanted_batches_are_read() -> None:
    opened: list[str] = []

    def read_noted(name: str) -> Any:
        opened.append(name)
        return iter([0] * 10 + [1] * 10)

    counts = pd.DataFrame({"0": [10] * 20, "1": [10] * 20}, index=[f"{number:02d}" for number in range(20)])
    stream = StratifiedStream(
        counts.index, mean_batch_size=20, balance=40, read=read_noted, stratum=int, counts=counts, shuffle=False
    )
    assert len(stream) == 4 and len(list(stream)) == 4
    stream.load_state_dict({**stream.state_dict(), "epoch": 0, "batch": 3})
    opened.clear()
    assert len(list(stream)) == 1
    assert opened == [f"{number:02d}" for number in range(15, 20)]


def test_a_source_that_does_not_match_its_counts_is_an_error() -> None:
    wrong = COUNTS.copy()
    wrong.loc["source-2", 1] += 1
    with pytest.raises(SourceError, match="'source-2' must have .* rows of '1', as its counts say"):
        list(balanced(counts=wrong))


@pytest.mark.parametrize(
    "parameters, message",
    [
        (
            {"shares": {"0": 1, "1": 1}},
            "'balance' parameter must be left out if 'shares' is given. Got 'over' instead.",
        ),
        ({"mean_batch_size": None, "min_samples_per_stratum": 1}, "'balance' .* together with 'mean_batch_size'"),
        ({"rare": "allow"}, "'rare' parameter must be left out if 'balance' is given. Got 'allow' instead."),
        ({"balance": "even"}, "'balance' parameter must be 'over', 'under' or a positive integer. Got 'even' "),
        ({"balance": 1}, "'balance' parameter must be at least 2, the number of lanes. Got 1 instead."),
        (
            {"balance": 10**6, "mean_batch_size": 10**4},
            "'mean_batch_size' .* at most [0-9]+ rows of '[01]' in a batch. Got 5000",
        ),
        (
            {"mean_batch_size": 1},
            "'mean_batch_size' .* leave each batch a row of each stratum. Got 1, for .* Raise it.",
        ),
        ({"balance": None, "shares": {"0": 1}}, "'shares' .* name every stratum. Got 1 name too few, '1' among them, "),
        ({"balance": None, "shares": {"0": 1, "2": 1}}, "'shares' .* name each of the strata once, '.', '.'. Got '2' "),
        ({"balance": None, "shares": {"0": 1, 0: 1}}, "'shares' .* name each of the strata once, .* Got '0' twice "),
        ({"balance": None, "shares": {"0": 1, "1": 0}}, "'shares' .* be a finite number above 0. Got 0 instead."),
        ({"balance": None, "shares": [1, 2]}, "'shares' parameter must be numbers with names of strata"),
    ],
)
def test_what_cannot_be_taken_is_refused(parameters: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"mean_batch_size": 12, "balance": "over", "lanes": 2, "counts": COUNTS, **parameters}
    with pytest.raises((TypeError, ValueError), match=message):
        StratifiedStream(NAMES, read=read, stratum=label, **given)


def test_products_that_are_not_exact_are_refused() -> None:
    counts = pd.DataFrame({"0": [2**30], "1": [2**30]}, index=["a"])
    given: dict[str, Any] = {"read": iter, "stratum": int, "counts": counts}
    with pytest.raises(ValueError, match="'lanes' parameter must be more for so many rows and batches"):
        StratifiedStream(["a"], mean_batch_size=2**20, balance=2**30 - 1, **given)


def test_weights_undo_how_often_an_epoch_takes_rows() -> None:
    stream = balanced(balance="under")
    batches = [row for batch in stream for row in batch]
    weights = pd.Series(stream.weights(batches)).groupby([label(row) for row in batches]).agg(["sum", "nunique"])
    assert weights["sum"].round(9).tolist() == COUNTS.sum().sort_index().tolist() and (weights["nunique"] == 1).all()
    assert stream.class_weights().index.tolist() == sorted(COUNTS.columns)
    assert stream.weights(batches, normalize=True).mean() == pytest.approx(1)
    assert stream.weights([]).tolist() == []


def test_weights_need_counts_and_known_strata() -> None:
    with pytest.raises(TypeError, match="'rows' parameter must be a list of rows, such as a batch. Got 5 instead"):
        balanced().weights(5)  # type: ignore[arg-type]
    given = {"read": iter, "stratum": int, "seed": 1}
    known = StratifiedStream(
        {"a": [0, 1]}, 1, counts=pd.DataFrame({0: [1], 1: [1]}, index=["a"]), **given  # type: ignore[arg-type]
    )
    assert known.class_weights().to_dict() == {0: 1.0, 1: 1.0}
    with pytest.raises(ValueError, match="must have strata that are one of '0', '1'. Got '3' instead"):
        known.weights([3, 16])  # the first one, in whatever order a set has them
    with pytest.raises(ValueError, match="'counts' parameter must be given for weights. Got None instead"):
        StratifiedStream({"a": [0, 1]}, 1, strata=[0, 1], **given).class_weights()  # type: ignore[arg-type]
