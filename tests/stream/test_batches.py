"""The batches of streams by the rules in words: golden vectors, all small lanes, and random sources."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from itertools import chain, islice, product
from math import floor
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.stream import SourceError, StratifiedStream
from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_stream import counted_by_the_rule, cut_by_the_rule, stream_batches, taken_batches
from tests.stream.sources import stream_of

CONTENT = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))
DIGITS = ["0", "1", "2"]


def batches_of(stream: Any) -> list[list[list[int]]]:
    return [list(map(list, batch)) for batch in stream]


def test_golden_batches() -> None:
    for case in CONTENT["cases"]:
        sources = case.get("sources", CONTENT["sources"])
        given: dict[str, Any] = {"shuffle": case["seed"] is not None, "seed": case["seed"] or 0, **case["settings"]}
        stream = stream_of(sources, CONTENT["strata"], is_counted=case["counted"], **given)
        stream.set_epoch(case["epoch"])
        assert batches_of(stream) == case["batches"], case


def alone(codes: list[int], **given: Any) -> list[list[int]]:
    """Return the batches of one source as numbers of its rows, in their order."""
    stream = stream_of([codes], DIGITS[: 1 + max(codes)], **{"shuffle": False, **given})
    return [[row for _, row in batch] for batch in stream]


@pytest.mark.parametrize("chunk", [1, 3, None])
def test_all_small_lanes(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read in chunks, and batches do not depend on them."""
    if chunk:
        monkeypatch.setattr("pystrat.stream.reading.CHUNK", chunk)
    for n_rows in range(2, 6 if chunk else 7):
        for codes in map(list, product(range(2), repeat=n_rows)):
            if set(codes) != {0, 1}:
                continue
            for least, least_rows in ((1, 1), (2, 1), (1, 4)):
                expected = cut_by_the_rule(codes, 2, least, least_rows)
                given: dict[str, Any] = {"min_samples_per_stratum": least, "min_batch_size": least_rows}
                if expected:
                    assert alone(codes, is_counted=False, **given) == expected
                    continue
                with pytest.raises(SourceError, match="^Lane 0 has no batch: the next batch "):
                    alone(codes, is_counted=False, **given)
            for mean in range(1, n_rows + 1):
                n_batches = min(max(1, floor(Fraction(n_rows, mean) + Fraction(1, 2))), max(map(codes.count, (0, 1))))
                found = alone(codes, is_counted=True, mean_batch_size=mean, rare="allow")
                assert found == counted_by_the_rule(codes, n_batches), "no batch is empty"


