"""Edited states: each is refused with a message, or goes on with batches that keep the guarantees."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

from pystrat import BatchSampler
from pystrat.stream import StratifiedStream, count_sources
from tests.hostile import HOSTILE, bounded_memory, refusal
from tests.inside import recipe_of
from tests.levels import some_of
from tests.specimens import KINDS, OF_PAIRS, Specimen, calls, samplers, write_files


def sampler_of(kind: str, folder: Path) -> BatchSampler:
    write_files(folder)
    return [Specimen(made, given[-1]) for made, given in calls(folder).items() if made.__name__ == kind][0].make()


def begun(kind: str, folder: Path) -> BatchSampler:
    """A sampler in the middle of an epoch, which has been told something if it listens."""
    sampler: Any = sampler_of(kind, folder)
    if hasattr(sampler, "report"):
        sampler.report([0, 1], [0.5, 2.0])
    iterator = iter(sampler)
    next(iterator)
    if hasattr(sampler, "update"):
        sampler.update([0, 1], [0.5, 2.0])
    sampler.load_state_dict(iterator.state_dict())
    return sampler


def edited(state: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield a state with each entry left out or replaced, also those of entries that have entries."""
    for key, value in state.items():
        yield f"without {key}", {name: kept for name, kept in state.items() if name != key}
        for name, make in HOSTILE.items():
            yield f"{key}: {name}", {**state, key: make()}
        if isinstance(value, dict):
            for name, inner in edited(value):
                yield f"{key}, {name}", {**state, key: inner}
        if isinstance(value, np.ndarray) and value.size:
            for number in (-1, value.max() + 1, value.flat[0], 2**31 - 1, 2**32 - 1):
                if np.can_cast(np.min_scalar_type(number), value.dtype, "same_kind"):
                    yield f"{key}: first {number}", {**state, key: with_first(value, number)}
            yield f"{key}: cut", {**state, key: value[:-1]}
            yield f"{key}: doubled", {**state, key: np.concatenate([value, value])}
        if isinstance(value, str):
            for text in (value[:-4], value + "AAAA", value[::-1], "/" * len(value), "A" * len(value), "\u00e9" + value):
                yield f"{key}: {text[:8]}", {**state, key: text}
        if isinstance(value, int):
            for number in range(-2, 12):
                yield f"{key}: {number}", {**state, key: number}
    yield "another entry", {**state, "extra": object()}


def with_first(array: np.ndarray, number: Any) -> np.ndarray:
    changed = array.copy()
    with np.errstate(all="ignore"):
        changed.flat[0] = number
    return changed


def rest_of(sampler: BatchSampler) -> list[list[int]]:
    """The rest of the epoch, and the next one."""
    return epochs_of(sampler, 2)


def epochs_of(sampler: BatchSampler, n_epochs: int) -> list[list[int]]:
    """The batches of the next epochs; a sampler of single rows has batches of one."""
    return [np.atleast_1d(batch).tolist() for _ in range(n_epochs) for batch in sampler]


def trial(sampler: Any, state: Any, sizes: set[int], n_rows: int) -> str:
    """Load a state into a sampler or stream; return what is wrong with what comes of it, or nothing."""
    before = pickle.dumps(sampler.state())
    again = copy.deepcopy(sampler)
    try:
        sampler.load_state_dict(state)
    except Exception as error:
        wrong = refusal(error)
        if not wrong and pickle.dumps(sampler.state()) != before:
            return "refused, but changed"
        return wrong
    try:
        again.load_state_dict(state)
        if sampler.epoch > 20:
            return ""  # as valid as any, and the persistent tree repeats all draws before it
        found_batches = rest_of(sampler)
    except Exception as error:
        return f"loaded, but then {type(error).__name__}: {error}"[:300]
    if found_batches != rest_of(again):
        return "goes on in two ways"
    if not all(0 <= row < n_rows for batch in found_batches for row in batch):
        return "has rows that are none"
    if not {len(batch) for batch in found_batches} <= sizes:
        return "has batches of other sizes"
    if len(sampler) > len(found_batches) or len(found_batches) > 2 * len(sampler):
        return f"has {len(found_batches)} batches of {len(sampler)} an epoch"
    return ""


def limits(kind: str, folder: Path) -> tuple[set[int], int]:
    """The sizes of batches, and the number above all rows, of an undisturbed sampler over many epochs."""
    sampler = sampler_of(kind, folder)
    batches = epochs_of(sampler, 20)
    parts: Any = recipe_of(sampler)
    n_rows = parts.parts.get("n_rows", parts.parts.get("capacity"))
    is_known = n_rows is not None and type(sampler) not in OF_PAIRS
    largest = int(n_rows[0]) if is_known else max(max(batch) for batch in batches) + 1
    return {len(batch) for batch in batches}, largest


def test_every_kind_is_among_them(tmp_path: Path) -> None:
    assert sorted({type(sampler).__name__ for sampler in samplers(tmp_path)}) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_edited_states(kind: str, tmp_path: Path) -> None:
    sizes, n_rows = limits(kind, tmp_path)
    check_edited_states(begun(kind, tmp_path), sizes, n_rows)


def check_edited_states(sampler: Any, sizes: set[int], n_rows: int) -> None:
    """Try edited forms of the state of a sampler or stream."""
    state = sampler.state()
    assert trial(pickle.loads(pickle.dumps(sampler)), state, sizes, n_rows) == "", "the state itself is valid"
    wrong, states = {}, list(edited(state))
    assert len(states) > 300
    with bounded_memory():
        for name, other in some_of(states, 60, of=type(sampler).__name__):
            found = trial(pickle.loads(pickle.dumps(sampler)), other, sizes, n_rows)
            if found:
                wrong[name] = found
    assert not wrong


def read_numbers(source: int) -> range:
    return range(12 * source, 12 * source + 12)


def is_rare(row: int) -> bool:
    return row % 4 == 0


@pytest.mark.parametrize("lanes, shuffle", [(1, True), (2, True), (2, False)])
def test_edited_states_of_streams(lanes: int, shuffle: bool) -> None:
    counts = count_sources(range(6), read=read_numbers, stratum=is_rare)
    stream = StratifiedStream(
        range(6), 2, read=read_numbers, stratum=is_rare, counts=counts, lanes=lanes, shuffle=shuffle, seed=1
    )
    sizes = {len(batch) for _ in range(5) for batch in stream}
    stream.set_epoch(0)
    iterator = iter(stream)
    next(iterator)
    stream.load_state_dict(iterator.state_dict())
    check_edited_states(stream, sizes, 72)


def test_states_of_other_samplers(tmp_path: Path) -> None:
    states = {kind: begun(kind, tmp_path).state() for kind in KINDS}
    for kind in KINDS:
        sampler = sampler_of(kind, tmp_path)
        for other, state in states.items():
            if kind == other:
                sampler.load_state_dict(state)
                continue
            with pytest.raises(ValueError, match="must come from a sampler with the same data, parameters and seed"):
                sampler.load_state_dict(state)
