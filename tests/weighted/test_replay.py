"""Replay buffers: priorities of new rows, rows that were overwritten, rows that are never drawn."""

from __future__ import annotations

import random
from typing import Any, Iterator, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import PrioritizedBatchSampler


class NaiveReplay:
    """Each row notes when it was written; nothing is computed twice or in another way."""

    def __init__(self, n_rows: int, capacity: int, alpha: float, epsilon: float) -> None:
        self.alpha, self.epsilon, self.capacity = alpha, epsilon, capacity
        self.written: list[int] = list(range(1, n_rows + 1))  # how many rows had been added then, this one included
        self.sizes: list[float] = [1.0] * n_rows
        self.n_added, self.largest = n_rows, -1.0

    def append(self, count: int, priorities: Optional[list[float]]) -> list[int]:
        places = []
        for number in range(count):
            size = self.largest if self.largest > 0 else 1.0
            if priorities is not None:
                size = abs(priorities[number]) + self.epsilon
            place = self.n_added % self.capacity
            self.n_added += 1
            if place == len(self.sizes):
                self.sizes.append(size)
                self.written.append(self.n_added)
            else:
                self.sizes[place], self.written[place] = size, self.n_added
            places.append(place)
        self.largest = max([self.largest] + [abs(priority) + self.epsilon for priority in priorities or []])
        return places

    def update(self, rows: list[int], priorities: list[float], since: Optional[int]) -> None:
        for row, priority in zip(rows, priorities):
            if since is None or self.written[row] <= since:
                self.sizes[row] = abs(priority) + self.epsilon
                self.largest = max(self.largest, self.sizes[row])

    def weights(self) -> list[float]:
        return [size**self.alpha if size > 0 else 0.0 for size in self.sizes]

    def call(self, step: dict[str, Any]) -> dict[str, Any]:
        """Make a call; return it with what the buffer then holds."""
        if step["call"] == "append":
            found = {"places": self.append(step["count"], step["priorities"])}
        else:
            self.update(step["rows"], step["priorities"], step["since"])
            found = {}
        return {**step, **found, "weights": self.weights(), "n_added": self.n_added}


def random_steps(naive: NaiveReplay, source: random.Random, n_steps: int) -> Iterator[dict[str, Any]]:
    """Yield random calls that the buffer allows in its present state."""
    for _ in range(n_steps):
        n_rows = len(naive.sizes)

        def priorities(count: int) -> list[float]:
            return [source.choice([0.0, 0.25, -1.5, source.uniform(-2, 2)]) for _ in range(count)]

        if n_rows == 0 or source.random() < 0.5:
            count = source.randint(0, naive.capacity)
            given = priorities(count) if source.random() < 0.5 else None
            yield {"call": "append", "count": count, "priorities": given}
        else:
            rows = [source.randrange(n_rows) for _ in range(source.randint(0, 2 * n_rows))]
            since = source.randint(max(0, naive.n_added - 2 * naive.capacity), naive.n_added)
            since_or_none = since if source.random() < 0.7 else None
            yield {"call": "update", "rows": rows, "priorities": priorities(len(rows)), "since": since_or_none}


def buffer_of(n_rows: int, capacity: int, alpha: float, epsilon: float, **others: Any) -> PrioritizedBatchSampler:
    settings = {"n_batches": 4, "seed": 1, **others}
    return PrioritizedBatchSampler(n_rows, 2, capacity=capacity, alpha=alpha, epsilon=epsilon, **settings)


def weights_of(buffer: PrioritizedBatchSampler) -> np.ndarray:
    return np.asarray(buffer.state()["weights"])


def assert_call_gives(buffer: PrioritizedBatchSampler, step: dict[str, Any]) -> None:
    """Make a call; the buffer then holds what the step says."""
    if step["call"] == "append":
        assert buffer.append(step["count"], priorities=step["priorities"]).tolist() == step["places"]
    else:
        buffer.update(step["rows"], step["priorities"], since=step["since"])
    assert buffer.n_added == step["n_added"]
    np.testing.assert_allclose(weights_of(buffer), step["weights"], rtol=1e-14)


