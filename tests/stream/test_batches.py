"""The batches of streams by the rules in words, of random sources."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from pystrat.stream import SourceError
from tests.reference.naive_stream import stream_batches
from tests.stream.sources import stream_of

DIGITS = ["0", "1", "2"]


def batches_of(stream: Any) -> list[list[list[int]]]:
    return [list(map(list, batch)) for batch in stream]


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


@given(streams(("least", "declared", "mean", "balance", "shares")), st.integers(0, 30), st.integers(1, 30))
def test_batches_are_those_of_the_rules_wherever_an_epoch_is_resumed(drawn: Any, epoch: int, chunk: int) -> None:
    """Rows are read in chunks, and batches do not depend on them."""
    sources, parameters = drawn
    stream = made(sources, parameters)
    if stream is None:
        return
    stream.set_epoch(epoch)
    try:
        with mock.patch("pystrat.stream.reading.CHUNK", chunk):
            batches = list(stream)
    except SourceError as error:
        assert "has no batch" in str(error) and not parameters["is_counted"]
        return
    given = {name: value for name, value in parameters.items() if name not in ("is_counted", "shuffle", "rare")}
    seed = 3 if parameters["shuffle"] else None
    expected = stream_batches(sources, counted=parameters["is_counted"], seed=seed, epoch=epoch, **given)
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
