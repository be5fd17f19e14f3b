"""The golden vectors of batches with a few strata, in JSON that every language reads.

``python -m tests.reference.golden_subsets`` writes ``tests/golden/subsets.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional

from tests.reference.golden_vectors import GOLDEN, cut, joined, labels_of
from tests.reference.naive_subset import NaiveSubset

ABOUT = (
    "Batches with a few strata and several rows of each. 'strata' are those of batches.json, with an arrangement "
    "'blocks' or 'dealt', or columns. Rows are counted from 0, and long lists are cut as in batches.json. Written by "
    "tests/reference/golden_subsets.py."
)


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    labels = labels_of(case["strata"])
    naive = NaiveSubset(labels.values() if isinstance(labels, dict) else [labels.tolist()], case["parameters"])
    epochs = map(naive.batches, case["epochs"])
    drawn = [{"sizes": cut(list(map(len, batches))), "rows": cut(joined(batches))} for batches in epochs]
    return {"n_batches": naive.n_batches, "strata": naive.names, **naive.table(), "epochs": drawn}


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    few = _sizes(3, 12, 7, 4, 9, 5)
    for exact in (False, True):
        named = ", exact" if exact else ""
        yield _case(f"few rows{named}", few, (0, 1, 39, 6_700_000), 3, 2, exact=exact)
        yield _case(f"one row of each{named}", few, (0, 40), 3, 1, exact=exact, seed=2**31 - 2)
        yield _case(f"all strata{named}", few, (0, 3), 6, 3, exact=exact)
        yield _case(f"one stratum a batch{named}", few, (2,), 1, 2, exact=exact)
        yield _case(f"replicas{named}", few, (5,), 2, 3, exact=exact, num_replicas=2)
        yield _case(f"rare strata{named}", few, (0, 7), 2, 5, exact=exact, rare="allow")
        yield _case(f"one batch{named}", few, (1,), 2, 9, exact=exact, rare="allow")
        dropped = {"columns": {"word": ["b", "a", None, "a", "b", "c", "a", None, "b", "c", "a"]}}
        yield _case(f"missing values dropped{named}", dropped, (0, 1), 2, 2, exact=exact, missing="drop")
        yield _case(f"missing values as a stratum{named}", dropped, (0, 1), 2, 2, exact=exact, missing="stratum")
        pairs = {"columns": {"word": ["b", "a", "b", "a"] * 5, "number": [1, 1, 2, 2, 1] * 4}}
        yield _case(f"two columns{named}", pairs, (0, 2), 3, 2, exact=exact)
        many = _sizes(*(4 + 7 * k % 23 for k in range(300)))
        yield _case(f"300 strata{named}", many, (0, 6_700_000), 8, 4, exact=exact)
        large = _sizes(30_000, 12_000, 900, 41, 7, arrangement="blocks")
        yield _case(f"many rows{named}", large, (1, 6), 2, 5, exact=exact)
    yield _case("a mean size", few, (0, 1, 6_700_000), 3, mean_batch_size=8)
    yield _case("a mean size, rare strata", few, (0, 5), 2, mean_batch_size=9, rare="allow")
    yield _case("a mean size, replicas", few, (2,), 2, mean_batch_size=7, num_replicas=2)
    yield _case("a mean size, missing values dropped", dropped, (0, 1), 2, mean_batch_size=4, missing="drop")
    yield _case("a mean size, 300 strata", many, (0, 6_700_000), 8, mean_batch_size=50, rare="allow")
    yield _case("a mean size, many rows", large, (1, 6), 2, mean_batch_size=32, rare="allow")
    for balance in ("mean", "over", "under", 7):
        named = f", balance {balance}"
        yield _case(f"few rows{named}", few, (0, 1, 39, 6_700_000), 4, 2, balance=balance)
        yield _case(f"many rows of few{named}", few, (0, 5), 2, 3, balance=balance, seed=2**31 - 2)
    yield _case("all strata, balanced", few, (0, 3), 6, 3, balance="mean")
    yield _case("one stratum a batch, balanced", few, (2,), 1, 2, balance="mean")
    yield _case("replicas, balanced", few, (5,), 2, 3, balance="mean", num_replicas=2)
    yield _case("rare strata, balanced", few, (0, 7), 2, 5, balance="mean", rare="allow")
    yield _case("missing values dropped, balanced", dropped, (0, 1), 2, 2, balance="over", missing="drop")
    yield _case("300 strata, balanced", many, (0, 6_700_000), 8, 4, balance="mean")
    yield _case("many rows, balanced", large, (1, 6), 2, 5, balance="mean")


def _sizes(*sizes: int, arrangement: str = "dealt") -> dict[str, Any]:
    return {"sizes": list(sizes), "arrangement": arrangement}


def _case(
    name: str,
    strata: dict[str, Any],
    epochs: tuple[int, ...],
    strata_per_batch: int,
    minimum: Optional[int] = None,
    **parameters: Any,
) -> dict[str, Any]:
    sizes = {"strata_per_batch": strata_per_batch}
    if minimum is not None:
        sizes["min_samples_per_stratum"] = minimum
    parameters = {**sizes, "seed": 1, **{name: value for name, value in parameters.items() if value is not False}}
    return {"name": name, "strata": strata, "parameters": parameters, "epochs": list(epochs)}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "subsets.json").write_text(as_text(), encoding="utf-8")
