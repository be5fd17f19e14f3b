"""Batches of examples of similar length: every drawn row once, within limits, resumable, over all ranks."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import BatchSampler, EpochSubsetBatchSampler, PerplexityBatchSampler
from pystrat.seeds import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
from tests.inside import recipe_of
from tests.reference.golden_lengths import LIMITS, lengths_of
from tests.reference.golden_vectors import GOLDEN, cut
from tests.reference.naive_lengths import batches_by_length
from tests.reference.naive_random import NaiveStream

CASES = json.loads((GOLDEN / "lengths.json").read_text(encoding="utf-8"))["cases"]
METHODS = ("uniform", "uniform_without_replacement", "partition", "perplexity")


def sampler_of(method: str, n: int, sample: int, **parameters: Any) -> Any:
    if method == "perplexity":
        return PerplexityBatchSampler(n, sample, **parameters)
    return EpochSubsetBatchSampler(n, sample, method=method, **parameters)


def sorted_rows(batches: Any) -> list[int]:
    return sorted(int(row) for batch in batches for row in batch)


def tokens_of(batch: Any, lengths: list[int]) -> int:
    return len(batch) * max(1, max(lengths[row] for row in batch))


def test_golden_vectors() -> None:
    for case in CASES:
        made = case["input"]
        limits = {name: made[name] for name in ("seed", *LIMITS) if name in made}
        sampler = EpochSubsetBatchSampler(made["n"], made["sample"], lengths=lengths_of(made), **limits)
        batches = sampler.batches(made["epoch"])
        assert {"rows": cut(batches.rows), "sizes": cut([len(batch) for batch in batches])} == case["expected"], limits


def check_plain_rule(
    lengths: list[int], sample: int, limits: dict[str, Any], replicas: Optional[int], epoch: int
) -> None:
    """Check that an epoch is that of the plain rule, or refused."""
    limits = {"max_tokens": None, **limits, "balance_replicas": limits["balance_replicas"] and replicas is not None}
    stream = NaiveStream(epoch_seed(7, epoch))
    drawn, shuffled = stream.indices(len(lengths), sample).tolist(), stream.permutation
    expected = batches_by_length(drawn, lengths, **limits, num_replicas=replicas or 1, shuffled=shuffled)
    parameters: dict[str, Any] = {**limits, "lengths": lengths, "seed": 7, "num_replicas": replicas}
    if expected is None:
        with pytest.raises(ValueError, match="must leave each batch a row"):
            EpochSubsetBatchSampler(len(lengths), sample, **parameters).batches(epoch)
        return
    sampler = EpochSubsetBatchSampler(len(lengths), sample, **parameters)
    sampler.set_epoch(epoch)
    announced, batches = len(sampler), list(sampler)
    assert batches == expected and announced == len(batches)
    assert sorted_rows(batches) == sorted(drawn) and all(batches) and len(batches) % (replicas or 1) == 0
    assert limits["batch_size"] is None or max(map(len, batches)) <= limits["batch_size"]
    most = limits["max_tokens"]
    assert most is None or max(tokens_of(batch, lengths) for batch in batches) <= most


@pytest.mark.parametrize("longest", [255, 256, 511, 512, 65_535, 65_536, 131_071, 2**24 - 1, 2**24, 2**31 - 1])
def test_lengths_of_any_number_of_bytes_are_sorted(longest: int) -> None:
    lengths = np.append(np.arange(99) * 7919 % 101 * (longest // 101), longest)
    batches = EpochSubsetBatchSampler(100, 100, 10, lengths=lengths, window=100, seed=1).batches()
    of_batches = sorted([lengths[row] for row in batch] for batch in batches)
    assert [length for own in of_batches for length in own] == sorted(lengths[batches.rows])


@given(
    lengths=st.lists(st.integers(0, 40) | st.integers(0, 2**31 - 1), min_size=1, max_size=30),
    sample=st.integers(1, 60),
    limits=st.fixed_dictionaries(
        {
            "batch_size": st.none() | st.integers(1, 20),
            "window": st.none() | st.integers(1, 70),
            "balance_replicas": st.booleans(),
        }
    ),
    spare=st.none() | st.integers(0, 200),
    replicas=st.none() | st.integers(1, 6),
    epoch=st.integers(0, 3),
)
def test_every_epoch_is_that_of_the_plain_rule(
    lengths: list[int], sample: int, limits: dict[str, Any], spare: Optional[int], replicas: Optional[int], epoch: int
) -> None:
    if spare is not None:
        limits["max_tokens"] = max(1, max(lengths)) + spare
    elif None in limits.values():
        return
    check_plain_rule(lengths, sample, limits, replicas, epoch)


def test_small_epochs_are_those_of_the_plain_rule_for_all_numbers_of_replicas() -> None:
    for sample, batch_size, replicas, balance in product(range(1, 13), range(1, 5), range(1, 7), (False, True)):
        limits = {"batch_size": batch_size, "window": 5, "balance_replicas": balance}
        check_plain_rule([3, 0, 1, 2], sample, limits, replicas, epoch=1)


def test_less_of_a_batch_is_padding_and_batches_are_full_without_max_tokens() -> None:
    lengths = np.random.default_rng(1).geometric(0.05, 20000)

    def padding(**parameters: Any) -> float:
        sampler = EpochSubsetBatchSampler(20000, 19990, seed=1, **parameters)
        batches = sampler.batches()
        if "max_tokens" not in parameters:
            assert sorted(map(len, batches)) == [22] + [32] * 624 and len(sampler) == 625
        tokens = sum(len(batch) * int(lengths[batch].max()) for batch in batches)
        return float(1 - lengths[batches.rows].sum() / tokens)

    assert padding(batch_size=32) > 0.6 and padding(batch_size=32, lengths=lengths, window=3200) < 0.1
    assert padding(lengths=lengths, max_tokens=600) < 0.05


def of_lengths(method: str, **parameters: Any) -> Any:
    lengths = [1 + row * 13 % 29 for row in range(200)]
    return sampler_of(method, 200, 120, lengths=lengths, seed=3, **{"max_tokens": 90, "window": 50, **parameters})


def trained(sampler: Any, batches: Any) -> list[list[int]]:
    """The batches, of whose losses a perplexity sampler hears."""
    seen = []
    for rows in batches:
        seen.append(rows)
        if isinstance(sampler, PerplexityBatchSampler):
            sampler.report(rows, [row % 7 / 3 for row in rows])
    return seen


@pytest.mark.parametrize("method", METHODS)
def test_len_is_that_of_the_epoch_that_comes_next(method: str) -> None:
    sampler, lengths = of_lengths(method), []
    for epoch in range(6):
        announced = len(sampler)
        batches = trained(sampler, sampler)
        assert len(batches) == announced
        lengths.append(announced)
    assert len(set(lengths)) > 1
    if method != "perplexity":
        assert lengths == [len(of_lengths(method).batches(epoch)) for epoch in range(6)]
        return
    assert sampler.started
    iterator, resumed = iter(sampler), of_lengths(method)
    begun = [next(iterator) for _ in range(5)]
    state = iterator.state_dict()
    sampler.report(np.arange(200), np.arange(200) / 100)
    resumed.load_state_dict(state)
    assert begun + list(resumed) == begun + list(iterator), "an epoch is resumed as it was drawn"


def test_a_draw_that_leaves_replicas_without_rows_is_refused_by_name() -> None:
    sampler = EpochSubsetBatchSampler(3, 5, lengths=[9, 9, 9], max_tokens=9, num_replicas=2, seed=1)
    for ask in (lambda: len(sampler), sampler.batches, lambda: next(iter(sampler))):
        with pytest.raises(
            ValueError, match="^The 'num_replicas' parameter must leave each batch a row: 5 are drawn for 6 "
        ):
            ask()


def test_fingerprints_differ() -> None:
    lengths = [1, 2, 3, 4]
    limits: list[dict[str, Any]] = [
        {"batch_size": 2, "lengths": lengths, "window": 4},
        {"batch_size": 2, "lengths": lengths, "window": 3},
        {"batch_size": 2, "lengths": lengths[::-1], "window": 4},
        {"batch_size": 2, "lengths": lengths, "max_tokens": 8},
        {"lengths": lengths, "max_tokens": 8},
        {"lengths": lengths, "max_tokens": 9},
    ]
    balanced: dict[str, Any] = {**limits[0], "num_replicas": 2, "balance_replicas": True}
    parameters = [{"batch_size": 2}, *limits, balanced, {**balanced, "num_replicas": 1}, {**limits[5], **balanced}]
    for method in METHODS:
        samplers: list[BatchSampler] = [sampler_of(method, 4, 4, seed=1, **given) for given in parameters]
        # Of partition, the seed shuffles the batches.
        samplers.append(sampler_of(method, 4, 4, seed=2, **parameters[-1]))
        assert len({sampler.state()["fingerprint"] for sampler in samplers}) == len(parameters) + 1


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        stem, _, side = name.partition("_")
        (folder / f"{stem}.{side}").write_bytes(text.encode())
    return folder


def test_the_longest_side_of_a_pair_counts(tmp_path: Path) -> None:
    folder = write(tmp_path, a_src="a b c\na\n", a_tgt="a\na b\n", b_src="a\n", b_tgt="a b c d\n")
    words = CorpusMixtureBatchSampler(folder, sample=30, max_tokens=8, seed=1)
    expected = {"lengths": [3, 2, 4], "max_tokens": [8.0]}
    assert {name: recipe_of(words).parts[name].tolist() for name in expected} == expected  # type: ignore[union-attr]
    for lengths in ("words", [3, 2, 4], np.array([3.0, 2, 4]), lambda lines: max(len(line.split()) for line in lines)):
        again = CorpusMixtureBatchSampler(folder, sample=30, max_tokens=8, lengths=lengths, seed=1)
        assert list(again) == [batch.tolist() for batch in words.batches(0)]
        assert again.state()["fingerprint"] == words.state()["fingerprint"]
    for batch in words.batches():
        assert len(batch) * max([3, 2, 4][row] for row in batch) <= 8


def test_an_epoch_of_a_mixture_has_the_lines_of_the_plan(tmp_path: Path) -> None:
    texts = {f"{name}_txt": "".join("w " * (1 + line % 9) + "\n" for line in range(60)) for name in "abc"}
    parameters: dict[str, Any] = {"suffixes": [".txt"], "sample": 100, "rules": ["a *", "* 1"], "seed": 1}
    folder = write(tmp_path, **texts)
    of_ranks = {"batch_size": 16, "lengths": "words", "num_replicas": 2, "balance_replicas": True}
    plain = CorpusMixtureBatchSampler(folder, 16, **parameters)
    mixture = CorpusMixtureBatchSampler(folder, max_tokens=40, window=30, **parameters)
    balanced = CorpusMixtureBatchSampler(folder, window=30, **of_ranks, **parameters)
    for epoch in range(3):
        expected = sorted_rows(plain.batches(epoch))
        assert sorted_rows(mixture.batches(epoch)) == expected == sorted_rows(balanced.batches(epoch))
        tokens = [len(batch) * (1 + batch % 60 % 9).max() for batch in balanced.batches(epoch)]
        ascending = np.sort(np.reshape(tokens, (-1, 2)), axis=1)
        ascending = ascending[np.lexsort(ascending.T[::-1])].ravel()
        assert ascending.tolist() == sorted(tokens), "consecutive numbers of tokens are together"
    with pytest.raises(ValueError, match="'balance_replicas' parameter must be false if 'shuffle' is false. Got True"):
        CorpusMixtureBatchSampler(folder, window=30, shuffle=False, **of_ranks, **parameters)
    in_order = CorpusMixtureBatchSampler(folder, max_tokens=40, window=30, shuffle=False, **parameters)
    windows = [row // 30 for batch in in_order for row in batch if row < 60]
    assert windows == sorted(windows), "batches are as they were cut"


ONES, WHOLE = [1] * 5, "whole numbers from 0 to 2147483647, one for each"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lengths": ONES}, "The 'lengths' parameter must be given together with 'max_tokens' or 'window'."),
        ({"max_tokens": 5}, "The 'max_tokens' parameter must be given together with 'lengths'. Got 5 instead."),
        ({"window": 5}, "The 'window' parameter must be given together with 'lengths'. Got 5 instead."),
        ({"lengths": ONES, "window": 5, "batch_size": None}, "'batch_size' parameter must be a positive integer"),
        ({"lengths": [1] * 4, "max_tokens": 5}, f"parameter must be 5 {WHOLE} example. Got 4 values instead."),
        ({"lengths": [1, 2, 3, 4, -5], "max_tokens": 5}, "one for each example. Got -5 instead."),
        ({"lengths": [1, 2, 3, 4, 0.5], "max_tokens": 5}, "one for each example. Got 0.5 instead."),
        ({"lengths": [True] * 5, "max_tokens": 5}, "one for each example. Got 5 values instead."),
        (
            {"lengths": [1, 2, 9, 8, 5], "max_tokens": 5},
            "2 examples are longer, the first at row position 2, ",
        ),
        ({"lengths": ONES, "window": 5, "batch_size": 1, "num_replicas": 5}, "8 are drawn for 10 batches. Got 5 inste"),
        (
            {"lengths": ONES, "max_tokens": 5, "balance_replicas": True},
            "be given together with 'num_replicas'. Got True",
        ),
        ({"num_replicas": 2, "balance_replicas": True}, "be given together with 'max_tokens' or 'window'. Got True"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    for kind in (EpochSubsetBatchSampler, PerplexityBatchSampler):
        with pytest.raises((TypeError, ValueError)) as refused:
            kind(5, 8, **{"batch_size": 2, **parameters})
        assert message in str(refused.value)


RETURNED = "return a whole number from 0 to 2147483647 for the lines of a position."


OF_LINES = "be 'words', a function of the lines of a position, or whole numbers from 0 to 2147483647, 10 of them."


def test_lengths_of_lines_that_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, a_txt="a b\n" * 10)
    cases: list[tuple[Any, str]] = [
        ("letters", f"{OF_LINES} Got 'letters'"),
        ((1, 2), f"{OF_LINES} Got 2 values instead."),
        (lambda lines: "2", f"{RETURNED} Got '2' instead."),
        (lambda lines: -1, f"{RETURNED} Got -1 instead."),
    ]
    for lengths, message in cases:
        with pytest.raises((TypeError, ValueError), match=f"The 'lengths' parameter must {message}"):
            CorpusMixtureBatchSampler(folder, suffixes=[".txt"], sample=5, max_tokens=5, lengths=lengths)
