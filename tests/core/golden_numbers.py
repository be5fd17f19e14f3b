"""The golden vectors as integers, in the order in which the programs beside this file read them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any, Callable, Iterator, Union

import numpy as np

from pystrat.strata import encode_strata
from tests.core.golden_changes import changes_of_weights
from tests.core.golden_declared import DRAWN, numbers_of_declaration, numbers_of_values, outcome_of
from tests.reference.golden_groups import labels_of as strata_and_groups
from tests.reference.golden_lengths import lengths_of
from tests.reference.golden_sharded import strata_of
from tests.reference.golden_vectors import GOLDEN, MODULUS, labels_of, labels_of_training
from tests.reference.naive_random import NaiveStream
from tests.reference.naive_shards import naive_cells
from tests.reference.naive_stratified import strata_of as strata_of_columns


def golden_batches() -> Iterator[int]:
    """Yield the numbers that test_golden_batches.c reads."""
    cases = _cases_of("batches.json") + _cases_of("wanted.json")
    runs = json.loads((GOLDEN / "training.json").read_text(encoding="utf-8"))
    labels = labels_of_training()
    yield len(cases) + len(labels)
    for run in labels:
        yield from _numbers_of_training(labels[run], runs[run])
    for case in cases:
        parameters, expected = case["input"]["parameters"], case["expected"]
        yield from _numbers_of_strata(_labels_of(case["input"]), expected["counts"])
        # A plan that takes rows again, or leaves batches without a row of a stratum, deals the rows evenly.
        even = parameters.get("assign") == "even" or expected["min_samples_per_stratum"] == 0 or _takes_again(case)
        shuffle = int(parameters.get("shuffle", True))
        permuted = int(shuffle and expected["min_samples_per_stratum"] == 0)
        yield from (expected["n_batches"], int(even), shuffle, permuted, parameters["seed"])
        yield from _numbers_of_epochs(case["input"]["epochs"], expected)


def _numbers_of_training(labels: Any, run: dict[str, Any]) -> Iterator[int]:
    """Yield the numbers of the epochs of a training, whose file has neither sizes nor permutations."""
    held = np.array(list(run["composition"].values()))
    yield from _numbers_of_strata(strata_of_columns([labels])[1], held.sum(axis=1).tolist())
    yield from (run["n_batches"], 0, 1, 0, run["seed"])
    orders = [NaiveStream((run["seed"] + 1327217885 * epoch) % MODULUS) for epoch in range(len(run["epochs"]))]
    drawn = [
        {"permutation": order.permutation(len(labels)), "rows": rows} for order, rows in zip(orders, run["epochs"])
    ]
    expected = {"sizes": held.sum(axis=0).tolist(), "epochs": drawn}
    yield from _numbers_of_epochs(list(range(len(drawn))), expected)


def _cases_of(file: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((GOLDEN / file).read_text(encoding="utf-8"))["cases"]
    return cases


def _labels_of(given: dict[str, Any]) -> list[int]:
    """Return the label of each row as an integer, which is what the core numbers; -1 if the row is dropped."""
    labels = labels_of(given["strata"])
    if isinstance(labels, dict):  # columns of text and numbers
        names, codes = strata_of_columns(labels.values(), given["parameters"].get("missing", "error"))
        return [-1 if code == len(names) else code for code in codes]
    whole: list[int] = labels.tolist()
    return whole


def _takes_again(case: dict[str, Any]) -> bool:
    """Return whether an epoch takes the rows of some stratum less or more often than once."""
    available = Counter(label for label in _labels_of(case["input"]) if label >= 0)
    taken: list[int] = case["expected"]["counts"]
    return list(available.values()) != taken


def _numbers_of_strata(labels: list[int], taken: list[int]) -> Iterator[int]:
    yield from (len(labels), *labels)
    yield from (len(taken), *taken)


def _numbers_of_epochs(epochs: list[int], expected: dict[str, Any]) -> Iterator[int]:
    yield from _numbers_of_list(expected["sizes"])
    yield len(epochs)
    for epoch, drawn in zip(epochs, expected["epochs"]):
        yield epoch
        yield from _numbers_of_list(drawn["permutation"])
        yield from _numbers_of_list(drawn["rows"])


def _numbers_of_list(listed: Any) -> Iterator[int]:
    if isinstance(listed, list):
        checksum = sum(place * value for place, value in enumerate(listed, 1)) % MODULUS
        yield from (len(listed), len(listed), *listed, 0, checksum)
    else:
        head, tail = listed["head"], listed["tail"]
        yield from (listed["length"], len(head), *head, len(tail), *tail, listed["checksum"])


def golden_shards() -> Iterator[int]:
    """Yield the numbers that test_golden_shards.c reads."""
    cases = _cases_of("sharded.json")
    yield len(cases)
    for case in cases:
        given, table, batches = case["input"], case["expected"]["table"], case["expected"]["batches"]
        strata, shards = strata_of(given), given["shards"]
        yield from (given["n_strata"], len(batches), len(strata), given["seed"], given["epoch"], int(given["shuffle"]))
        yield from (int(given["scope"] == "local"), len(shards))
        for shard in shards:
            yield from (shard, len(strata[shard]), *strata[shard])
        begins, place = {}, 0
        for cell in naive_cells(table, len(batches), given["scope"]):  # in the order in which they are dealt
            begins[cell] = place % len(batches)
            place += table[cell[0]][cell[1]]
        for shard in shards:
            yield from (begins[shard, stratum] for stratum in range(given["n_strata"]))
        for batch in batches:
            yield from (len(batch), *batch)


def golden_lengths() -> Iterator[int]:
    """Yield the numbers that test_golden_lengths.c reads."""
    cases = _cases_of("lengths.json")
    yield len(cases)
    for case in cases:
        given = case["input"]
        yield from (given["n"], *lengths_of(given), given["sample"], given["seed"], given["epoch"])
        limits = ("window", "batch_size", "max_tokens", "num_replicas", "balance_replicas")
        yield from (int(given.get(name, 0)) for name in limits)
        yield from _numbers_of_list(case["expected"]["rows"])
        yield from _numbers_of_list(case["expected"]["sizes"])


def golden_weighted() -> Iterator[int]:
    """Yield the numbers that test_golden_weighted.c reads."""
    cases = _cases_of("weighted.json")
    yield len(cases)
    for case in cases:
        given, expected = case["input"], case["expected"]
        by = 0 if given["kind"] == "uniform" else 1 + int(given.get("method") == "rank")
        how = 1 if given.get("stratified") else 0 if given.get("replacement", True) else 2
        yield from (by, given.get("capacity", given["n"]), given["batch_size"], given["n_batches"])
        yield from (how, given.get("num_replicas", 1), given["seed"], given["epoch"], _bits_of(given.get("alpha", 0)))
        for changes in changes_of_weights(given):
            yield len(changes)
            for row, number in changes:
                yield from (row, _bits_of(number))
        yield from _numbers_of_list(expected["rows"])
        samples = given.get("samples", [])
        yield from (len(samples), *samples)
        yield from _numbers_of_list(expected.get("sampled", []))


def golden_groups() -> Iterator[int]:
    """Yield the numbers that test_golden_groups.c reads."""
    cases = _cases_of("groups.json")
    yield len(cases)
    for case in cases:
        given, expected = case["input"], case["expected"]
        parameters = given["parameters"]
        missing = parameters.get("missing", "error")
        strata, groups = (encode_strata(labels, missing=missing) for labels in strata_and_groups(given["rows"]))
        is_left_out = (strata.codes == len(strata.names)) | (groups.codes == len(groups.names))
        yield len(is_left_out)
        yield from (len(strata.names), len(groups.names))
        of_rows = [np.where(is_left_out, len(coded.names), coded.codes) for coded in (strata, groups)]
        yield from np.stack(of_rows, axis=1).ravel().tolist()
        yield from (expected["n_batches"], min(expected["fewest"]))
        is_apart = parameters.get("keep") == "apart"
        is_permuted = min(expected["rows" if is_apart else "groups"]) < expected["n_batches"]
        yield from (int(is_apart), int(is_permuted), parameters["seed"], len(given["epochs"]))
        for epoch, drawn in zip(given["epochs"], expected["epochs"]):
            yield epoch
            yield from _numbers_of_list(drawn["sizes"])
            yield from _numbers_of_list(drawn["rows"])


def golden_downsampling() -> Iterator[int]:
    """Yield the numbers that test_golden_downsampling.c reads: those of the cases that have batches."""
    cases = [case for case in _cases_of("downsampling.json") if "kept" in case["expected"] and case["input"]["epochs"]]
    yield len(cases)
    for case in cases:
        given, expected = case["input"], case["expected"]
        n_rows = sum(given["counts"])
        classes = np.repeat(np.arange(len(given["counts"])), given["counts"])
        yield from _numbers_of_strata(classes[np.arange(n_rows) * given["step"] % n_rows].tolist(), expected["kept"])
        walked = int(given["parameters"].get("in_turn", False))
        yield from (expected["n_batches"], walked, given["parameters"]["seed"])
        yield from (len(given["epochs"]), *given["epochs"])
        yield from _numbers_of_list(expected["rows"])
        yield from _numbers_of_list(expected["offsets"])


def golden_stream() -> Iterator[int]:
    """Yield the numbers that test_golden_stream.c reads: cases that are shuffled and take each row once."""
    content = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))
    cases = [case for case in content["cases"] if case["seed"] is not None and not _takes_shares(case["settings"])]
    yield len(cases)
    for case in cases:
        sources = case.get("sources", content["sources"])
        n_strata, n_lanes = len(content["strata"]), case["settings"]["lanes"]
        yield from (n_strata, n_lanes, case["settings"].get("shuffle_sources", 1), case["seed"], case["epoch"])
        yield from (len(sources), *map(len, sources))
        yield from (stratum for strata in sources for stratum in strata)
        first_rows = np.cumsum([0, *map(len, sources)]).tolist()
        delivered = [row for batch in case["batches"] for row in batch]
        for lane, stratum in product(range(n_lanes), range(n_strata)):
            own = [(source, row) for source, row in delivered if source % n_lanes == lane]
            places = [first_rows[source] + row for source, row in own if sources[source][row] == stratum]
            yield from _numbers_of_list(places)


def _takes_shares(settings: dict[str, Any]) -> bool:
    return "shares" in settings or "balance" in settings


def golden_subsets() -> Iterator[int]:
    """Yield the numbers that test_golden_subsets.c reads."""
    rare = ["error", "warn", "allow"]
    balance = [None, "mean", "over", "under"]
    cases = _cases_of("subsets.json")
    yield len(cases)
    for case in cases:
        given, expected = case["input"], case["expected"]
        parameters = given["parameters"]
        yield from _numbers_of_strata(_labels_of(given), expected["rows"])
        yield from (parameters["strata_per_batch"], parameters.get("min_samples_per_stratum", 0))
        yield parameters.get("mean_batch_size", 0)
        yield from (int(parameters.get("exact", False)), rare.index(parameters.get("rare", "error")))
        given_balance = parameters.get("balance")
        is_number = isinstance(given_balance, int)
        yield from (4, given_balance) if is_number else (balance.index(given_balance), 0)
        yield from (parameters.get("num_replicas", 1), parameters["seed"])
        yield from (expected["n_batches"], *expected["batches"])
        yield len(given["epochs"])
        for epoch, drawn in zip(given["epochs"], expected["epochs"]):
            yield epoch
            yield from _numbers_of_list(drawn["sizes"])
            yield from _numbers_of_list(drawn["rows"])


def golden_tree() -> Iterator[int]:
    """Yield the numbers that test_golden_tree.c reads: those of the cases whose outcome the core decides."""
    outcomes = [(case, outcome_of(case["expected"])) for case in _cases_of("tree.json")]
    decided = [(case, outcome) for case, outcome in outcomes if outcome is not None]
    yield len(decided)
    for case, outcome in decided:
        given, expected = case["input"], case["expected"]
        yield from _whole(numbers_of_declaration(given))
        yield outcome
        if outcome == DRAWN:
            yield from (len(given["epochs"]), *given["epochs"])
            yield from _whole(numbers_of_values(given, expected))
            yield from _numbers_of_list(expected["rows"])
            yield from _numbers_of_list(expected["offsets"])


def _whole(numbers: Iterator[Union[int, float]]) -> Iterator[int]:
    """Yield integers, and doubles as integers."""
    yield from (_bits_of(number) if isinstance(number, float) else number for number in numbers)


def _bits_of(number: float) -> int:
    """Return the integer with the same bits as a double."""
    return int(np.float64(number).view(np.int64))


# What programs read on standard input. They print the first number, how many cases there are, once all have passed.
CASES: dict[str, Callable[[], Iterator[int]]] = {
    "test_golden_batches": golden_batches,
    "test_golden_downsampling": golden_downsampling,
    "test_golden_groups": golden_groups,
    "test_golden_lengths": golden_lengths,
    "test_golden_shards": golden_shards,
    "test_golden_stream": golden_stream,
    "test_golden_subsets": golden_subsets,
    "test_golden_tree": golden_tree,
    "test_golden_weighted": golden_weighted,
}