@given(st.data())
def test_any_calls_give_what_a_buffer_gives_that_notes_when_each_row_was_written(data: st.DataObject) -> None:
    capacity = data.draw(st.integers(1, 9))
    settings = {
        "n_rows": data.draw(st.integers(0, capacity)),
        "capacity": capacity,
        "alpha": data.draw(st.sampled_from([0.0, 0.6, 1.0, 2.0])),
        "epsilon": data.draw(st.sampled_from([0.0, 1e-6, 0.5])),
    }
    naive, buffer = NaiveReplay(**settings), buffer_of(**settings)
    for step in random_steps(naive, random.Random(data.draw(st.integers(0, 10**6))), 12):
        assert_call_gives(buffer, naive.call(step))
    twin = buffer_of(**settings)
    twin.load_state_dict(buffer.state())
    assert twin.n_added == buffer.n_added


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(-100, 100)), min_size=1, max_size=30),
    st.sampled_from([0.3, 0.6, 1.0, 2.0]),
    st.sampled_from([0.0, 1e-6, 0.5]),
)
def test_priorities_are_read_as_they_were_told_but_for_the_sign(
    priorities: list[float], alpha: float, epsilon: float
) -> None:
    buffer = buffer_of(len(priorities), len(priorities), alpha, epsilon)
    buffer.update(range(len(priorities)), priorities)
    np.testing.assert_allclose(buffer.priorities(), np.abs(priorities), rtol=1e-12, atol=1e-14 * (1 + epsilon) / alpha)
    assert buffer.priorities([0]).tolist() == buffer.priorities()[:1].tolist()
    ranked = PrioritizedBatchSampler(len(priorities), 1, alpha=alpha, method="rank", seed=1)
    ranked.update(range(len(priorities)), priorities)
    assert ranked.priorities().tolist() == np.abs(priorities).tolist()


def test_beta_for_one_call() -> None:
    buffer = PrioritizedBatchSampler(2, 1, alpha=1, beta=lambda batch: 1 / batch, epsilon=1.0, seed=1)
    buffer.update([0, 1], [0, 1])
    assert buffer.importance_weights([0, 1], beta=2).tolist() == [1, 0.25]
    assert buffer.importance_weights([0, 1], batch=1).tolist() == [1, 0.5]
    with pytest.raises(ValueError, match="'beta' parameter must be a finite number of at least 0. Got -1 instead"):
        buffer.importance_weights([0], beta=-1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda buffer: buffer.append(2, priorities=[1, 2, 3]),
            "'priorities' parameter must have one value for each row",
        ),
        (lambda buffer: buffer.append(priorities=[1] * 9), "must have at most as many values as there is room for, 4"),
        (
            lambda buffer: buffer.append(priorities=[1, np.inf]),
            "'priorities' parameter must hold finite numbers. Got Inf",
        ),
        (lambda buffer: buffer.append(5), "'count' parameter must be an integer from 0 to 4. Got 5 instead"),
        (lambda buffer: buffer.update([0, 1], [5, np.nan]), "'priorities' parameter must hold finite numbers. Got NaN"),
        (lambda buffer: buffer.update([0], [1], since=5), "'since' parameter must be an integer from 0 to 4. Got 5"),
        (lambda buffer: buffer.priorities([4]), "'rows' parameter must hold row positions from 0 to 3"),
        (lambda buffer: buffer.importance_weights([4]), "'rows' parameter must hold row positions from 0 to 3"),
    ],
)
@pytest.mark.parametrize("method", ["proportional", "rank"])
def test_a_refused_call_changes_nothing(call: Any, text: str, method: str) -> None:
    buffer = PrioritizedBatchSampler(4, 2, alpha=1, n_batches=4, method=method, seed=1)
    buffer.update(range(4), [1, 2, 3, 4])
    before = buffer.priorities().tolist(), buffer.n_added
    with pytest.raises(ValueError, match=text):
        call(buffer)
    assert (buffer.priorities().tolist(), buffer.n_added) == before


@pytest.mark.parametrize("n_added", [3, 8, "x"])
def test_a_state_with_another_number_of_rows_added_is_refused(n_added: Any) -> None:
    buffer = buffer_of(4, 5, 1.0, 0.5)
    buffer.append(3)
    state = buffer.state()
    assert state["n_added"] == 7
    with pytest.raises((ValueError, TypeError), match="'n_added' parameter must"):
        buffer.load_state_dict({**state, "n_added": n_added})
    assert buffer.n_added == 7