def test_the_number_of_batches_of_all_small_counts() -> None:
    """As many as both minima allow, or as the mean size says; a mean that is too small names the least that works."""
    for totals in product(range(1, 5), repeat=3):
        codes = [code for code, total in enumerate(totals) for _ in range(total)]
        sizes = {n: min(map(len, counted_by_the_rule(codes, n))) for n in range(1, min(totals) + 1)}
        for least, least_rows in product((1, 2), range(1, len(codes) + 1)):
            possible = [n for n in sizes if min(totals) // n >= least and sizes[n] >= least_rows]
            if min(totals) >= least:
                given = {"min_samples_per_stratum": least, "min_batch_size": least_rows}
                assert len(stream_of([codes], DIGITS, is_counted=True, shuffle=False, **given)) == max(possible)
        for n_lanes, mean in product((1, 2), range(1, len(codes) + 3)):
            lanes: dict[str, Any] = {"is_counted": True, "lanes": n_lanes}
            n_batches = max(1, floor(Fraction(len(codes), mean) + Fraction(1, 2)))
            if n_batches <= min(totals):
                stream = stream_of([codes] * n_lanes, DIGITS, mean_batch_size=mean, **lanes)
                assert len(stream) == n_batches * n_lanes
                assert stream.min_samples_per_stratum == min(totals) // n_batches
                continue
            with pytest.raises(ValueError) as error:
                stream_of([codes] * n_lanes, DIGITS, mean_batch_size=mean, **lanes)
            least = int(str(error.value).split("must be at least ")[1].split(",")[0])
            assert stream_of([codes] * n_lanes, DIGITS, mean_batch_size=least, **lanes).min_samples_per_stratum > 0
            with pytest.raises(ValueError):
                stream_of([codes] * n_lanes, DIGITS, mean_batch_size=least - 1, **lanes)


@st.composite
def streams(draw: st.DrawFn, ways: tuple[str, ...]) -> tuple[list[list[int]], dict[str, Any]]:
    """Draw sources, each lane of which has all strata, and the parameters of a stream."""
    n_strata, lanes = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    sources = draw(st.lists(st.lists(st.integers(0, n_strata - 1), max_size=25), min_size=lanes, max_size=7))
    for lane in range(lanes):
        sources[lane] = sources[lane] + list(range(n_strata))
    shuffle, way = draw(st.booleans()), draw(st.sampled_from(ways))
    together = draw(st.integers(1, len(sources))) if shuffle else 1
    parameters = {"lanes": lanes, "shuffle": shuffle, "shuffle_sources": together, "is_counted": way != "declared"}
    if way in ("least", "declared"):
        least = {"min_samples_per_stratum": draw(st.integers(1, 2)), "min_batch_size": draw(st.integers(1, 9))}
        return sources, {**parameters, **least}
    mean: dict[str, Any] = {"mean_batch_size": draw(st.integers(1, 60))}
    if way == "mean":
        mean["rare"] = "allow"
    elif way == "balance":
        mean["balance"] = draw(st.one_of(st.sampled_from(["over", "under"]), st.integers(2, 90)))
    else:
        shares = draw(st.lists(st.integers(1, 5), min_size=n_strata, max_size=n_strata))
        mean["shares"] = dict(zip(DIGITS, shares))
    return sources, {**parameters, **mean}


def made(sources: list[list[int]], parameters: dict[str, Any]) -> Any:
    """Return a stream, or None if it is refused."""
    try:
        return stream_of(sources, DIGITS[: 1 + max(map(max, filter(None, sources)))], seed=3, **parameters)
    except ValueError:
        return None


def expected_of(sources: list[list[int]], given: dict[str, Any], epoch: int) -> list[list[tuple[int, int]]]:
    """Return the batches of an epoch by the rules in words."""
    common: dict[str, Any] = {"n_lanes": given["lanes"], "together": given["shuffle_sources"], "epoch": epoch}
    common["seed"] = 3 if given["shuffle"] else None
    mean = given.get("mean_batch_size")
    if "balance" in given or "shares" in given:
        shares = list(given["shares"].values()) if "shares" in given else None
        return taken_batches(sources, mean=mean, balance=given.get("balance"), shares=shares, **common)
    least, least_rows = given.get("min_samples_per_stratum", 1), given.get("min_batch_size", 1)
    return stream_batches(sources, least=least, least_rows=least_rows, mean=mean, counted=given["is_counted"], **common)


@given(streams(("least", "declared", "mean", "balance", "shares")), st.integers(0, 30))
def test_batches_are_those_of_the_rules_wherever_an_epoch_is_resumed(drawn: Any, epoch: int) -> None:
    sources, parameters = drawn
    stream = made(sources, parameters)
    if stream is None:
        return
    stream.set_epoch(epoch)
    try:
        batches = list(stream)
    except SourceError as error:
        assert "has no batch" in str(error) and not parameters["is_counted"]
        return
    expected = expected_of(sources, parameters, epoch)
    own = [Counter(chain.from_iterable(sources[lane :: parameters["lanes"]])) for lane in range(parameters["lanes"])]
    most = min(max(counts.values()) for counts in own) * len(own)  # so many batches are certain to have rows
    if parameters.get("rare") == "allow" and len(expected) > most:
        assert len(batches) == most and all(batches)
        return
    assert batches == expected
    for done in {0, 1, len(batches) // 2, len(batches) - 1}:
        stream.set_epoch(epoch)
        iterator, resumed = iter(stream), iter(made(sources, parameters))
        assert list(islice(iterator, done)) == batches[:done]
        resumed.load_state_dict(iterator.state_dict())
        assert list(resumed) == batches[done:]


def test_a_lane_has_at_most_as_many_rows_as_products_are_exact_with() -> None:
    n_batches = 52_060
    most = (2**53 - 1) // n_batches - 1
    for n_rows, is_refused in ((most, False), (most + 1, True)):
        counts = pd.DataFrame({0: [n_rows]}, index=["a"])
        refused = "'lanes' parameter must be more for so many rows and batches. Got 1 instead."
        with pytest.raises(ValueError, match=refused) if is_refused else nullcontext():
            StratifiedStream(["a"], most // n_batches, read=iter, stratum=int, counts=counts)
