"""Drawing from a tree: whole chunks equal drawing row by row, for any tree and any sequence of calls."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from pystrat import TreeBatchSampler
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_tree import Emptied, naive_tree

COLUMNS = {
    "letter": st.sampled_from(["a", "b", "c", "d", None]),
    "number": st.sampled_from([0.0, 1.0, 2.5, -3.0, float("nan")]),
    "flag": st.booleans(),
}
VALUES = {"letter": ["a", "b", "zz"], "number": [0, 1.0, 2.5], "flag": [True, False]}
MODES = ("replacement", "sequential", "shuffle")


@st.composite
def tables(draw: Any) -> dict[str, list[Any]]:
    n_rows = draw(st.integers(1, 40))
    table = {name: draw(st.lists(items, min_size=n_rows, max_size=n_rows)) for name, items in COLUMNS.items()}
    table["mass"] = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0, 0.1]), min_size=n_rows, max_size=n_rows))
    # A column without values has no kind.
    assume(any(value is not None for value in table["letter"]))
    return table


@st.composite
def selections(draw: Any) -> dict[str, Any]:
    """The keys by which a node takes rows of its parent."""
    column = draw(st.sampled_from(sorted(COLUMNS)))
    if draw(st.booleans()):
        return {"column": column, "for_each": True, "missing": draw(st.sampled_from(["stratum", "drop"]))}
    operators = ["eq", "ne", "in", "not in", "isnull", None]
    operator = draw(st.sampled_from(operators + ["lt", "le", "gt", "ge", "between"] * (column != "flag")))
    if operator is None:
        return {}
    if operator == "isnull":
        return {"column": column, "op": operator}
    values = VALUES[column]
    if operator in ("in", "not in", "between"):
        wanted = draw(st.lists(st.sampled_from(values), min_size=2, max_size=2))
        return {"column": column, "op": operator, "value": sorted(wanted)}
    return {"column": column, "op": operator, "value": draw(st.sampled_from(values))}


@st.composite
def nodes(draw: Any, name: str, depth: int = 0, modes: tuple[str, ...] = MODES) -> dict[str, Any]:
    node: dict[str, Any] = {"name": name, "mode": draw(st.sampled_from(modes))}
    node["repeat"] = draw(st.sampled_from([1, 1, 1, 2, 3]))
    if depth:
        node.update(draw(selections()))
        node["prune"] = draw(st.sampled_from(["individual", "individual", "parent"]))
        if draw(st.booleans()):
            node["weight"] = draw(st.sampled_from([0.25, 1, 3, "proportional(count)", "proportional(mass)"]))
    if depth < 3 and draw(st.integers(0, depth)) == 0:
        n_children = draw(st.integers(1, 3))
        node["children"] = [draw(nodes(f"{name}{place}", depth + 1, modes)) for place in range(n_children)]
    elif node["mode"] == "replacement" and draw(st.booleans()):
        node["row_weight"] = "mass"
    return node


def sampler_of(table: Any, spec: Any, batch_size: int = 1, **parameters: Any) -> TreeBatchSampler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TreeBatchSampler(table, spec, batch_size, **parameters)


def reference_of(table: Any, spec: Any, seed: int) -> Any:
    """Return the reference; where it has nothing to draw, about a quarter of the trees, the sampler must say so too.

    Such a tree does not count as one of the examples of a test.
    """
    try:
        return naive_tree(table, spec, seed)
    except Emptied:
        with pytest.raises(ValueError, match="leave something to draw"):
            sampler_of(table, spec, length=1)
        reject()


@given(tables(), nodes("root"), st.integers(0, 2**31 - 2), st.integers(1, 120))
def test_chunks_equal_drawing_row_after_row(table: Any, spec: Any, seed: int, length: int) -> None:
    reference = reference_of(table, spec, epoch_seed(seed, 3))
    sampler = sampler_of(table, spec, length=length, seed=seed)
    assert sampler.batches(3).rows.tolist() == [reference.draw() for _ in range(length)]


N_MANY = 70_001  # an index below more than 65,536 takes two outputs of the generator
MANY: dict[str, Any] = {
    "third": [None if row % 97 == 0 else float(row % 3) for row in range(N_MANY)],
    "many": [row % 40_009 for row in range(N_MANY)],
    "mass": [row % 1_009 / 8 for row in range(N_MANY)],
}
THIRDS = {"name": "third", "column": "third", "for_each": True, "missing": "drop"}


@pytest.mark.parametrize(
    ("spec", "length"),
    [
        ({"mode": "shuffle"}, 75_000),
        ({"mode": "sequential"}, 75_000),
        ({"mode": "replacement"}, 75_000),
        ({"row_weight": "mass"}, 600),
        (
            {
                "repeat": 3,
                "children": [
                    {"name": "all", "mode": "shuffle", "repeat": 2, "weight": 4},
                    {**THIRDS, "mode": "replacement", "weight": "proportional(mass)"},
                ],
            },
            30_000,
        ),
        ({"mode": "shuffle", "children": [{**THIRDS, "mode": "shuffle"}]}, 75_000),
        ({"mode": "shuffle", "children": [{"name": "each", "column": "many", "for_each": True}]}, 3_000),
    ],
)
def test_chunks_of_many_rows_equal_drawing_row_after_row(spec: Any, length: int) -> None:
    """Limits beyond 16 bits, and chunks, pools and children of more options than are handled in one block."""
    reference = naive_tree(MANY, spec, 5)
    expected = [reference.draw() for _ in range(length)]
    for parts in (1, 3):  # of a persistent sequence
        sampler = sampler_of(MANY, spec, length=length // parts, seed=5, persistent=parts > 1)
        drawn = np.concatenate([sampler.batches(part).rows for part in range(parts)])
        assert drawn.tolist() == expected


@given(tables(), nodes("root"), st.integers(1, 30), st.permutations(range(5)))
def test_persistent_epochs_are_parts_of_one_sequence_in_whatever_order(
    table: Any, spec: Any, length: int, epochs: list[int]
) -> None:
    reference = reference_of(table, spec, 8)
    expected = [[reference.draw() for _ in range(length)] for _ in epochs]
    sampler = sampler_of(table, spec, length=length, seed=8, persistent=True)
    for epoch in epochs:
        assert sampler.batches(epoch).rows.tolist() == expected[epoch]
    assert [[row for batch in sampler for row in batch] for _ in epochs] == expected


@given(tables(), nodes("root", modes=("sequential", "shuffle")), st.data())
def test_the_length_of_a_node_draws_every_row_below_it(table: Any, spec: Any, data: Any) -> None:
    reference = reference_of(table, spec, epoch_seed(5, 0))
    below = reference.preorder()
    node = data.draw(st.sampled_from(below))
    if sum(other.spec["name"] == node.spec["name"] for other in below) > 1:
        with pytest.raises(ValueError, match=f"Got '{node.spec['name']}', the name of .* nodes, instead"):
            sampler_of(table, spec, length=node.spec["name"])
        return
    sampler = sampler_of(table, spec, length=node.spec["name"], seed=5)
    assume(sampler.length < 20_000)
    drawn = [reference.draw() for _ in range(sampler.length)]
    assert sampler.batches(0).rows.tolist() == drawn
    endless = sampler_of(table, spec, length=node.spec["name"], seed=5, persistent=True)
    assert endless.batches(0).rows.tolist() == drawn
    rows = {row for leaf in node.preorder() if leaf.is_leaf for row in leaf.rows}
    assert rows <= set(drawn)
    assert sampler.length == reference.length_of(node.spec["name"])


@pytest.mark.parametrize(("levels", "draws"), [(0, "10737418235"), (22, r"4.5035996\d*e.16")])
def test_a_pass_of_more_draws_than_an_epoch_has_is_refused(levels: int, draws: str) -> None:
    """Each level doubles the draws, since one of its two children needs all of those that its parent gives."""
    spec: dict[str, Any] = {"mode": "shuffle", "repeat": 2**31 - 1}
    for _ in range(levels):
        spec = {"mode": "shuffle", "children": [{"name": "beside", "mode": "shuffle"}, {"name": "below", **spec}]}
    with pytest.raises(ValueError, match=f"take at most 2147483647 draws. Got 'root', which takes {draws}"):
        sampler_of({"x": range(5)}, spec, length="root")
